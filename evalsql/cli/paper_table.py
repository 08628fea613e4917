"""``evalsql table``: a paper's table, described once and made again when runs change."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Annotated, Literal

import typer

from evalsql.cli.compare import note_results
from evalsql.cli.groups import grouped_options
from evalsql.cli.notes import note, note_coverage
from evalsql.cli.opening import open_warehouse
from evalsql.cli.options import Output, OwnMeasures
from evalsql.cli.outputs import protected_files, write_bytes
from evalsql.cli.where import MemoryLimit, Where
from evalsql.errors import UsageError
from evalsql.report import comparison
from evalsql.report.paper import made_from, paper_comparison, read_paper

_FORMATS = {".tex": "latex", ".md": "markdown"}


@grouped_options
def table(
    *,
    description: Annotated[
        Path, typer.Argument(metavar="FILE", help="A TOML file with systems, measures, test, order and caption.")
    ],
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit with 1 where --output is not what would be written.")
    ] = False,
    own: OwnMeasures,
    memory_limit: MemoryLimit = None,
    output: Output = None,
    written_as: Annotated[
        Literal["latex", "markdown"] | None,
        typer.Option("--format", help="By default what --output's extension says, else latex."),
    ] = None,
    where: Where,
) -> None:
    """A paper's table, described in a TOML file.

    The same call makes it again when runs have changed. evalsql help reports has the keys of the file.

    Example: evalsql table paper.toml -o table.tex
    """
    if check and output is None:
        raise UsageError("--check compares with a file, name it with --output")
    if output is not None and written_as is None and output.suffix.lower() not in _FORMATS:
        raise UsageError(f"{output}: say which --format; the extensions known are {', '.join(_FORMATS)}")
    chosen = written_as or ("latex" if output is None else _FORMATS[output.suffix.lower()])
    paper = read_paper(description)
    with open_warehouse(where, read_only=True, measures=own.paths, memory_limit=memory_limit) as warehouse:
        compared = paper_comparison(warehouse, paper)
        text = StringIO(made_from(paper, compared) if chosen == "latex" else "")
        text.seek(0, 2)
        write = comparison.write_latex if chosen == "latex" else comparison.write_markdown
        write([compared], text, paper.digits)
        keep = [*protected_files(warehouse), str(description)]
        note_results(compared, "")
        note_coverage(warehouse, [compared.qrels], compared.runs)
    content = text.getvalue().encode()
    if check and output is not None:
        _check(output, content)
    elif output is not None:
        write_bytes(content, output, keep=keep)
    else:
        typer.echo(text.getvalue(), nl=False)


def _check(output: Path, content: bytes) -> None:
    """Exit with 1 where the file is not what would be written."""
    try:
        held = output.read_bytes()
    except OSError as error:
        raise UsageError(f"{output}: cannot be read: {error.strerror}") from error
    if held != content:
        note(f"{output}: is not what would be written now; the same call without --check writes it")
        raise typer.Exit(1)
