"""Options that several commands share, and the handle that they open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from truekeep import ConfigurationError, Memory, NotFound

from . import output, words

if TYPE_CHECKING:
    from truekeep.ports import Store

_T = TypeVar("_T")
Space = Annotated[str, typer.Option("--space", "-s", envvar="TRUEKEEP_SPACE", help="The name of the memory.")]
At = Annotated[
    str | None,
    typer.Option(
        envvar="TRUEKEEP_AT",
        metavar="PLACE",
        help="Where it lives: a file, or a server (http://...). Default: your own file; `stats` names it.",
    ),
]
Key = Annotated[
    str | None,
    typer.Option(
        envvar="TRUEKEEP_KEY",
        metavar="KEY",
        help="The key for a server. Better in the variable than here, where other users may see it.",
    ),
]
Config = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="The TOML file of `truekeep serve --config`: the store that it serves."),
]
Quota = Annotated[
    list[str] | None,
    typer.Option("--quota", metavar="NAME=NUMBER", help="recalls_per_month=1000 (repeat it); `NAME=` takes it away."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]

Kind = Annotated[
    str | None,
    typer.Option(help="preference, decision, fact, lesson, context, interaction, temporary, or a slug of your own."),
]
Tags = Annotated[list[str] | None, typer.Option("--tag", "-t", help="A label; may be given several times.")]
Metadata = Annotated[
    dict[str, Any] | None,
    typer.Option(parser=words.json_object, metavar="JSON", help="A JSON object that comes back with the item."),
]
Session = Annotated[str | None, typer.Option(help="The conversation in which it was said.")]
Speaker = Annotated[str | None, typer.Option(help="Who said it.")]
Source = Annotated[str | None, typer.Option(help="Where it comes from; can be rolled back as a whole.")]
Ttl = Annotated[
    timedelta | None,
    typer.Option(parser=words.span, metavar="SPAN", help="After this time it is gone: 45s, 30m, 12h, 7d, 2w."),
]

# Filters
Kinds = Annotated[
    list[str] | None, typer.Option("--kind", "-k", help="Any of these kinds (repeat it); -KIND leaves one out.")
]
AllTags = Annotated[list[str] | None, typer.Option("--tag", "-t", help="All of these tags (repeat it).")]
InSession = Annotated[str | None, typer.Option("--session", help="Said in this conversation.")]
BySpeaker = Annotated[str | None, typer.Option("--speaker", help="Said by this speaker.")]
FromSource = Annotated[str | None, typer.Option("--source", help="From the source of this name.")]
Since = Annotated[
    datetime | None,
    typer.Option(parser=words.moment, metavar="TIME", help="True since then or later: 2026-01-31, or 7d for a week."),
]
Until = Annotated[datetime | None, typer.Option(parser=words.moment, metavar="TIME", help="True since before then.")]
AsOf = Annotated[datetime | None, typer.Option(parser=words.moment, metavar="TIME", help="What was true at that time.")]
KnownAt = Annotated[
    datetime | None, typer.Option(parser=words.moment, metavar="TIME", help="What was believed at that time.")
]
MinTrust = Annotated[str | None, typer.Option(help="Leave out what is trusted less: unknown, tool, agent, user.")]
Superseded = Annotated[bool, typer.Option("--superseded", help="Also what was replaced or has ended.")]
# By the names of `recall`'s arguments; an option that may be repeated has the name of one.
FILTERS: Mapping[str, tuple[str, Any]] = {
    "kinds": ("kind", Kinds),
    "tags": ("tag", AllTags),
    "session": ("session", InSession),
    "speaker": ("speaker", BySpeaker),
    "source": ("source", FromSource),
    "since": ("since", Since),
    "until": ("until", Until),
    "as_of": ("as_of", AsOf),
    "known_at": ("known_at", KnownAt),
    "min_trust": ("min_trust", MinTrust),
    "include_superseded": ("superseded", Superseded),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """What a command is told beside its own arguments: whether a program reads the answer."""

    as_json: bool

    def answer(self, record: Any, text: str) -> None:
        """One result: for programs, or in a sentence."""
        self.tell(record, lambda _: output.say(text))

    def tell(self, record: _T, show: Callable[[_T], object]) -> None:
        """One result: for programs, or as `show` tells it to people."""
        if self.as_json:
            output.print_json(record)
        else:
            show(record)

    def secret(self, made: Mapping[str, Any], name: str) -> None:
        """What is shown this once: for people alone, so that they can hand it on."""
        self.tell(made, lambda _: print(made[name]))

    def table(self, found: Iterable[Any], columns: Sequence[str], row: Callable[[Any], Sequence[object]]) -> None:
        """Several results: one a line for programs, a row of a table each for people."""
        if self.as_json:
            output.print_json(*found)
        else:
            output.print_table(columns, map(row, found))


@dataclass(frozen=True, slots=True, kw_only=True)
class OfStore(Answering):
    """And which store."""

    at: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OfPlace(OfStore):
    """And the key, should it be behind a server."""

    key: str | None

    @contextmanager
    def opened(self, space: str = "default") -> Iterator[Memory]:
        """A handle. A key may stand in the environment for good, and files have no use for one."""
        memory = Memory(space, at=self.at, key=self.key if is_served(self.at) else None)
        try:
            yield memory
        finally:
            with output.noted_when_slow("finishing vectors and verdicts of new memories, for a few seconds"):
                memory.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(OfPlace):
    """What every command about all of a store is told: also the settings of its server."""

    config: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(OfPlace):
    """What every command about one memory is told: also which."""

    space: str

    def memory(self) -> AbstractContextManager[Memory]:
        return self.opened(self.space)

    def looked_at(self) -> AbstractContextManager[Memory]:
        """The same for those who only look: whoever mistypes a place shall find no store there, and leave none."""
        file = _missing(self.at)
        if file is None:
            return self.memory()
        if self.at is not None and not self.as_json:
            output.note(f"there is no store at {file}; the first `truekeep remember` makes it")
        return Memory(self.space, at=":memory:")


_TOLD = (
    Parameter("config", Parameter.KEYWORD_ONLY, annotation=Config, default=None),
    Parameter("space", Parameter.KEYWORD_ONLY, annotation=Space, default="default"),
    Parameter("at", Parameter.KEYWORD_ONLY, annotation=At, default=None),
    Parameter("key", Parameter.KEYWORD_ONLY, annotation=Key, default=None),
    Parameter("as_json", Parameter.KEYWORD_ONLY, annotation=AsJson, default=False),
)
_FILTERS = tuple(
    Parameter(name, Parameter.KEYWORD_ONLY, annotation=option, default=False if option is Superseded else None)
    for name, option in FILTERS.values()
)


def command(app: typer.Typer, name: str | None = None) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add a command. If its first argument is `Answering`, or more than that, options at the end of the list tell it.

    An argument `filters` stands for an option for each of them; the command gets those that were given.
    """

    def add(work: Callable[..., None]) -> Callable[..., None]:
        named = app.command(name or work.__name__.removesuffix("_"))
        call, *own = signature(work, eval_str=True).parameters.values()
        if not hasattr(call.annotation, "as_json"):
            named(work)
            return work
        told = [one for one in _TOLD if one.name in call.annotation.__dataclass_fields__]
        asked = [each for one in own for each in (_FILTERS if one.name == "filters" else (one,))]

        @wraps(work)
        def run(**arguments: Any) -> None:
            where = {one.name: arguments.pop(one.name) for one in told}
            if len(asked) > len(own):
                filters = {ours: arguments.pop(option) for ours, (option, _) in FILTERS.items()}
                arguments["filters"] = given(**filters)
            work(call.annotation(**where), **arguments)

        typed: Any = run
        typed.__signature__ = Signature([each.replace(kind=Parameter.KEYWORD_ONLY) for each in (*asked, *told)])
        named(run)
        return work

    return add


def is_served(at: str | None) -> bool:
    from truekeep import assembly

    return at is not None and assembly.is_served(at)


def _missing(at: str | None) -> Path | None:
    """The file of a store that is not there yet."""
    from truekeep.assembly import file_of

    file = None if is_served(at) else file_of(at)
    return None if file is None or file.exists() else file


def refuse_missing(at: str | None) -> None:
    """For those who look after a store: a mistyped name must not make a new one."""
    if file := _missing(at):
        raise NotFound(f"there is no store at {file}; the first `truekeep remember` makes it")


def refuse_served(at: str | None, what: str) -> None:
    if is_served(at):
        raise ConfigurationError(f"{what} are managed where the store is: give --at the file, or use the server's API")


@contextmanager
def own_store(at: str | None, what: str) -> Iterator[Store]:
    """The store itself, for those who look after what is in it; one that is there, on this side of any server."""
    from truekeep.assembly import open_store

    refuse_served(at, what)
    refuse_missing(at)
    with open_store(at) as store:
        yield store


def given(**filters: Any) -> dict[str, Any]:
    """Those filters that were given."""
    return {name: value for name, value in filters.items() if value not in (None, False, [])}
