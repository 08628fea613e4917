"""How functions become commands: groups of options, values as people type them, imports at the call."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import wraps
from importlib import import_module
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperGroup
from typer.main import get_command
from typer.models import ParameterInfo


def lazy_group(places: Mapping[str, str], contexts: Mapping[str, dict[str, Any]] = {}) -> type[TyperGroup]:
    """A group of commands, each in a place such as "load.runs.runs" below this package: a function or a group.

    Args:
        places: by the commands' names, in the order of the help.
        contexts: context settings of those commands that have any.
    """

    class LazyGroup(TyperGroup):
        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            _convert_here(self, {})

        def list_commands(self, ctx: Any) -> list[str]:
            return list(places)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            if cmd_name in places and cmd_name not in self.commands:
                self.commands[cmd_name] = _imported(cmd_name, places[cmd_name], contexts.get(cmd_name))
            return self.commands.get(cmd_name)

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            if args[0] not in places:
                # For "did you mean", which looks at the commands that are here.
                for name in places:
                    self.get_command(ctx, name)
            return super().resolve_command(ctx, args)

    return LazyGroup


def typer_group(places: Mapping[str, str], meaning: str) -> typer.Typer:
    """A lazy group as a command that has commands of its own, such as ``load``; its help starts with the meaning."""
    group = typer.Typer(
        cls=lazy_group(places), help=meaning, no_args_is_help=True, add_completion=False, rich_markup_mode=None
    )
    group.callback()(_do_nothing)
    return group


def _do_nothing() -> None:
    """What a group does before its command; Typer takes no group without it."""


def _imported(name: str, place: str, settings: dict[str, Any] | None) -> Any:
    module, _, attribute = place.rpartition(".")
    found = getattr(import_module(f"evalsql.cli.{module}"), attribute)
    if isinstance(found, typer.Typer):
        group: Any = get_command(found)
        group.name = name
        return group
    one = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    one.command(name, context_settings=settings)(found)
    return _convert_here(get_command(one), get_type_hints(found, include_extras=True))


def _convert_here(command: Any, hints: Mapping[str, Any]) -> Any:
    """Convert values here; ``hints`` has what the function wants by parameter.

    Typer has them all converted by pydantic, which takes longer to import than most commands to run, and whose words
    on a wrong value are about types. What is not known here still goes there.
    """
    all_of = command.get_params

    def get_params(ctx: Any) -> Any:
        parameters = all_of(ctx)
        for parameter in parameters:
            if "process_value" not in vars(parameter):
                parameter.process_value = _converting(parameter, hints.get(parameter.name))
        return parameters

    command.get_params = get_params
    return command


def _converting(parameter: Any, hint: Any) -> Callable[[Any, Any], Any]:
    process_value = parameter.process_value
    wanted, limits = _value_type(hint), _limits(hint)

    def process(ctx: Any, value: Any) -> Any:
        several = parameter.multiple or parameter.nargs == -1
        if parameter.required and not value:
            return process_value(ctx, value)
        if value is None:
            value = () if several else None
        elif value is not parameter.default:
            if not converts(wanted):
                return process_value(ctx, value)
            try:
                converted = [convert(each, wanted, *limits) for each in (value if several else [value])]
            except typer.BadParameter as error:
                error.ctx, error.param = ctx, parameter
                raise
            value = converted if several else converted[0]
        return parameter.callback(ctx, parameter, value) if parameter.callback else value

    return process


def _limits(hint: Any) -> tuple[float | None, float | None]:
    """The least and the greatest value of an option, as ``typer.Option`` has them."""
    for told in getattr(hint, "__metadata__", ()):
        if isinstance(told, ParameterInfo):
            return told.min, told.max
    return None, None


def _value_type(hint: Any) -> Any:
    """What one value is: ``str`` of ``Annotated[list[str] | None, ...]``."""
    while get_origin(hint) in (Annotated, Union, UnionType, list):
        hint = next(part for part in get_args(hint) if part is not NoneType)
    return hint


def grouped_options(command: Callable[..., None]) -> Callable[..., None]:
    """Put the fields of dataclasses into the command's signature, which Typer reads, in the place of the parameter."""
    signature = inspect.signature(command, eval_str=True)
    groups: dict[str, Any] = {
        name: each.annotation for name, each in signature.parameters.items() if is_dataclass(each.annotation)
    }
    parameters: list[inspect.Parameter] = []
    for name, parameter in signature.parameters.items():
        parameters += _options(groups[name]) if name in groups else [parameter.replace(kind=parameter.KEYWORD_ONLY)]

    @wraps(command)
    def with_groups(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        command(**values)

    with_groups.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_groups.__annotations__ = {each.name: each.annotation for each in parameters}
    return with_groups


def _options(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
        )
        for field in fields(group)
    ]


# Behind each word its other spellings, without case, blanks, hyphens, underscores and apostrophes.
_SPELLINGS = {
    "markdown": "md",
    "latex": "tex",
    "jsonl": "ndjson jsonlines",
    "holm": "holmbonferroni",
    "bonferroni": "bonf",
    "benjamini_hochberg": "bh fdr fdrbh",
    "benjamini_yekutieli": "by fdrby",
    "t": "ttest student students studentt studentst pairedt pairedttest",
    "wilcoxon": "wilcoxonsignedrank signedrank",
    "sign": "signtest",
    "randomisation": "randomization permutation randomisationtest randomizationtest permutationtest",
    "tukey": "hsd tukeyhsd",
}
_MEANT = {spelling: word for word, spellings in _SPELLINGS.items() for spelling in spellings.split()}
_IGNORED = str.maketrans("", "", " -_'")


def meant_word(text: str, words: tuple[str, ...]) -> str | None:
    """Which of the words a text stands for: in any case, with blanks, hyphens or underscores, or by another name."""
    plain = text.lower().translate(_IGNORED)
    meant = {word.lower().translate(_IGNORED): word for word in words} | {
        spelling: word for spelling, word in _MEANT.items() if word in words
    }
    return meant.get(plain)


def converts(hint: Any) -> bool:
    """Whether ``convert`` knows what a hint asks for."""
    return hint in (int, float, str, Path) or get_origin(hint) is Literal


def convert(value: object, hint: Any, lowest: float | None, highest: float | None) -> Any:
    """The value as the hint has it: a text, path, number, or one of several words.

    Raises:
        typer.BadParameter: it is none.
    """
    if get_origin(hint) is Literal:
        words = get_args(hint)
        word = value if value in words else meant_word(str(value), words)
        if word is None:
            raise typer.BadParameter(f'"{value}" is none of {", ".join(words)}')
        return word
    if hint in (int, float):
        return _number(str(value), hint, lowest, highest)
    return hint(value)


def _number(text: str, kind: type[int] | type[float], lowest: float | None, highest: float | None) -> float:
    try:
        number = kind(text)
    except ValueError:
        raise typer.BadParameter(f'"{text}" is not a {"whole " if kind is int else ""}number') from None
    if math.isnan(number):
        raise typer.BadParameter(f'"{text}" is not a number')
    if (lowest is not None and number < lowest) or (highest is not None and number > highest):
        limits = f"at least {lowest}" if highest is None else f"from {lowest} to {highest}"
        raise typer.BadParameter(f"{text} is out of range, it must be {limits}")
    return number
