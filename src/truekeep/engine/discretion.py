"""Failures as they may be logged: memories, and the names of their spaces, are personal data."""

from __future__ import annotations

import traceback


def described(error: BaseException) -> str:
    """What failed and where. Never the message: it may quote a memory or name a space."""
    chain = [error]
    while (before := chain[-1].__cause__ or chain[-1].__context__) is not None and before not in chain:
        chain.append(before)
    names = " from ".join(type(one).__name__ for one in chain)
    return f"{names}\n{''.join(traceback.format_tb(error.__traceback__))}".rstrip()
