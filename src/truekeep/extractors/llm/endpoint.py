"""One question to an endpoint that speaks OpenAI's chat completions: asked with patience, within a time limit, and
within a budget: the purse pays for each request before it is made."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from truekeep.errors import ConfigurationError
from truekeep.extras import to_install
from truekeep.patience import TooLate, TooMuch, seconds_asked, whole, within
from truekeep.ports import Account, Span

from .prompt import Failing, Question

if TYPE_CHECKING:
    from openai import OpenAI

CALLS = "llm_calls"
TOKENS = "llm_tokens"
_BYTES_A_TOKEN = 3  # errs on the dear side for most texts; the endpoint's own count corrects it


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
    """Pays for requests before they are made, one at a time, and remembers what one extraction used."""

    def __init__(self, budget: Budget, account: Account) -> None:
        self._budget = budget
        self._account = account
        self.calls = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self._prompt = self._paid = 0  # tokens, as estimated for the request under way

    def pay(self, question: Question, answer_tokens: int) -> None:
        """For one request, as much as it may use. Raises Failing when the budget has no room for it."""
        per = self._budget.per
        self._prompt = question.bytes // _BYTES_A_TOKEN
        self._paid = tokens = self._prompt + answer_tokens
        if not self._account.take(CALLS, 1, limit=self._budget.calls, per=per):
            raise Failing(f"the budget of calls for this {per} is used up")
        if not self._account.take(TOKENS, tokens, limit=self._budget.tokens, per=per):
            self._account.settle(CALLS, -1, per=per)
            raise Failing(f"the budget of tokens for this {per} is used up")
        self.calls += 1

    def settle(self, reply: Reply | None, *, may_cost: bool = False) -> None:
        """Correct what was paid, as the reply says; where there is none, by whether the request may cost something."""
        prompt, completion = self._prompt if may_cost else 0, 0
        if reply is not None:
            prompt = self._prompt if reply.prompt_tokens is None else reply.prompt_tokens
            own = len(reply.text.encode("utf-8", "replace")) // _BYTES_A_TOKEN
            completion = own if reply.completion_tokens is None else reply.completion_tokens
        self.prompt_tokens += prompt
        self.completion_tokens += completion
        if more := prompt + completion - self._paid:
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


BACKOFF = 0.25  # seconds before the first retry; doubled for each further one
MOST_ANSWER_BYTES = 1024 * 1024
PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
WAYS = ("json_schema", "json_object", "text")  # of asking for JSON, best first; not every endpoint knows them all
NOT_OURS = ("OpenAI-Organization", "OpenAI-Project")  # the SDK would take these from the environment


class Reply(NamedTuple):
    text: str
    prompt_tokens: int | None  # as far as the endpoint tells
    completion_tokens: int | None


class Endpoint:
    """Where the model is."""

    def __init__(self, base_url: str, model: str, *, key: str | None, retries: int, answer_tokens: int) -> None:
        address = urlsplit(base_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise ConfigurationError("base_url of the extractor must look like https://host/v1")
        if key is not None and (not key or not key.isascii() or not key.isprintable() or " " in key):
            raise ConfigurationError("key of the extractor must be printable ASCII without spaces")
        if not model or retries < 0 or answer_tokens < 1:
            raise ConfigurationError("the extractor needs a model, retries >= 0 and answer_tokens >= 1")
        if find_spec("openai") is None:
            raise ConfigurationError(f"the extractor 'llm' needs one package more: {to_install('llm')}")
        self.model = model
        self.host = address.hostname
        self.answer_tokens = answer_tokens
        self._base_url = base_url
        self._key = key
        self._retries = retries
        self._way = 0  # how the endpoint was last asked with success

    def ask(self, question: Question, *, timeout: float, until: float, purse: Purse) -> Reply:
        """The answer. Each request is paid for before it is made, as far as the budget goes. Raises Failing."""
        tries, way = 0, self._way
        while True:
            purse.pay(question, self.answer_tokens)
            try:
                reply = self._asked(self._body(question, WAYS[way]), min(until, time.monotonic() + timeout))
            except _Refused:
                purse.settle(None)
                way += 1
                if way == len(WAYS):
                    raise Failing("the endpoint refused the request") from None
            except Failing as failing:
                purse.settle(None, may_cost=failing.may_cost)
                pause = max(failing.wait, BACKOFF * 2**tries * random.uniform(1, 1.5))
                tries += 1
                if not failing.passing or tries > self._retries or time.monotonic() + pause >= until:
                    raise
                time.sleep(pause)
            else:
                purse.settle(reply)
                self._way = way
                return reply

    def _body(self, question: Question, way: str) -> dict[str, Any]:
        strict = way == "json_schema"
        system = question.system if strict else question.system_with_schema
        messages = [{"role": "system", "content": system}, {"role": "user", "content": question.user}]
        body: dict[str, Any] = {"model": self.model, "messages": messages}
        if strict:
            named = {"name": "notes", "strict": True, "schema": question.schema}
            body["response_format"] = {"type": way, "json_schema": named}
        elif way != "text":
            body["response_format"] = {"type": way}
        # Newer models know the limit by its newer name only; those that do not know that one refuse the schema too.
        body["max_completion_tokens" if strict else "max_tokens"] = self.answer_tokens
        return body

    def _asked(self, body: dict[str, Any], until: float) -> Reply:
        """In a thread: a name that is not resolved, or a header that trickles, heeds no timeout of the client."""
        try:
            client = self._client()
        except Exception as error:  # a proxy in the environment that makes no sense, for one
            raise Failing(f"the client could not be made: {type(error).__name__}") from error
        left = until - time.monotonic() + 0.25  # the client's own timeout comes first
        try:
            return within(left, lambda: _post(client, body, until, is_open=self._key is None), thread="truekeep-llm")
        except TooLate:
            raise Failing("the endpoint did not answer in time", passing=True, tires=True, may_cost=True) from None
        except (Failing, _Refused):
            raise
        except Exception as error:  # somebody else's code: anything may come out
            raise Failing(f"the request failed with {type(error).__name__}", passing=True, tires=True) from error
        finally:
            client.close()

    def _client(self) -> OpenAI:
        """One for each request: they are rare and slow, and nothing stays open, or is shared after a fork."""
        import openai

        unset: Any = dict.fromkeys(NOT_OURS, openai.Omit())
        return openai.OpenAI(
            base_url=self._base_url,
            api_key=self._key or "none",
            max_retries=0,  # we retry, within one limit
            default_headers=unset,
            # The conversation goes where it was meant to go, or nowhere.
            http_client=openai.DefaultHttpxClient(follow_redirects=False),
        )


class _Refused(Exception):
    """The endpoint does not know this way of asking."""


def _post(client: OpenAI, body: dict[str, Any], until: float, *, is_open: bool) -> Reply:
    import openai

    left = max(0.001, until - time.monotonic())
    headers: Any = {"Authorization": openai.Omit()} if is_open else {}
    ask = client.chat.completions.with_streaming_response.create
    try:
        with ask(**body, timeout=left, extra_headers=headers) as response:
            return _reply(_read(response.iter_bytes(), until))
    except openai.APITimeoutError:
        raise Failing("the endpoint did not answer in time", passing=True, tires=True, may_cost=True) from None
    except openai.APIStatusError as error:
        # Only the status: what the endpoint writes beside it may quote the key or the conversation.
        if error.status_code in (400, 422):
            raise _Refused from None
        passing = error.status_code in PASSING
        wait = seconds_asked(error.response.headers.get("Retry-After"))
        reason = f"the endpoint answered with status {error.status_code}"
        raise Failing(reason, passing=passing, wait=wait, tires=True) from None
    except openai.APIConnectionError:
        raise Failing("the endpoint is out of reach", passing=True, tires=True) from None


def _read(pieces: Iterable[bytes], until: float) -> bytes:
    try:
        return whole(pieces, until, most=MOST_ANSWER_BYTES)
    except TooMuch:
        raise Failing(f"the answer is larger than {MOST_ANSWER_BYTES:,} bytes", may_cost=True) from None
    except TooLate:
        raise Failing("the answer came too slowly", passing=True, tires=True, may_cost=True) from None


def _reply(answer: bytes) -> Reply:
    try:
        document = json.loads(answer)
        text = document["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise Failing("the answer is not a chat completion", passing=True, may_cost=True) from None
    if not isinstance(text, str):
        raise Failing("the model gave no answer", may_cost=True)
    usage = document.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return Reply(text, _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")))


def _count(number: object) -> int | None:
    return number if isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 2**40 else None
