"""A sentence cut into words, values and marks: how everything that is said is read, whatever is looked for in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

WORDS = frozenset(("plain", "word"))  # kinds
NUMBERS = frozenset(("time", "date", "phone", "ordinal", "number"))

_TOKEN = re.compile(
    r"(?P<plain>\b[a-z]+(?=[\s,;:!?)]|\.?\s|\.?$))"  # what most are, before anything that costs more to tell
    r"|(?P<address>[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}|https?://\S{1,200}|(?<!\w)[#/][a-z][\w./-]{1,80})"
    r"|(?P<time>\b\d{1,2}(?::\d{2}|h\d{2})(?:\s?[ap]m)?\b|\b\d{1,2}\s?(?:[ap]m|uhr)\b)"
    r"|(?P<date>\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b)"
    r"|(?P<phone>\+?\b\d{2,5}(?:[ /-]\d{2,4}){2,5}\b|\b0\d{2,4}[ /-]\d{3,8}\b)"
    r"|(?P<ordinal>\b\d{1,2}(?:st|[nr]d|th)\b)"
    r"|(?P<number>(?:(?<![\w.)-])[-+\u2212])?[$\u20ac\u00a3]?\d+(?:[.,']\d+)*(?:e-?\d+)?(?:\s?%|\s?\u20ac|[km]\b)?)"
    r"|(?P<code>`[^`\n]{1,80}`|\b[a-z]++(?:-[a-z]++)*-?[_\d](?:[\w.-]*\w)?)"
    r"|(?P<cjk>[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7ff]+)"
    r"|(?P<word>\b[a-z]/[a-z]?(?!\w)|[^\W\d_]+(?:['-][^\W\d_]+)*[+#]{0,2})"
    r"|(?P<mark>:(?=\s|$)|[-=]>|\u2192|[=>,;&/()\u2013\u2014]|(?<=\s)-(?=\s))"
)


def cut(text: str) -> Iterator[re.Match[str]]:
    """The tokens of a sentence in lower case, in its order; the name of the group that matched is the kind of each."""
    return _TOKEN.finditer(text)
