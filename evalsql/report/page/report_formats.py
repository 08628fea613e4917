"""The sections of a report with their tables, and the report as Markdown, LaTeX and JSON."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from evalsql.errors import UsageError
from evalsql.report import writers
from evalsql.report.html import MINUS
from evalsql.report.page.report_data import ON_REQUEST, ReportData
from evalsql.report.page.verdicts import answers
from evalsql.report.table import Table
from evalsql.version import __version__

LARGEST = 2_000  # cells of a table that is still for reading
# Names that --without takes; --with takes those that are shown on request.
SECTIONS = (
    *("topics", "documents", "doubts", "precision-recall", "roc", "distribution", "threshold", "agreement", "unjudged"),
    *("judges", "costs", "provenance"),
)


def check_sections(given: Mapping[str, Collection[str]]) -> None:
    """Raise UsageError for sections there are none of, by the options that show some and that leave some out."""
    for (option, named), known in zip(given.items(), (ON_REQUEST, SECTIONS), strict=True):
        if unknown := [name for name in named if name not in known]:
            raise UsageError(f"{option} {unknown[0]}: there is no such section; it takes {', '.join(known)}")


class Section(NamedTuple):
    name: str
    title: str
    tables: Sequence[tuple[str, Table]] = ()  # with their titles


def sections(report: ReportData) -> list[Section]:
    """Everything a report shows, in order; the leaderboard is written by each format itself."""
    first, runs = report.names[0], report.runs
    values = report.rows("values", "measure", "topic", "run", "value")
    by_topic = _spread("topic", [row for measure, *row in values if measure == first], report.topics, runs)
    levels = _spread("run", report.rows("pr", "run", "recall", "precision"), runs)
    unjudged = _spread("run", report.rows("unjudged", "run", "k", "unjudged"), runs)
    cut_at = ("run", "threshold", "false_positives")
    cuts = Table(cut_at, [row for *row, is_chosen in report.rows("tap", *cut_at, "is_chosen") if is_chosen])

    def whole(title: str, name: str) -> list[tuple[str, Table]]:
        return [(title, report.tables.get(name, Table((), ())))]

    found = [
        Section("leaderboard", "Leaderboard"),
        Section("differences", "Differences", _pairs(report)),
        Section("topics", "Topics by systems", [(f"{first} by topic", by_topic)]),
        Section("precision-recall", "Precision and recall", [("Precision at levels of recall", levels)]),
        Section("roc", "ROC"),
        Section("distribution", "Spread over topics", whole("Spread over topics", "distribution")),
        Section("threshold", "Threshold of TAP-k", [("Scores at which TAP-5 cuts", cuts)]),
        Section("agreement", "Agreement of measures", whole("Agreement of measures", "agreement")),
        Section("unjudged", "Unjudged documents", [("Unjudged share by rank", unjudged)]),
        Section("provenance", "Where the data comes from", [*whole("Judgments", "qrels"), *whole("Runs", "runs")]),
    ]
    if sets := list(dict.fromkeys(str(name) for (name,) in report.rows("judges", "qrels"))):
        kappas = _spread("judgments", report.rows("judges", "qrels", "other", "kappa"), sets, sets)
        found.insert(-1, Section("judges", "Agreement of judgment sets", [("Cohen's kappa of each pair", kappas)]))
    if report.rows("costs", "run"):
        found.insert(-1, Section("costs", "Costs", whole("What runs cost over the topics that have a number", "costs")))
    return [section for section in found if section.name not in report.without]


def _pairs(report: ReportData) -> list[tuple[str, Table]]:
    """Runs beside the baseline by the first measure."""
    if report.comparison is None:
        return []
    shown = ("baseline", "run", "difference", "low", "high", "p", "p_corrected", "wins", "ties", "losses")
    name = report.names[0]
    rows = [tuple(pair[column] for column in shown) for pair in report.comparison.pairs if pair["measure"] == name]
    return [(f"Differences of {name}, {report.comparison.how}", Table(shown, rows))]


def _intervals(report: ReportData, digits: int) -> list[tuple[str, Table]]:
    cells = [
        (run, name, f"{mean.low:.{digits}f} to {mean.high:.{digits}f}")
        for name in report.names
        for run, mean in report.means[name].items()
        if mean.low is not None and mean.high is not None
    ]
    title = "Student's intervals of the means at 95%, cut at the ends of the measure's range"
    names = list(dict.fromkeys(name for _, name, _ in cells))
    return [(title, _spread("run", cells, report.runs, names))] if cells else []


def _spread(
    down: str, rows: Iterable[Sequence[Any]], names: Sequence[str], columns: Sequence[Any] | None = None
) -> Table:
    """Rows of a name, a column and a value as a table with a row for each of ``names`` and those columns."""
    cells = {(name, column): value for name, column, value in rows}
    heads = columns or sorted({column for _, column in cells})
    return Table((down, *map(str, heads)), [(name, *(cells.get((name, head)) for head in heads)) for name in names])


# By language how a title, a notice, a section, a table left out and a table shown begin; how the last ends.
_TEXTS: Mapping[str, Sequence[str]] = {
    "markdown": ("# {}\n\n", "- {}\n", "\n## {}\n\n", "**{}**\n\n", "**{}**\n\n", "\n"),
    "latex": (
        *("\\section{{{}}}\n", "{}\n\n", "\\subsection{{{}}}\n", "{}: "),
        *("\\begin{{table}}\n\\caption{{{}}}\n", "\\end{table}\n\n"),
    ),
}


def _document(language: str, report: ReportData, digits: int) -> str:
    """The report's tables; those too large to read are left to the page and to JSON, and it says so."""
    heading, notice, part, left_out, begin, end = _TEXTS[language]
    escape = {"markdown": writers.escape_markdown, "latex": writers.escape_latex}[language]

    def written(table: Table) -> str:  # LaTeX without comments on what it needs
        return writers.tabular(table, digits) if language == "latex" else writers.markdown([table], digits)

    found = [heading.format(escape(report.heading))]
    told = [f"{question} {big}. {words}".replace(MINUS, "-") for question, big, words in answers(report, digits)]
    told += [each.text.strip() for each in report.notices]
    found += [notice.format(escape(text)) for text in told]
    for section in sections(report):
        found.append(part.format(escape(section.title)))
        tables = section.tables
        if section.name == "leaderboard":
            if report.comparison is None:
                found.append(written(report.leaderboard))
            else:  # with what is significantly better
                means = {(run, name): mean.value for name in report.names for run, mean in report.means[name].items()}
                board = report.comparison._replace(board=means, counts=report.leaderboard.counts)
                found.append(writers.DOCUMENTS[language]([board.table(digits)], digits))
            tables = _intervals(report, digits)
        elif not tables:
            found.append("In the page and in JSON.\n\n")
        for title, table in tables:
            if len(table.rows) * len(table.columns) > LARGEST:
                found.append(f"{left_out.format(escape(title))}{len(table.rows)} rows, which the JSON has.\n\n")
            else:
                found += [begin.format(escape(title)), written(table), end]
    return "".join(found)


def _json(report: ReportData, digits: int) -> str:
    """Every table in full precision, by name: a list of objects each."""
    tables = {"leaderboard": report.leaderboard, **report.tables}
    content: dict[str, Any] = {
        "qrels": report.qrels,
        "measures": report.names,
        "notices": [each.text.strip() for each in report.notices],
        "evalsql_version": __version__,
        **{name: writers.objects(table) for name, table in tables.items()},
        "comparisons": report.comparison.pairs if report.comparison else [],
    }
    return writers.json_text(content, indent=1, default=str)


# How a report is written for each extension; a page (.html) is another module's.
WRITERS: Mapping[str, Callable[[ReportData, int], str]] = {
    ".md": partial(_document, "markdown"),
    ".tex": partial(_document, "latex"),
    ".json": _json,
}
EXTENSIONS = (".html", *WRITERS)
PAGE_DIGITS, DIGITS = 3, 4  # decimals on a page, and elsewhere
