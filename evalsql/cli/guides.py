"""``evalsql help``: the guides under ``docs/``, on the terminal."""

from __future__ import annotations

import difflib
import shutil
import sys
import textwrap
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from evalsql.errors import UsageError

DOCS = Path(__file__).resolve().parent.parent / "docs"
_WIDTH = 100


def show_guide(
    context: typer.Context,
    topic: Annotated[str | None, typer.Argument(help="A guide; without one the topics are listed.")] = None,
) -> None:
    """Print a guide, or the list of guides.

    Example: evalsql help loading
    """
    guides = {path.stem: path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("*.md"))}
    if topic is None:
        width = max(map(len, guides))
        lines = [f"{name:<{width}}  {_title(text)}" for name, text in guides.items()]
        print("evalsql help TOPIC prints a guide; evalsql COMMAND --help the options of a command", file=sys.stderr)
        typer.echo("\n".join(lines))
        return
    name = topic.lower().removesuffix(".md")
    if name not in guides:
        raise UsageError(_unknown(context, name, guides))
    typer.echo(printed(guides[name]))


def _title(text: str) -> str:
    return text.partition("\n")[0].removeprefix("# ")


def _unknown(context: typer.Context, topic: str, guides: Mapping[str, str]) -> str:
    """The names nearest to a topic that has no guide, the guides that speak of it, and the command that it may be."""
    root = context.find_root()
    group = root.command
    if topic in getattr(group, "list_commands", lambda _: [])(root):
        return f'there is no guide "{topic}"; evalsql {topic} --help shows the command, evalsql help lists the guides'
    near = difflib.get_close_matches(topic, guides, n=3, cutoff=0.5)
    counts = {name: text.lower().count(topic) for name, text in guides.items()}
    told = sorted((name for name in guides if counts[name]), key=lambda name: -counts[name])[:3]
    if told and not near:
        return f'there is no guide "{topic}"; guides that speak of it: {", ".join(told)}'
    near = near or list(guides)
    return f'there is no guide "{topic}"; nearest: {", ".join(near)}'


def printed(markdown: str) -> str:
    """A guide as a terminal shows it; elsewhere as plain text, a hundred characters wide. Code is never wrapped."""
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.markdown import CodeBlock, Markdown
    from rich.text import Text

    class Code(CodeBlock):
        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            yield Text(
                textwrap.indent(str(self.text).rstrip(), "    "), "markdown.code_block", no_wrap=True, overflow="ignore"
            )

    class Guide(Markdown):
        elements: ClassVar = {**Markdown.elements, "fence": Code, "code_block": Code}

    is_terminal = sys.stdout.isatty()
    width = min(_WIDTH, shutil.get_terminal_size().columns) if is_terminal else _WIDTH
    stream = StringIO()
    console = Console(file=stream, width=width, force_terminal=is_terminal)
    console.print(Guide(markdown), crop=False)
    return _encodable("\n".join(map(str.rstrip, stream.getvalue().splitlines())).strip())


def _encodable(text: str) -> str:
    """The text as standard output can print it: an ASCII terminal gets dashes for the lines of tables."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.replace("\N{BOX DRAWINGS LIGHT HORIZONTAL}", "-").encode(encoding, "replace").decode(encoding)
    return text
