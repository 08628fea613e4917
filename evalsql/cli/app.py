"""The commands, each with the function that runs it, which is imported when it is called; and the guides."""

import difflib
import os
import shlex
import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from evalsql.errors import UsageError
from evalsql.phrases import read_cells

_DOCS = Path(__file__).resolve().parent.parent / "docs"
_WIDTH = 100
_RULE = "\u2500"
# Of every ``typer.Typer``.
_PLAIN: dict[str, Any] = {"add_completion": False, "rich_markup_mode": None, "pretty_exceptions_enable": False}


def _listed(of: str) -> Mapping[str, Sequence[str]]:
    """What is listed there, by headings; see the table."""
    table = read_cells(Path(__file__).with_name("commands.tsv"))
    return {heading: listed.split() for place, heading, listed in table if place == of}


_COMMANDS, _GUIDES = _listed("evalsql"), _listed("help")


class _FewConverted:
    """A command whose defaults and texts stay as they are: Typer converts by pydantic, whose import takes .15 s.

    Its help has arguments first, then its own options, then those of groups under their headings.
    """

    def get_params(self, ctx: Any) -> Any:
        parameters = super().get_params(ctx)  # type: ignore[misc]
        for each in parameters:
            if "process_value" not in vars(each):
                each.process_value = partial(_processed, each, each.process_value)
        return parameters

    def format_options(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[Any]] = {"Arguments": [], "Options": []}
        for each in self.get_params(ctx):
            heading = getattr(each, "rich_help_panel", None) if each.param_type_name == "option" else "Arguments"
            if record := each.get_help_record(ctx):
                sections.setdefault(heading or "Options", []).append(record)
        _write_sections(formatter, sections)
        if hasattr(self, "commands"):
            self.format_commands(ctx, formatter)  # type: ignore[attr-defined]


def _write_sections(formatter: Any, sections: Mapping[str, Sequence[tuple[str, str]]]) -> None:
    for heading, rows in sections.items():
        if rows:
            with formatter.section(heading):
                formatter.write_dl(rows)


def _processed(parameter: Any, convert: Callable[[Any, Any], Any], ctx: Any, value: Any) -> Any:
    kind = getattr(parameter, "type_descriptor", None)  # None in older versions of Typer, which use no pydantic
    is_text = kind is not None and kind.annotation in (str, list[str]) and kind.parameter_info.parser is None
    is_default = kind is not None and (value is None or value is parameter.default)
    if not (is_text or is_default) or (parameter.required and not value):
        return convert(ctx, value)
    if parameter.multiple or parameter.nargs == -1:
        value = list(value or ())
    return parameter.callback(ctx, parameter, value) if parameter.callback else value


class _Command(_FewConverted, TyperCommand):
    pass


def _group(places: Mapping[str, Sequence[str]], meaning: str, **settings: Any) -> typer.Typer:
    """A group of commands such as "load.runs", by headings; each is imported when it is called; ``eval_`` is eval."""
    by_name = {each.rpartition(".")[2].rstrip("_"): each for these in places.values() for each in these}

    class LazyGroup(_FewConverted, TyperGroup):
        def list_commands(self, ctx: Any) -> list[str]:
            return list(by_name)

        def format_commands(self, ctx: Any, formatter: Any) -> None:
            width = max(map(len, by_name))
            rows = {}
            for name, place in by_name.items():
                meaning = self.get_command(ctx, name).get_short_help_str(formatter.width - 6 - width)
                rows[place] = f"{name:<{width}}", meaning
            _write_sections(formatter, {heading: [rows[each] for each in these] for heading, these in places.items()})

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            if cmd_name in by_name and cmd_name not in self.commands:
                module, _, attribute = by_name[cmd_name].partition(".")
                self.commands[cmd_name] = _command(cmd_name, getattr(import_module(f"evalsql.cli.{module}"), attribute))
            return self.commands.get(cmd_name)

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            if args[0] not in by_name:
                # For "did you mean", which looks at the commands that are here.
                for name in by_name:
                    self.get_command(ctx, name)
                if ctx.info_name == "load" and os.path.exists(name := args[0]):
                    how = f"evalsql load runs {shlex.quote(name)} takes it for a run, load qrels for judgments"
                    ctx.fail(f'"{name}" is a file; {how}')
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

    group = typer.Typer(**{**_PLAIN, "cls": LazyGroup, "help": meaning, "no_args_is_help": True, **settings})
    group.callback()(lambda: None)  # Typer takes no group without one
    return group


def _command(name: str, found: Any) -> Any:
    if not isinstance(found, typer.Typer):
        function, found = found, typer.Typer(**_PLAIN)
        found.command(cls=_Command)(function)
    made: Any = get_command(found)
    made.name = name
    return made


load = _group(
    _listed("load"),
    "Load judgments, runs and measures of your own.\n\nExample: evalsql load runs 'runs/*.run' --qrels sample",
)
export = _group(
    _listed("export"),
    "Write runs, judgments, values or a whole warehouse.\n\nExample: evalsql export runs 'rerank-*' -o trec",
)
spark = _group(_listed("spark"), "Evaluate runs on a Spark cluster.\n\nExample: evalsql spark eval --help")
app = _group(
    _COMMANDS,
    "An evaluation warehouse for information retrieval: runs and judgments in DuckDB, measures as SQL.",
    name="evalsql",
    context_settings={"help_option_names": ["--help", "-h"]},
    add_completion=True,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from evalsql.version import __version__

        typer.echo(f"evalsql {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options that stand before the command."""


def help_(
    context: typer.Context, topic: str | None = typer.Argument(None, help="A guide; without one the topics are listed.")
) -> None:
    """Print a guide, or the list of guides.

    Example: evalsql help loading
    """
    guides = {path.stem: path.read_text(encoding="utf-8") for path in sorted(_DOCS.glob("*.md"))}
    if topic is None:
        width = max(map(len, guides))
        print("evalsql help TOPIC prints a guide; evalsql COMMAND --help the options of a command", file=sys.stderr)
        for heading, names in _GUIDES.items():
            typer.echo(f"{heading}:")
            for name in names:
                typer.echo(f"  {name:<{width}}  {guides[name].partition(chr(10))[0].removeprefix('# ')}")
        return
    name = topic.lower().removesuffix(".md")
    if name in guides:
        typer.echo(printed(guides[name]))
        return
    root: Any = context.find_root()
    near = difflib.get_close_matches(name, guides, n=3, cutoff=0.5)
    counts = Counter({guide: text.lower().count(name) for guide, text in guides.items()})
    advice = f"nearest: {', '.join(near or guides)}"
    if name in root.command.list_commands(root):
        advice = f"evalsql {name} --help shows the command, evalsql help lists the guides"
    elif not near and any(counts.values()):
        advice = f"guides that speak of it: {', '.join(guide for guide, _ in (+counts).most_common(3))}"
    raise UsageError(f'there is no guide "{name}"; {advice}')


def printed(markdown: str) -> str:
    """A guide as a terminal shows it; elsewhere as plain text, a hundred characters wide. Code is never wrapped."""
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.markdown import CodeBlock, Markdown
    from rich.text import Text

    from evalsql.report.terminal import can_write

    class Code(CodeBlock):
        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            indented = textwrap.indent(str(self.text).rstrip(), "    ")
            yield Text(indented, "markdown.code_block", no_wrap=True, overflow="ignore")

    class Guide(Markdown):
        elements: ClassVar = {**Markdown.elements, "fence": Code, "code_block": Code}

    is_terminal = sys.stdout.isatty()
    width = min(_WIDTH, shutil.get_terminal_size().columns) if is_terminal else _WIDTH
    stream = StringIO()
    Console(file=stream, width=width, force_terminal=is_terminal).print(Guide(markdown), crop=False)
    text = "\n".join(map(str.rstrip, stream.getvalue().splitlines())).strip()
    if can_write(text, sys.stdout):
        return text
    encoding = sys.stdout.encoding  # an ASCII terminal gets dashes for the lines of tables
    return text.replace(_RULE, "-").encode(encoding, "replace").decode(encoding)
