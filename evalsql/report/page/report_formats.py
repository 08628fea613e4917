"""The sections of a report with their tables, and the report as Markdown, LaTeX and JSON."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import StringIO
from typing import Any, NamedTuple, TextIO

from evalsql.report import comparison, markup
from evalsql.report.page.report_data import ReportData
from evalsql.report.table import Table

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
    """A heading, a paragraph, and tables with their titles."""

    name: str
    title: str
    text: str
    tables: Sequence[tuple[str, Table]] = ()


def sections(report: ReportData) -> list[Section]:
    """Everything a report shows, in order; the leaderboard's table is written by each format itself."""
    return [section for section in _all_sections(report) if section.name not in report.without]


def _all_sections(report: ReportData) -> list[Section]:
    empty = Table((), ())
    tables = dict.fromkeys(_OPTIONAL, empty) | dict(report.tables)
    return [
        Section("leaderboard", "Leaderboard", _leaderboard_text(report)),
        Section(
            "differences",
            "Differences",
            "How a run does on each topic compared with another; bars above zero are topics where it is better.",
            _pairs(report),
        ),
        Section(
            "topics",
            "Topics by systems",
            "The value of each run on each topic.",
            [(f"{name} by topic", _by_topic(report, name)) for name in report.names[:1]],
        ),
        Section(
            "precision-recall",
            "Precision and recall",
            "Interpolated precision at eleven levels of recall, mean over topics, and by topic for one run.",
            [("Precision at levels of recall", _spread(tables["pr"], "run", "recall", "precision", report.runs))],
        ),
        Section(
            "roc",
            "ROC",
            "True against false positive rate as the score falls, topics pooled by score; the curve by points no "
            "further apart than a hundredth.",
        ),
        Section(
            "distribution",
            "Spread over topics",
            "Least and greatest value over topics, quartiles and median.",
            [("Spread over topics", tables["distribution"])],
        ),
        Section(
            "threshold",
            "Threshold of TAP-k",
            "The number of false positives that half of the topics show, against the score of the run; the dashed line "
            "is the score at which TAP-5 cuts it.",
            [("Scores at which TAP-5 cuts", _cuts(tables["tap"]))],
        ),
        Section(
            "agreement",
            "Agreement of measures",
            "How far two measures put the runs into the same order: Kendall's tau-b, tau_AP and Spearman's rho.",
            [("Agreement of measures", tables["agreement"])],
        ),
        Section(
            "unjudged",
            "Unjudged documents",
            "The share of the documents down to each rank that nobody judged. What is not judged counts as not "
            "relevant in most measures.",
            [("Unjudged share by rank", _spread(tables["unjudged"], "run", "k", "unjudged", report.runs))],
        ),
        Section(
            "provenance",
            "Where the data comes from",
            f"Made by evalsql {report.program_version}.",
            [("Judgments", tables["qrels"]), ("Runs", tables["runs"])],
        ),
    ]


def _leaderboard_text(report: ReportData) -> str:
    text = "Means over the topics"
    if report.tables["intervals"].rows:
        text += ", below them Student's interval at 95%, cut at the ends of the measure's range"
    text += "; the best in bold."
    if report.comparison is None:
        return text
    notes = " ".join(["", *report.comparison.notes])
    return (
        f"{text} A superscript names the systems that are significantly worse, or their number where there are many "
        f"({report.comparison.how}, each measure by itself).{notes}"
    )


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


def write_markdown(report: ReportData, stream: TextIO, digits: int) -> None:
    """The report's text and tables; tables too large to read are left to the page and to JSON, and it says so."""
    escape = markup.escape_markdown
    stream.write(f"# {escape(report.heading)}\n\n")
    stream.writelines(f"- {escape(each.text.strip())}\n" for each in report.notices)
    for section in _to_read(report, digits):
        stream.write(f"\n## {escape(section.title)}\n\n")
        if section.name == "leaderboard":
            _leaderboard(report, stream, digits, comparison.write_markdown, markup.write_markdown)
        stream.write(section.text)
        for title, table in section.tables:
            stream.write(f"**{escape(title)}**\n\n")
            if _is_large(table):
                stream.write(f"{len(table.rows)} rows, which the JSON has.\n\n")
            else:
                markup.write_markdown(table, stream, digits)
                stream.write("\n")


def write_latex(report: ReportData, stream: TextIO, digits: int) -> None:
    """Sections for a document with booktabs."""
    escape = markup.escape_latex
    stream.write(f"\\section{{{escape(report.heading)}}}\n")
    for each in report.notices:
        stream.write(f"{escape(each.text.strip())}\n\n")
    for section in _to_read(report, digits):
        stream.write(f"\\subsection{{{escape(section.title)}}}\n")
        if section.name == "leaderboard":
            _leaderboard(report, stream, digits, comparison.write_latex, markup.write_tabular)
        stream.write(section.text)
        for title, table in section.tables:
            if _is_large(table):
                stream.write(f"{escape(title)}: {len(table.rows)} rows, which the JSON has.\n\n")
                continue
            stream.write(f"\\begin{{table}}\n\\caption{{{escape(title)}}}\n")
            markup.write_tabular(table, stream, digits)
            stream.write("\\end{table}\n\n")


def _to_read(report: ReportData, digits: int) -> Iterator[Section]:
    """The sections for a document without charts: the paragraphs are about these, and only say what is elsewhere."""
    for section in sections(report):
        tables = _intervals(report, digits) if section.name == "leaderboard" else section.tables
        is_elsewhere = section.name != "leaderboard" and not tables
        yield section._replace(text="In the page and in JSON.\n\n" if is_elsewhere else "", tables=tables)


def _is_large(table: Table) -> bool:
    return len(table.rows) * len(table.columns) > LARGEST


def _leaderboard(report: ReportData, stream: TextIO, digits: int, compared: Any, plain: Any) -> None:
    if report.comparison is None:
        plain(report.leaderboard, stream, digits)
        return
    board = report.leaderboard
    means: Any = {(row[0], measure): row[at] for row in board.rows for at, measure in enumerate(report.names, start=1)}
    text = StringIO()
    compared([report.comparison._replace(board=means, counts=board.counts)], text, digits)
    stream.write(text.getvalue())


def write_json(report: ReportData, stream: TextIO, digits: int) -> None:
    """Every table in full precision, by name: a list of objects each."""
    tables = {"leaderboard": report.leaderboard, **report.tables}
    content: dict[str, Any] = {
        "qrels": report.qrels,
        "measures": report.names,
        "notices": [each.text.strip() for each in report.notices],
        "evalsql_version": report.program_version,
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
    ".md": write_markdown,
    ".tex": write_latex,
    ".json": write_json,
}
EXTENSIONS = (".html", *WRITERS)
PAGE_DIGITS, DIGITS = 3, 4  # decimals on a page, and elsewhere


def _plain(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ")
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
