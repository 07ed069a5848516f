// Pages work without this. It recalls while one types, moves through lists by key, lets points of a map tell
// their text, looks further back for redactions, slides between moments, and copies lines.
import { recallWhileTyping } from "./recall.js";
import { moveByKey } from "./list.js";
import { tellPoints } from "./map.js";
import { lookFurtherBack } from "./redactions.js";
import { slideBetweenMoments } from "./history.js";
import { copyLines } from "./copy.js";

recallWhileTyping();
moveByKey();
tellPoints();
lookFurtherBack();
slideBetweenMoments();
copyLines();
