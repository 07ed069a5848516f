"""What the endpoint may be used for: a budget, and the purse that pays out of it."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass

from truekeep.errors import ConfigurationError
from truekeep.ports import Account, Span

from .prompt import Failing

CALLS = "llm_calls"
TOKENS = "llm_tokens"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What each tenant may use in all its spaces; None: as much as it likes. Days and months are those of UTC."""

    calls: int | None = None  # requests, repeated ones too
    tokens: int | None = None  # of prompts and answers together
    per: Span = "month"

    def __post_init__(self) -> None:
        if self.per not in ("day", "month"):
            raise ConfigurationError(f"a budget is per 'day' or per 'month', not per {self.per!r}")
        for name in ("calls", "tokens"):
            limit = getattr(self, name)
            if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
                raise ConfigurationError(f"{name} of a budget must be a whole number of at least 0, not {limit!r}")


class Purse:
    """Pays for requests before they are made, and remembers what one extraction used."""

    def __init__(self, budget: Budget, account: Account) -> None:
        self._budget = budget
        self._account = account
        self.calls = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0

    def pay(self, tokens: int) -> None:
        """For one request that may use this many tokens. Raises Failing when the budget has no room for it."""
        per = self._budget.per
        if not self._account.take(CALLS, 1, limit=self._budget.calls, per=per):
            raise Failing(f"the budget of calls for this {per} is used up")
        if not self._account.take(TOKENS, tokens, limit=self._budget.tokens, per=per):
            self._account.settle(CALLS, -1, per=per)
            raise Failing(f"the budget of tokens for this {per} is used up")
        self.calls += 1

    def settle(self, paid: int, *, prompt: int, completion: int) -> None:
        """Correct what was paid for a request by what it really used."""
        self.prompt_tokens += prompt
        self.completion_tokens += completion
        if more := prompt + completion - paid:
            self._account.settle(TOKENS, more, per=self._budget.per)


class OwnAccount:
    """Counts for as long as the extractor lives: for one that is used without a memory, which would keep the counts."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._used: Counter[str] = Counter()

    def take(self, counter: str, want: int, *, limit: int | None, per: Span) -> bool:
        with self._lock:
            if limit is not None and self._used[counter] + want > limit:
                return False
            self._used[counter] += want
            return True

    def settle(self, counter: str, more: int, *, per: Span) -> None:
        with self._lock:
            self._used[counter] = max(0, self._used[counter] + more)
