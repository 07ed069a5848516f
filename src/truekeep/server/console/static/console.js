// Pages work without this. It recalls while one types, moves through lists by key, and lets points of a map tell
// their text, and looks further back for redactions.
import { recallWhileTyping } from "./recall.js";
import { moveByKey } from "./list.js";
import { tellPoints } from "./map.js";
import { lookFurtherBack } from "./redactions.js";

recallWhileTyping();
moveByKey();
tellPoints();
lookFurtherBack();
