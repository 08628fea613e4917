"""What the page's script draws from: the figures of a report, its runs and topics by number."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from evalsql.catalog.measure_names import Measure
from evalsql.phrases import counted
from evalsql.report.page.caveats import Caveat
from evalsql.report.page.page_queries import DEPTH, FirstDocuments, Pair, PairTests
from evalsql.report.page.report_data import ReportData
from evalsql.report.page.verdicts import MOST_NAMED, SENTENCES, measure_facts
from evalsql.report.table import Table, finite

_FIGURES = 7  # significant ones of what is only drawn


def embedded_json(value: object) -> str:
    """JSON for a script element, in which no name can end the element."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def size_line(report: ReportData) -> str:
    """How much was evaluated, and when the newest of it was loaded."""
    details = report.page
    judged = f"{counted(details.num_judgments, 'judgment')} in {counted(details.num_grades, 'grade')}"
    held = f"{counted(len(report.runs), 'system')}, {counted(len(report.topics), 'topic')}, {judged}"
    day = details.loaded_at
    return f"{held} \u00b7 loaded {day.day} {day.strftime('%B %Y')}"


def page_data(report: ReportData, found: Sequence[Caveat], digits: int) -> dict[str, Any]:
    """Everything that the script draws from, as JSON can hold it."""
    runs, topics, tests = report.runs, report.topics, report.page.tests
    pictures = [caveat.picture for caveat in found if caveat.picture]
    return {
        "digits": digits,
        "depth": DEPTH,
        "sentences": SENTENCES,
        "most_named": MOST_NAMED,
        "measures": [
            {
                "name": measure.name,
                "words": measure_words(measure),
                "lower": measure.name in report.lower,
                "range": _range(measure.relation.header.range),
                "facts": measure_facts(report, measure.name, digits),
            }
            for measure in report.measures
        ],
        "runs": runs,
        "topics": [[topic, report.page.texts.get(topic, "")] for topic in topics],
        "baseline": runs.index(report.baseline),
        "means": {name: [finite(mean) for mean in report.means(name).values()] for name in report.names},
        "intervals": _intervals(report),
        "values": {name: _values(report, name) for name in report.names},
        "pairs": {name: _pairs(tests, name, runs) for name in report.names},
        "steps": {name: _steps(tests.steps.get(name, {}), runs) for name in report.names},
        "factors": tests.factors,
        "documents": _documents(report.page.documents, runs, topics),
        "curves": _curves(report),
        "pictures": {each.name: [each.title, [each.texts.get(run) for run in runs]] for each in pictures},
    }


def measure_words(measure: Measure) -> str:
    """What a measure is: the title and definition of its relation."""
    return f"{measure.relation.header.title}: {measure.relation.header.definition}"


def _range(text: str) -> list[float]:
    """Ends of a measure's range, those that are numbers."""
    return [float(end) for end in text.split()] if all(map(_is_finite, text.split())) else []


def _is_finite(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).isdecimal()


def _intervals(report: ReportData) -> dict[str, list[list[float | None] | None]]:
    ends = {(run, measure): [low, high] for measure, run, _, low, high in report.tables["intervals"].rows}
    return {name: [ends.get((run, name)) for run in report.runs] for name in report.names}  # type: ignore[misc]


def _values(report: ReportData, measure: str) -> list[list[float | None]]:
    values = report.values(measure)
    return [[finite(values.get((run, topic))) for topic in report.topics] for run in report.runs]


def _pairs(tests: PairTests, measure: str, runs: Sequence[str]) -> list[list[Any]]:
    """By the first run's number and then that of each after it: difference of the first less the second, and so on."""
    return [[_pair(tests.pair(measure, other, one)) for other in runs[at + 1 :]] for at, one in enumerate(runs)]


def _pair(pair: Pair | None) -> list[Any] | None:
    if pair is None:
        return None
    half = None if pair.half is None else float(f"{pair.half:.10g}")
    return [pair.wins + pair.ties + pair.losses, pair.difference, half, pair.wins, pair.losses]


def _steps(steps: Mapping[tuple[str, str], int], runs: Sequence[str]) -> list[list[int]]:
    """By baseline and run tests left; negative where the difference is not sure, 0 for the baseline itself."""
    return [[steps.get((baseline, run), 0) for run in runs] for baseline in runs]


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{_FIGURES}g}")


def _documents(lists: FirstDocuments, runs: Sequence[str], topics: Sequence[str]) -> dict[int, Any]:
    """By topic names and grades of documents, and by run their numbers down the ranking and what they contribute."""
    numbers = {run: at for at, run in enumerate(runs)}
    by_topic: dict[int, dict[str, Any]] = {}
    for at, topic in enumerate(topics):
        shown = {run: lists.documents[run, topic] for run in runs if (run, topic) in lists.documents}
        grades = {document.name: document.grade for documents in shown.values() for document in documents}
        known = {name: number for number, name in enumerate(grades)}
        if shown:
            by_topic[at] = {
                "names": list(grades),
                "grades": list(grades.values()),
                "lists": {
                    numbers[run]: [
                        [known[document.name] for document in documents],
                        [_short(document.contribution) for document in documents],
                        {
                            known[name]: rank
                            for name, rank in lists.later_ranks.get((run, topic), {}).items()
                            if name in known
                        },
                    ]
                    for run, documents in shown.items()
                },
            }
    return by_topic


def _curves(report: ReportData) -> dict[str, Any]:
    found: dict[str, Any] = {}
    number = {run: at for at, run in enumerate(report.runs)}
    shown = {"pr": ("recall", "precision"), "tap": ("threshold", "false_positives"), "roc": ("fpr", "tpr")}
    for name, (x, y) in shown.items():
        table = report.tables.get(name)
        if table is not None:
            found[name] = _points(table, x, y, number, ends_with_lists=name == "roc")
    box = report.tables.get("distribution")
    if box is not None:
        rows: Sequence[Any] = box.rows
        found["boxes"] = {
            name: {number[run]: numbers for measure, run, _, *numbers in rows if measure == name}
            for name in report.names
        }
    return found


def _points(
    table: Table, x: str, y: str, number: Mapping[str, int], *, ends_with_lists: bool
) -> dict[int, list[list[Any]]]:
    """By run; a curve of ROC stops where the run's lists stop, for what follows says nothing of it."""
    columns = list(table.columns)
    at = [columns.index(name) for name in ("run", x, y)]
    score = columns.index("threshold") if ends_with_lists else None
    found: dict[int, list[list[Any]]] = {}
    rows: Sequence[Any] = table.rows
    for row in rows:
        run, first, second = (row[place] for place in at)
        if score is not None and row[score] is None and first > 0:
            continue
        if finite(first) is not None:
            found.setdefault(number[run], []).append([_short(first), _short(second)])
    return found
