"""Commands that cost their imports only when they are called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperGroup
from typer.main import get_command
from typer.models import ParameterInfo

from evalsql.cli import values


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
            if not values.converts(wanted):
                return process_value(ctx, value)
            try:
                converted = [values.convert(each, wanted, *limits) for each in (value if several else [value])]
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
