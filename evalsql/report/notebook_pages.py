"""Charts and reports that show themselves in a notebook, and go into files."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from evalsql.database.whole_files import whole_files
from evalsql.errors import UsageError
from evalsql.report import charts
from evalsql.report.drawing import Drawing
from evalsql.report.page.report_data import ON_REQUEST, ReportData
from evalsql.report.page.report_formats import DIGITS, EXTENSIONS, PAGE_DIGITS, SECTIONS, WRITERS

_ONLY_PAGE = ("pr_topics", "roc_topics")  # charts that only the page of a report has rows for
VEGA_LITE = "application/vnd.vegalite.v5+json"
_HEIGHT = 720  # pixels of a report within a notebook
_MOST_BYTES = 8_000_000  # of a page that a notebook's file takes in


class Chart:
    """One chart of a report: an SVG, drawn without a network, and the Vega-Lite specification beside it.

    Attributes:
        specification: what Vega-Lite draws, with its data.
        rows: the rows that are drawn.
        notes: what is to be said of it, such as how many systems are left out.
    """

    def __init__(self, name: str, drawn: Drawing, look: charts.Look = charts.AS_IT_IS) -> None:
        self.name = name
        self.rows = drawn.table
        self.notes = drawn.notes
        self._of = drawn.of
        self._look = look
        self.specification: dict[str, Any] = charts.specification(name, drawn.table, drawn.of, look)

    def save(self, path: str | Path) -> None:
        """Write the chart to a file, whose extension says how: .png, .svg, .pdf or .html; what is there is replaced.

        Raises:
            UsageError: the extension says nothing, or the file cannot be written.
        """
        path = Path(path)
        if path.suffix.lower() not in charts.EXTENSIONS:
            raise UsageError(f"{path}: charts are drawn as {', '.join(charts.EXTENSIONS)}")
        _write(path, charts.draw(self.name, self.rows, path.suffix.lower(), self._of, self._look))

    def __repr__(self) -> str:
        of = f" of {self._of}" if self._of else ""
        said = "".join(f"; {note}" for note in self.notes)
        return f"<chart {self.name}{of}, {len(self.rows.rows):,} rows; .save(FILE) writes it{said}>"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        svg = charts.draw(self.name, self.rows, ".svg", self._of, self._look).decode()
        return {VEGA_LITE: self.specification, "image/svg+xml": svg, "text/plain": repr(self)}


class Report:
    """A report of systems on one judgment set; a notebook shows its page.

    Attributes:
        page: the page, which needs no network.
    """

    def __init__(self, gather: Callable[[bool], ReportData], digits: int | None = None) -> None:
        from evalsql.report.page.html_page import page

        self._gather = gather
        self._digits = digits
        found = gather(True)
        self._heading = found.heading
        self._num_runs = len(found.runs)
        self.page = page(found, PAGE_DIGITS if digits is None else digits)

    def save(self, path: str | Path) -> None:
        """Write the report to a file: a page (.html), or .md, .tex or .json; what is there is replaced.

        Raises:
            UsageError: the extension tells no format, or the file cannot be written.
        """
        path = Path(path)
        extension = path.suffix.lower()
        if extension not in EXTENSIONS:
            raise UsageError(f"{path}: a report is written as {', '.join(EXTENSIONS)}")
        if extension == ".html":
            _write(path, self.page.encode())
            return
        text = StringIO()
        WRITERS[extension](self._gather(False), text, DIGITS if self._digits is None else self._digits)
        _write(path, text.getvalue().encode())

    def __repr__(self) -> str:
        return f"<report: {self._heading}, {self._num_runs:,} runs; .save(FILE) writes it>"

    def _repr_html_(self) -> str:
        if len(self.page) > _MOST_BYTES:
            return f"<p>{html.escape(repr(self))}</p>"
        # The page stands in a frame of its own: its style and scripts reach nothing of the notebook. Without a base of
        # its own its links would be those of the notebook.
        page = self.page.replace("<head>", '<head><base href="about:srcdoc">', 1)
        return (
            f'<iframe srcdoc="{html.escape(page)}" sandbox="allow-scripts allow-popups" title="report" '
            f'style="width:100%;height:{_HEIGHT}px;border:1px solid rgba(128,128,128,.4)"></iframe>'
        )


def checked_chart(name: str) -> str:
    """The name of a chart; raises UsageError if there is none of that name."""
    known = [each for each in charts.names() if each not in _ONLY_PAGE]
    if name not in known:
        raise UsageError(f'there is no chart "{name}"; there are: {", ".join(known)}')
    return name


def check_sections(shown: Sequence[str], without: Sequence[str]) -> None:
    """Raise UsageError for sections that a report does not have, or does not leave out."""
    for what, given, known in (("shown", shown, ON_REQUEST), ("without", without, SECTIONS)):
        if unknown := [name for name in given if name not in known]:
            raise UsageError(f'{what}: there is no section "{unknown[0]}"; it takes {", ".join(known)}')


def _write(path: Path, content: bytes) -> None:
    with whole_files(path, replace=True, one=True) as part:
        (part / path.name).write_bytes(content)
