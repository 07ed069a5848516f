"""What the tools take: each argument once, with the words that a model reads about it, and how it is understood."""

# Without postponed annotations: frameworks look at these types themselves.

from collections.abc import Collection
from datetime import timedelta
from typing import Annotated, Any, get_args

from truekeep.errors import InvalidInput
from truekeep.model import KINDS

MOST_RECALLED = 50

Content = Annotated[str, "One self-contained statement, with names instead of pronouns."]
Kind = Annotated[str, f"What it is: {', '.join(KINDS[:5])} or temporary; a lesson is what failed or must be avoided."]
Tags = Annotated[list[str] | None, "Labels to group it by."]
Key = Annotated[
    str | None, "What it is about, such as 'ana/language': a later statement under the same key replaces it."
]
Days = Annotated[float | None, "After so many days it is gone; by default it stays."]
Query = Annotated[str, "A question or a topic, in any words."]
Limit = Annotated[int, "At most this many memories."]
Kinds = Annotated[list[str] | None, "Only these kinds; '-interaction' leaves the record of conversations out."]
AllTags = Annotated[list[str] | None, "Only what has all of these tags."]
Superseded = Annotated[bool, "Also what was replaced since or has ended."]
Ids = Annotated[list[str], "The ids of the memories, as recall shows them; or their exact text."]


def about(argument: Any) -> str:
    """The words that a model reads about an argument."""
    return str(get_args(argument)[1])


def refusal(error: InvalidInput) -> str:
    """What a model is told about a call that was wrong, so that it can make a better one."""
    return f"That did not work: {error}"


def unknown(tool: str, given: Collection[str], accepted: Collection[str]) -> InvalidInput | None:
    """Names the first argument that a tool does not have. It is never dropped: the model meant something by it."""
    others = [name for name in given if name not in accepted]
    return InvalidInput(others[0], f"is unknown; {tool} takes {', '.join(accepted)}") if others else None


def slug(kind: object) -> str:
    """A kind as models write it: "User Preference"; none is a fact."""
    return "-".join(str(kind or "fact").lower().split()) or "fact"


def several(given: Any) -> Any:
    """A list; models write one label as plain text."""
    return [given] if isinstance(given, str) else given


def lifetime(days: object) -> timedelta | None:
    """How long it is kept; None: for good."""
    if days is None:
        return None
    number = _number(days, "days")
    if not 0 < number <= timedelta.max.days:
        raise InvalidInput("days", f"must be a number of days greater than 0, not {days!r}")
    return timedelta(days=number)


def at_most(limit: object) -> int:
    """How many, within what is sensible."""
    return int(min(max(_number(limit, "limit"), 1), MOST_RECALLED))


def truth(given: object, argument: str) -> bool:
    """Yes or no, also in quotes."""
    known = {"true": True, "false": False, "none": False}
    if str(given).lower() not in known:
        raise InvalidInput(argument, f"must be true or false, not {given!r}")
    return known[str(given).lower()]


def _number(given: object, argument: str) -> float:
    """Also one that a model put into quotes."""
    try:
        if isinstance(given, int | float | str) and not isinstance(given, bool):
            return float(given)
    except (ValueError, OverflowError):
        pass
    raise InvalidInput(argument, f"must be a number, not {given!r}")
