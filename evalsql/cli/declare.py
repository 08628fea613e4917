"""How commands declare options, arguments and groups of them, and the names that a user's shell completes.

A group is a dataclass. Its ``heading`` stands above its options in the help of a command.
"""

import inspect
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import Field, field, fields, is_dataclass
from functools import partial, wraps
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import typer

from evalsql.catalog.relations import read_catalog
from evalsql.database.engine import connect
from evalsql.database.quack import OTHER, is_address, parse_address
from evalsql.errors import WarehouseError
from evalsql.phrases import read_cells
from evalsql.warehouse.open import default_path

Names = list[str]
PRINTED = "Output"  # the heading of what a command prints and how
silence = {"is_asked": False}  # of notes, by the command that runs
_SPELLINGS: dict[str, str] = dict(read_cells(Path(__file__).with_name("spellings.tsv")))
_IGNORED = str.maketrans("", "", " -_'")
_MOST_TOLD = 200  # characters of an error
_ACTED_ON = re.compile(r"(^| )-|[$`;&|<>!\\]")  # an option, or what bash acts on; it completes words without quotes
# What a shell completes, by kind of name.
_HELD = {
    "runs": "select run from runs order by run",
    "qrels": "select qrels from qrels order by qrels",
    "systems": "select distinct meta['system'] as system from runs where meta['system'] is not null order by system",
    "measures": "select measure from measures order by lower(measure)",
}


def option(words: str, meaning: str | None = None, default: Any = None, *, complete: str = "", **settings: Any) -> Any:
    """An option, as the default of a parameter of a command or of a field of a group; ... makes it required.

    The words are its spellings and what its value is, as in "--output -o FILE"; a shell completes names of a key of
    ``_HELD``.
    """
    *names, last = words.split()
    if last.startswith("-"):
        names.append(last)
        settings["metavar"] = None
    else:
        settings["metavar"] = last
    return _field(typer.Option(default, *names, help=meaning, autocompletion=_completer(complete), **settings))


def flag(words: str, meaning: str | None = None, **settings: Any) -> Any:
    """An option without a value, which is off by default; see ``option``."""
    return option(words, meaning, default=False, **settings)


def argument(meaning: str, default: Any = None, *, complete: str = "", **settings: Any) -> Any:
    """An argument, as the default of a parameter of a command or of a field of a group; ... makes it required."""
    return _field(typer.Argument(default, help=meaning, autocompletion=_completer(complete), **settings))


def _field(described: Any) -> Any:
    return field(default=described.default, metadata={"typer": described})


def command(function: Callable[..., None]) -> Callable[..., None]:
    """A command of a function whose parameters are options, arguments and dataclasses of these; lists may be empty."""
    signature = inspect.signature(function, eval_str=True)
    groups: dict[str, Any] = {}
    parameters: list[inspect.Parameter] = []
    for name, each in signature.parameters.items():
        if is_dataclass(each.annotation):
            groups[name] = each.annotation
            hints = get_type_hints(each.annotation)
            heading = getattr(each.annotation, "heading", None)
            parameters += [_parameter(one.name, hints[one.name], one, heading) for one in fields(each.annotation)]
        else:
            parameters.append(_parameter(name, each.annotation, each.default))
    quiet = flag("--quiet", "Leave out notes and warnings, but no error.")
    parameters.append(_parameter("quiet", bool, quiet, PRINTED))
    lists = [each.name for each in parameters if each.annotation == Names]

    @wraps(function)
    def with_groups(quiet: bool = False, **values: Any) -> None:
        silence["is_asked"] = quiet
        values |= {name: values[name] or [] for name in lists}
        for name, group in groups.items():
            values[name] = group(**{each.name: values.pop(each.name) for each in fields(group)})
        try:
            function(**values)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            asked = next(filter(is_address, (str(getattr(each, "path", "")) for each in values.values())), None)
            if asked is None:
                raise
            # Rows of somebody else's server can be any.
            told = f"{parse_address(asked).url}: {OTHER} ({type(error).__name__}: {str(error)[:_MOST_TOLD]})"
            raise WarehouseError(told) from error

    with_groups.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_groups.__annotations__ = {each.name: each.annotation for each in parameters}
    return with_groups


def _parameter(name: str, kind: Any, default: Any, heading: str | None = None) -> inspect.Parameter:
    """A parameter as Typer reads it; the words of a ``Literal`` are taken in any spelling."""
    described = default.metadata["typer"] if isinstance(default, Field) else default
    if heading and not described.rich_help_panel:
        described = copy(described)  # another command may have the same option under no heading
        described.rich_help_panel = heading
    for each in (kind, *get_args(kind)):
        if get_origin(each) is Literal:
            described.parser = partial(parse_word, words=get_args(each))
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=described, annotation=kind)


def parse_word(text: str, words: Sequence[str]) -> str:
    """The word that a text means; raises BadParameter for others."""
    if word := meant_word(text, words):
        return word
    raise typer.BadParameter(f'"{text}" is none of {", ".join(words)}')


def meant_word(text: str, words: Sequence[str]) -> str | None:
    """Which of the words a text means: in any case, with blanks, hyphens or underscores, or by another name."""
    plain = text.lower().translate(_IGNORED)
    for word in words:
        if plain in (word.lower().translate(_IGNORED), *_SPELLINGS.get(word, "").split()):
            return word
    return None


def _completer(kind: str) -> Callable[[typer.Context, str], list[str]] | None:
    def complete(context: typer.Context, incomplete: str) -> list[str]:
        return complete_names(kind, context, incomplete)

    return complete if kind else None


def complete_names(kind: str, context: typer.Context, incomplete: str) -> list[str]:
    """Names that start so in the warehouse of the command line; none where it cannot be read now.

    Measures are else those of the package, and are completed behind the last comma, in the case that was typed.
    """
    names: list[str] = []
    with suppress(Exception):
        path = context.params.get("db") or default_path()
        # The relation that is asked may be a stranger's view, which must reach no other file.
        if Path(path).is_file():
            with connect(path, read_only=True, config={"enable_external_access": False}) as connection:
                held = [str(name) for (name,) in connection.execute(_HELD[kind]).fetchall()]
                names = [name for name in held if name.isprintable() and not _ACTED_ON.search(name)]
    if kind != "measures":
        return [name for name in names if name.startswith(incomplete)]
    if not names:
        with suppress(Exception):
            names = sorted((each.header.measure for each in read_catalog().measures), key=str.lower)
    before, comma, typed = incomplete.rpartition(",")
    return [f"{before}{comma}{typed}{name[len(typed) :]}" for name in names if name.lower().startswith(typed.lower())]
