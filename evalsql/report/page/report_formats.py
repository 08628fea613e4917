"""The sections of a report with their tables, and the report as Markdown, LaTeX and JSON."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TextIO

from evalsql.report import comparison, writers
from evalsql.report.page.report_data import ReportData
from evalsql.report.table import Table
from evalsql.version import __version__

LARGEST = 2_000  # cells of a table that is still for reading
MOST_PAIRED = 26  # runs whose pairs are
# Names that --without takes; --with takes those that are shown on request.
SECTIONS = (
    "topics",
    "documents",
    "doubts",
    "precision-recall",
    "roc",
    "distribution",
    "threshold",
    "agreement",
    "unjudged",
    "provenance",
)
_OPTIONAL = ("pr", "pr_topics", "roc", "tap", "distribution", "agreement", "unjudged")


class Section(NamedTuple):
    """A heading, and tables with their titles."""

    name: str
    title: str
    tables: Sequence[tuple[str, Table]] = ()


def sections(report: ReportData) -> list[Section]:
    """Everything a report shows, in order; the leaderboard is written by each format itself."""
    tables = dict.fromkeys(_OPTIONAL, Table((), ())) | dict(report.tables)
    first, runs = report.names[0], report.runs
    levels = _spread(tables["pr"], "run", "recall", "precision", runs)
    unjudged = _spread(tables["unjudged"], "run", "k", "unjudged", runs)
    found = [
        Section("leaderboard", "Leaderboard"),
        Section("differences", "Differences", _pairs(report)),
        Section("topics", "Topics by systems", [(f"{first} by topic", _by_topic(report, first))]),
        Section("precision-recall", "Precision and recall", [("Precision at levels of recall", levels)]),
        Section("roc", "ROC"),
        Section("distribution", "Spread over topics", [("Spread over topics", tables["distribution"])]),
        Section("threshold", "Threshold of TAP-k", [("Scores at which TAP-5 cuts", _cuts(tables["tap"]))]),
        Section("agreement", "Agreement of measures", [("Agreement of measures", tables["agreement"])]),
        Section("unjudged", "Unjudged documents", [("Unjudged share by rank", unjudged)]),
        Section("provenance", "Where the data comes from", [("Judgments", tables["qrels"]), ("Runs", tables["runs"])]),
    ]
    return [section for section in found if section.name not in report.without]


def _pairs(report: ReportData) -> list[tuple[str, Table]]:
    """Pairs of runs by the first measure, where they are few enough to be read."""
    if report.comparison is None or len(report.runs) > MOST_PAIRED:
        return []
    shown = ("baseline", "run", "difference", "low", "high", "p", "p_corrected", "wins", "ties", "losses")
    name = report.names[0]
    rows = [tuple(pair[column] for column in shown) for pair in report.comparison.pairs if pair["measure"] == name]
    return [(f"Differences of {name}, {report.comparison.how}", Table(shown, rows))]


def _intervals(report: ReportData, digits: int) -> list[tuple[str, Table]]:
    """Intervals of the means as text, a row a run."""
    rows: Sequence[Any] = report.tables["intervals"].rows
    ends = [
        (run, measure, f"{low:.{digits}f} to {high:.{digits}f}")
        for measure, run, _, low, high in rows
        if low is not None and high is not None
    ]
    if not ends:
        return []
    measures = [name for name in report.names if any(name == measure for _, measure, _ in ends)]
    table = _spread(Table(("run", "measure", "interval"), ends), "run", "measure", "interval", report.runs, measures)
    return [("Student's intervals of the means at 95%, cut at the ends of the measure's range", table)]


def _by_topic(report: ReportData, measure: str) -> Table:
    rows = [(topic, run, value) for name, run, topic, value in report.tables["values"].rows if name == measure]
    return _spread(Table(("topic", "run", "value"), rows), "topic", "run", "value", report.topics, report.runs)


def _spread(
    table: Table, down: str, across: str, value: str, names: Sequence[str], columns: Sequence[Any] | None = None
) -> Table:
    """The same values with a row for each of ``names`` and a column for each of what stands in ``across``."""
    if not table.columns:
        return table
    at = [table.columns.index(name) for name in (down, across, value)]
    cells = {(row[at[0]], row[at[1]]): row[at[2]] for row in table.rows}
    heads = columns or sorted({key for _, key in cells})
    rows = [(name, *(cells.get((name, head)) for head in heads)) for name in names]
    return Table((down, *map(str, heads)), rows)


def _cuts(table: Table) -> Table:
    if not table.columns:
        return table
    places = [table.columns.index(name) for name in ("run", "threshold", "false_positives", "is_chosen")]
    rows = [tuple(row[place] for place in places[:3]) for row in table.rows if row[places[3]]]
    return Table(("run", "threshold", "false_positives"), rows)


class _Markup(NamedTuple):
    """How a document is written: texts take what stands in braces, functions a table or a comparison."""

    escape: Callable[[str], str]
    heading: str
    notice: str
    section: str
    large_table: str
    before_table: str
    after_table: str
    write_table: Callable[[Table, TextIO, int], None]
    write_comparisons: Callable[[Sequence[comparison.Comparison], TextIO, int], None]


_MARKDOWN = _Markup(
    writers.escape_markdown,
    heading="# {}\n\n",
    notice="- {}\n",
    section="\n## {}\n\n",
    large_table="**{}**\n\n{} rows, which the JSON has.\n\n",
    before_table="**{}**\n\n",
    after_table="\n",
    write_table=writers.write_markdown,
    write_comparisons=comparison.write_markdown,
)
_LATEX = _Markup(
    writers.escape_latex,
    heading="\\section{{{}}}\n",
    notice="{}\n\n",
    section="\\subsection{{{}}}\n",
    large_table="{}: {} rows, which the JSON has.\n\n",
    before_table="\\begin{{table}}\n\\caption{{{}}}\n",
    after_table="\\end{table}\n\n",
    write_table=writers.write_tabular,
    write_comparisons=comparison.write_latex,
)


def _write_document(language: _Markup, report: ReportData, stream: TextIO, digits: int) -> None:
    """The report's tables; those too large to read are left to the page and to JSON, and it says so."""
    escape = language.escape
    stream.write(language.heading.format(escape(report.heading)))
    stream.writelines(language.notice.format(escape(each.text.strip())) for each in report.notices)
    for section in sections(report):
        stream.write(language.section.format(escape(section.title)))
        tables = section.tables
        if section.name == "leaderboard":
            _write_leaderboard(language, report, stream, digits)
            tables = _intervals(report, digits)
        elif not tables:
            stream.write("In the page and in JSON.\n\n")
        for title, table in tables:
            if len(table.rows) * len(table.columns) > LARGEST:
                stream.write(language.large_table.format(escape(title), len(table.rows)))
                continue
            stream.write(language.before_table.format(escape(title)))
            language.write_table(table, stream, digits)
            stream.write(language.after_table)


def _write_leaderboard(language: _Markup, report: ReportData, stream: TextIO, digits: int) -> None:
    """With what is significantly better, where there are several runs."""
    board = report.leaderboard
    if report.comparison is None:
        language.write_table(board, stream, digits)
        return
    means: Any = {(row[0], measure): row[at] for row in board.rows for at, measure in enumerate(report.names, start=1)}
    language.write_comparisons([report.comparison._replace(board=means, counts=board.counts)], stream, digits)


def write_json(report: ReportData, stream: TextIO, digits: int) -> None:
    """Every table in full precision, by name: a list of objects each."""
    tables = {"leaderboard": report.leaderboard, **report.tables}
    content: dict[str, Any] = {
        "qrels": report.qrels,
        "measures": report.names,
        "notices": [each.text.strip() for each in report.notices],
        "evalsql_version": __version__,
        **{
            name: [dict(zip(table.columns, map(_plain, row), strict=True)) for row in table.rows]
            for name, table in tables.items()
        },
        "comparisons": report.comparison.pairs if report.comparison else [],
    }
    json.dump(content, stream, ensure_ascii=False, indent=1, default=str)
    stream.write("\n")


# How a report is written for each extension; a page (.html) is another module's.
WRITERS: Mapping[str, Callable[[ReportData, TextIO, int], None]] = {
    ".md": partial(_write_document, _MARKDOWN),
    ".tex": partial(_write_document, _LATEX),
    ".json": write_json,
}
EXTENSIONS = (".html", *WRITERS)
PAGE_DIGITS, DIGITS = 3, 4  # decimals on a page, and elsewhere


def _plain(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ")
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
