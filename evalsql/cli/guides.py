"""``evalsql help``: the guides under ``docs/``, on the terminal."""

from __future__ import annotations

import difflib
import shutil
import sys
import textwrap
from io import StringIO
from pathlib import Path
from typing import Any, ClassVar

import typer

from evalsql.errors import UsageError

DOCS = Path(__file__).resolve().parent.parent / "docs"
_WIDTH = 100
_RULE = "\N{BOX DRAWINGS LIGHT HORIZONTAL}"


def help_(
    context: typer.Context,
    topic: str | None = typer.Argument(None, help="A guide; without one the topics are listed."),
) -> None:
    """Print a guide, or the list of guides.

    Example: evalsql help loading
    """
    guides = {path.stem: path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("*.md"))}
    if topic is None:
        width = max(map(len, guides))
        print("evalsql help TOPIC prints a guide; evalsql COMMAND --help the options of a command", file=sys.stderr)
        for name, text in guides.items():
            typer.echo(f"{name:<{width}}  {text.partition(chr(10))[0].removeprefix('# ')}")
        return
    name = topic.lower().removesuffix(".md")
    if name in guides:
        typer.echo(printed(guides[name]))
        return
    root: Any = context.find_root()
    near = difflib.get_close_matches(name, guides, n=3, cutoff=0.5)
    counts = {guide: text.lower().count(name) for guide, text in guides.items()}
    mentions = sorted(filter(counts.get, guides), key=lambda guide: -counts[guide])[:3]
    if name in root.command.list_commands(root):
        advice = f"evalsql {name} --help shows the command, evalsql help lists the guides"
    elif mentions and not near:
        advice = f"guides that speak of it: {', '.join(mentions)}"
    else:
        advice = f"nearest: {', '.join(near or guides)}"
    raise UsageError(f'there is no guide "{name}"; {advice}')


def printed(markdown: str) -> str:
    """A guide as a terminal shows it; elsewhere as plain text, a hundred characters wide. Code is never wrapped."""
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.markdown import CodeBlock, Markdown
    from rich.text import Text

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
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:  # an ASCII terminal gets dashes for the lines of tables
        return text.replace(_RULE, "-").encode(encoding, "replace").decode(encoding)
    return text
