"""Which parts of a message are its speaker's own words. Everything here is linear."""

from __future__ import annotations

import re

from truekeep.fence import CODE_FENCES, without_recalled

_RECALLED_PROMPT = "relevant memory:"  # the heading of the template "prompt"; bullets follow
_PRINTED = re.compile(  # by a shell, a log, a debugger or an editor
    r"\$ |>>> |at [\w.$<>]{1,200} ?\(|File \"|Traceback|\[?\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d"
    r"|\[(?:info|warn|error|debug)|(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL)\b|[{}\[\]]|\"\w{1,200}\":|</?[a-z]"
    r"|[+-]{3} |@@ |diff --git|import |from \w{1,200} import |def \w{1,200}\(|class \w{1,200}[(:]|function \w{1,200}\("
    r"|(?:const|let|var) \w{1,200} ="
    r"|//|/\*|\*/|# |#!|-- |<!--|REM |% |; |\"\"\""  # comments; nobody's own words in a conversation
    r"|(?:if|for|while|switch|catch) ?\([^()]{0,200}\)|return\b[^.!?]{0,200};|[\w.]{1,100}\([^()]{0,200}\);?$"
    r"|(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER) [\w*]"
    r"|[\w.\[\]]{1,100} ?[:+*-]?= ?(?:[\"'\[{(]|[\w.-]{1,100}(?:\(|;|,?\s{1,9}(?:#|//|--) ))"
    r"|\(?\w{1,40}(?:, \w{1,40})?\)? ?=> ?(?:\{|\w{1,40}[.(])|[\w.]{1,100}(?:_\w{1,100}| ?\+)= ?\S"
)
_KEY_BEGIN, _KEY_END = "-----BEGIN ", "-----END "


def own_words(text: str) -> str:
    """The text without recalled memory, code, keys, output and quoted lines; an empty line stands where they were."""
    kept: list[str] = []
    closing: str | None = None
    recalled = False
    for line in without_recalled(text).split("\n"):
        bare = line.strip()
        if closing is not None:
            closing = None if closing in (bare[: len(closing)], bare[-len(closing) :]) else closing
        elif bare.startswith(CODE_FENCES):
            closing = bare[:3]
        elif bare.startswith(_KEY_BEGIN):
            closing = _KEY_END
        elif bare.startswith("/*") and "*/" not in bare:
            closing = "*/"
        elif bare.lower() == _RECALLED_PROMPT:
            recalled = True
        elif recalled and (not bare or line.startswith(("- ", "  "))):
            continue
        elif not bare.startswith((">", _KEY_END)) and not _PRINTED.match(bare):
            recalled = False
            kept.append(line)
            continue
        kept.append("")
    return "\n".join(kept)
