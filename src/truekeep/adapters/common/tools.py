"""`remember`, `recall` and `forget` as tools: plain, typed functions with answers that a model can read."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from copy import deepcopy
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, get_args, get_origin

from truekeep.errors import InvalidInput

from .plans import Plan, Plans
from .verbs import Verbs, about, refusal, unknown

if TYPE_CHECKING:
    from pydantic import BaseModel

Tool: TypeAlias = Callable[..., str]
AsyncTool: TypeAlias = Callable[..., Coroutine[Any, Any, str]]
Arguments: TypeAlias = Mapping[str, Any] | str  # by name, or the JSON in which a model wrote them
_F = TypeVar("_F", bound=Callable[..., Any])
_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}


class Tools:
    """The tools of one agent, as functions, as coroutine functions and as JSON schemas.

    None of them raises, whatever a model calls them with: a call that is wrong is answered with what is wrong in it.
    """

    def __init__(
        self,
        plans: Plans,
        *,
        run: Callable[[Plan[str]], str],
        wait: Callable[[Plan[str]], Coroutine[Any, Any, str]],
    ) -> None:
        verbs = Verbs(plans)
        self.remember: Tool = _function(verbs.remember, run)
        self.recall: Tool = _function(verbs.recall, run)
        self.forget: Tool = _function(verbs.forget, run)
        self.async_remember: AsyncTool = _coroutine_function(verbs.remember, wait)
        self.async_recall: AsyncTool = _coroutine_function(verbs.recall, wait)
        self.async_forget: AsyncTool = _coroutine_function(verbs.forget, wait)

    @property
    def functions(self) -> list[Tool]:
        """All three, for synchronous agents."""
        return [self.remember, self.recall, self.forget]

    @property
    def async_functions(self) -> list[AsyncTool]:
        """All three under the same names, for asynchronous agents."""
        return [self.async_remember, self.async_recall, self.async_forget]

    @property
    def function_map(self) -> dict[str, Tool]:
        """The functions by name, for an agent that is configured with `function_map`."""
        return {function.__name__: function for function in self.functions}

    @property
    def function_schemas(self) -> list[dict[str, Any]]:
        """In the older form, for an agent that is configured with `functions`."""
        return deepcopy(_SCHEMAS)

    @property
    def schemas(self) -> list[dict[str, Any]]:
        """In the form of OpenAI's `tools`."""
        return [{"type": "function", "function": schema} for schema in self.function_schemas]

    def call(self, name: str, arguments: Arguments) -> str:
        """What a model asked for in a tool call, as it asked for it."""
        try:
            return _chosen(self.functions, name)(**_read(arguments))
        except InvalidInput as error:
            return refusal(error)

    async def async_call(self, name: str, arguments: Arguments) -> str:
        """The same, awaited."""
        try:
            return await _chosen(self.async_functions, name)(**_read(arguments))
        except InvalidInput as error:
            return refusal(error)


def _function(verb: Callable[..., Plan[str]], run: Callable[[Plan[str]], str]) -> Tool:
    def tool(*given: Any, **named: Any) -> str:
        return _wrong(verb, given, named) or run(verb(*given, **named))

    return _looking_like(verb, tool)


def _coroutine_function(
    verb: Callable[..., Plan[str]], wait: Callable[[Plan[str]], Coroutine[Any, Any, str]]
) -> AsyncTool:
    async def tool(*given: Any, **named: Any) -> str:
        return _wrong(verb, given, named) or await wait(verb(*given, **named))

    return _looking_like(verb, tool)


def _looking_like(verb: Callable[..., Any], tool: _F) -> _F:
    """To whoever looks at it, a function with the verb's name, types and description; it takes all that it is given."""
    signature = inspect.signature(verb)
    tool.__name__ = tool.__qualname__ = verb.__name__
    tool.__doc__ = inspect.getdoc(verb)
    tool.__signature__ = signature.replace(return_annotation=str)  # type: ignore[attr-defined]  # what inspect looks at
    tool.__annotations__ = {name: one.annotation for name, one in signature.parameters.items()} | {"return": str}
    return tool


def _wrong(verb: Callable[..., Any], given: Sequence[Any], named: Mapping[str, Any]) -> str | None:
    parameters = inspect.signature(verb).parameters
    stranger = unknown(verb.__name__, named, parameters)
    if stranger is not None:
        return refusal(stranger)
    needed = [name for name, one in parameters.items() if one.default is one.empty][len(given) :]
    missing = [name for name in needed if name not in named]
    return refusal(InvalidInput(missing[0], "is missing")) if missing else None


def _chosen(tools: Sequence[_F], name: str) -> _F:
    found = {tool.__name__: tool for tool in tools}
    if name not in found:
        raise InvalidInput("name", f"there is no tool {name!r}; there are {', '.join(found)}")
    return found[name]


def _read(arguments: Arguments) -> Mapping[str, Any]:
    try:
        given = json.loads(arguments or "{}") if isinstance(arguments, str) else arguments
    except ValueError:
        given = None
    if not isinstance(given, Mapping):
        raise InvalidInput("arguments", "must be a JSON object")
    return given


def _schema(verb: Callable[..., Any]) -> dict[str, Any]:
    parameters = {name: one for name, one in inspect.signature(verb).parameters.items() if name != "self"}
    return {
        "name": verb.__name__,
        "description": inspect.getdoc(verb),
        "parameters": {
            "type": "object",
            "properties": {name: _property(one.annotation, one.default) for name, one in parameters.items()},
            "required": [name for name, one in parameters.items() if one.default is one.empty],
            "additionalProperties": False,
        },
    }


def _property(argument: Any, default: object) -> dict[str, Any]:
    given = get_args(argument)[0]
    (inner,) = [one for one in get_args(given) if one is not NoneType] if NoneType in get_args(given) else [given]
    is_list = get_origin(inner) is list
    shape: dict[str, Any] = {"type": "array", "items": {"type": "string"}} if is_list else {"type": _TYPES[inner]}
    known = {} if default in (inspect.Parameter.empty, None) else {"default": default}
    return {**shape, "description": about(argument), **known}


# Made once, and before anybody sees the functions: classic AutoGen writes its own objects into their annotations.
_SCHEMAS = [_schema(verb) for verb in (Verbs.remember, Verbs.recall, Verbs.forget)]


def open_model(schema: dict[str, Any]) -> type[BaseModel]:
    """For frameworks that check arguments with pydantic, and drop what they do not know without a word.

    Lets everything through as the model wrote it, for the tool to judge; shows the schema to those who ask.
    """
    from pydantic import BaseModel, ConfigDict

    class Given(BaseModel):
        model_config = ConfigDict(extra="allow", title=schema["name"])

        @classmethod
        def model_json_schema(cls, *args: Any, **options: Any) -> dict[str, Any]:
            return dict(schema["parameters"])

    return Given
