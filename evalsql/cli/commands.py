"""How functions become commands: options in groups, words in several spellings, imports only at the call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import partial, wraps
from importlib import import_module
from typing import Any, Literal, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperGroup
from typer.main import get_command

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
_IGNORED = str.maketrans("", "", " -_'")


def grouped_options(command: Callable[..., None]) -> Callable[..., None]:
    """Replace each parameter that is a dataclass by its fields, so that Typer reads them as options of their own."""
    signature = inspect.signature(command, eval_str=True)
    groups: dict[str, Any] = {
        name: each.annotation for name, each in signature.parameters.items() if is_dataclass(each.annotation)
    }
    parameters: list[inspect.Parameter] = []
    for name, parameter in signature.parameters.items():
        parameters += _options(groups[name]) if name in groups else [parameter.replace(kind=parameter.KEYWORD_ONLY)]
    for parameter in parameters:
        _accept_spellings(parameter.annotation)

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


def _accept_spellings(annotation: Any) -> None:
    """Let an option of a ``Literal`` take its words in any spelling."""
    value_type, *described = get_args(annotation) or (annotation,)
    for kind in (value_type, *get_args(value_type)):
        if get_origin(kind) is Literal:
            described[0].parser = partial(_parse_word, words=get_args(kind))


def _parse_word(text: str, words: tuple[str, ...]) -> str:
    word = meant_word(text, words)
    if word is None:
        raise typer.BadParameter(f'"{text}" is none of {", ".join(words)}')
    return word


def meant_word(text: str, words: tuple[str, ...]) -> str | None:
    """Which of the words a text means: in any case, with blanks, hyphens or underscores, or by another name."""
    plain = text.lower().translate(_IGNORED)
    for word in words:
        if plain in (word.lower().translate(_IGNORED), *_SPELLINGS.get(word, "").split()):
            return word
    return None


def lazy_group(places: Mapping[str, str], contexts: Mapping[str, dict[str, Any]] = {}) -> type[TyperGroup]:
    """A group of commands that are imported when they are called.

    Args:
        places: by the commands' names, in the order of the help, where each is below this package: "load.runs".
        contexts: context settings of those commands that have any.
    """

    class LazyGroup(TyperGroup):
        def list_commands(self, ctx: Any) -> list[str]:
            return list(places)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            if cmd_name in places and cmd_name not in self.commands:
                module, _, attribute = places[cmd_name].rpartition(".")
                found = getattr(import_module(f"evalsql.cli.{module}"), attribute)
                self.commands[cmd_name] = _command(cmd_name, found, contexts.get(cmd_name))
            return self.commands.get(cmd_name)

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            if args[0] not in places:
                # For "did you mean", which looks at the commands that are here.
                for name in places:
                    self.get_command(ctx, name)
            return super().resolve_command(ctx, args)

        def invoke(self, ctx: Any) -> Any:
            try:
                return super().invoke(ctx)
            except typer.BadParameter as error:
                # What pydantic says of a number does not name it.
                for each in getattr(error.__cause__, "errors", list)():
                    error.message = f'"{each["input"]}": {each["msg"]}'
                error.__cause__ = None
                raise

    return LazyGroup


def typer_group(places: Mapping[str, str], meaning: str) -> typer.Typer:
    """A lazy group as a command that has commands of its own, such as ``load``; its help starts with the meaning."""
    group = typer.Typer(
        cls=lazy_group(places), help=meaning, no_args_is_help=True, add_completion=False, rich_markup_mode=None
    )
    group.callback()(lambda: None)  # Typer takes no group without one
    return group


def _command(name: str, found: Any, settings: dict[str, Any] | None) -> Any:
    if isinstance(found, typer.Typer):
        group: Any = get_command(found)
        group.name = name
        return group
    one = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    one.command(name, context_settings=settings)(found)
    return get_command(one)
