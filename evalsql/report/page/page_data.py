"""What the page's script draws from: the figures of a report and its evidence, runs and topics by number."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from evalsql.phrases import counted, natural_key
from evalsql.report import charts
from evalsql.report.page.caveats import drawn, is_about_judgments
from evalsql.report.page.page_queries import ALPHA, DEPTH, Evidence
from evalsql.report.page.report_data import ReportData
from evalsql.report.table import Table

_FIGURES = 7  # significant ones of what is only drawn


def embedded_json(value: object) -> str:
    """JSON for a script element, in which no name can end the element."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def facts_in_short(report: ReportData, evidence: Evidence) -> str:
    """How much was evaluated, and when the newest of it was loaded, in a line."""
    judged = f"{counted(evidence.num_judgments, 'judgment')} in {counted(evidence.num_grades, 'grade')}"
    held = f"{counted(len(report.runs), 'system')}, {counted(len(report.topics), 'topic')}, {judged}"
    day = evidence.loaded_at
    return f"{held} \u00b7 loaded {day.day} {day.strftime('%B %Y')}"


def topics_in_order(report: ReportData) -> list[str]:
    """The topics in natural order, 2 before 10."""
    return sorted(report.topics, key=natural_key)


def plain_words(report: ReportData) -> dict[str, str]:
    """By measure what it is: the title and definition of its relation."""
    return {
        measure.name: f"{measure.relation.header.title}: {measure.relation.header.definition}"
        for measure in report.measures
    }


def page_data(report: ReportData, evidence: Evidence, digits: int) -> dict[str, Any]:
    """Everything that the script draws from, as JSON can hold it."""
    runs, topics = report.runs, topics_in_order(report)
    words = plain_words(report)
    return {
        "digits": digits,
        "alpha": ALPHA,
        "depth": DEPTH,
        "measures": [
            {
                "name": measure.name,
                "words": words[measure.name],
                "lower": measure.name in report.lower,
                "count": measure.is_count,
                "judging": is_about_judgments(measure.name),
                "range": _range(measure.relation.header.range),
                "logarithmic": measure.relation.header.mean == "geometric",
            }
            for measure in report.measures
        ],
        "runs": runs,
        "topics": [[topic, evidence.texts.get(topic, "")] for topic in topics],
        "baseline": runs.index(report.baseline),
        "means": _means(report),
        "intervals": _intervals(report),
        "values": _values(report, topics),
        "pairs": {name: _pairs(evidence.tests.pairs.get(name, {}), runs) for name in report.names},
        "steps": {name: _steps(evidence.tests.steps.get(name, {}), runs) for name in report.names},
        "factors": evidence.tests.factors,
        "documents": _documents(evidence, runs, topics),
        "curves": _curves(report),
        "doubts": {} if "doubts" in report.without else drawn(report),
    }


def _range(text: str) -> list[float]:
    """Ends of a measure's range, those that are numbers."""
    return [float(end) for end in text.split()] if all(map(_is_finite, text.split())) else []


def _is_finite(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).isdecimal()


def _means(report: ReportData) -> dict[str, list[float | None]]:
    return {
        name: [charts.finite(row[at]) for row in report.board.rows] for at, name in enumerate(report.names, start=1)
    }


def _intervals(report: ReportData) -> dict[str, list[list[float | None] | None]]:
    ends = {(run, measure): [low, high] for measure, run, _, low, high in report.tables["intervals"].rows}
    return {name: [ends.get((run, name)) for run in report.runs] for name in report.names}  # type: ignore[misc]


def _values(report: ReportData, topics: Sequence[str]) -> dict[str, list[list[float | None]]]:
    places = {topic: at for at, topic in enumerate(topics)}
    number = {run: at for at, run in enumerate(report.runs)}
    found: dict[str, list[list[float | None]]] = {
        name: [[None] * len(topics) for _ in report.runs] for name in report.names
    }
    for measure, run, topic, value in report.tables["values"].rows:
        found[str(measure)][number[str(run)]][places[str(topic)]] = charts.finite(value)
    return found


def _pairs(pairs: Mapping[tuple[str, str], Sequence[Any]], runs: Sequence[str]) -> list[list[Any]]:
    """By the first run's number and then that of each after it: difference of the first less the second, and so on."""
    rows: list[list[Any]] = []
    for at, one in enumerate(runs):
        row: list[Any] = []
        for other in runs[at + 1 :]:
            if (other, one) in pairs:
                topics, difference, half, _, wins, _, losses = pairs[other, one]
            elif (one, other) in pairs:
                topics, difference, half, _, losses, _, wins = pairs[one, other]
                difference = -difference
            else:
                row.append(None)
                continue
            row.append([topics, difference, None if half is None else float(f"{half:.10g}"), wins, losses])
        rows.append(row)
    return rows


def _steps(steps: Mapping[tuple[str, str], int], runs: Sequence[str]) -> list[list[int]]:
    """By baseline and run tests left; negative where the difference is not sure, 0 for the baseline itself."""
    return [[steps.get((baseline, run), 0) for run in runs] for baseline in runs]


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{_FIGURES}g}")


def _documents(evidence: Evidence, runs: Sequence[str], topics: Sequence[str]) -> dict[str, Any]:
    """By topic names and grades of documents, and by run their numbers down the ranking and what they contribute."""
    number = {run: at for at, run in enumerate(runs)}
    place = {topic: at for at, topic in enumerate(topics)}
    held: dict[int, dict[str, Any]] = {}
    for (run, topic), documents in evidence.lists.documents.items():
        there = held.setdefault(place[topic], {"names": [], "grades": [], "lists": {}, "_at": {}})
        ranked = []
        for document in documents:
            at = there["_at"].setdefault(document.name, len(there["names"]))
            if at == len(there["names"]):
                there["names"].append(document.name)
                there["grades"].append(document.grade)
            ranked.append(at)
        worth = [_short(document.contribution) for document in documents]
        there["lists"][number[run]] = [ranked, worth, {}]
    for (run, topic), later in evidence.lists.later.items():
        there = held.get(place[topic], {})
        if there and number[run] in there["lists"]:
            known = there["_at"]
            there["lists"][number[run]][2] = {known[name]: rank for name, rank in later.items() if name in known}
    for there in held.values():
        del there["_at"]
    return {str(at): there for at, there in sorted(held.items())}


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
        if charts.finite(first) is not None:
            found.setdefault(number[run], []).append([_short(first), _short(second)])
    return found
