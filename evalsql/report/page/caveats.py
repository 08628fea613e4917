"""What is to be doubted in a report: each claim with what follows from it, what deserves a look first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from evalsql.phrases import counted
from evalsql.report.page.figures import dots, in_words, listed, number, places, share
from evalsql.report.page.page_queries import Evidence
from evalsql.report.page.report_data import ReportData

FEW = 0.05  # share of documents without judgments up to which a figure is taken as it is
_MOST_TOLD = 5
_MOST_PLACES = 5
_DEPTHS = (10, 100, 1000)


class Doubt(NamedTuple):
    """``claim`` is one sentence, ``note`` what follows; ``picture`` is an SVG or a short text.

    The page's script draws a picture that has a name anew for other systems (``doubts.js``).
    """

    title: str
    deserves_look: bool
    claim: str
    note: str
    picture: str
    name: str = ""


def doubts(report: ReportData, evidence: Evidence) -> list[Doubt]:
    """All that was looked at: first what deserves a look, of that the gravest first."""
    found = [
        _ids(report),
        _audits(evidence),
        *_stored(report),
        *_unjudged(report),
        _missing(report),
        *_forms(report),
        _ties(report),
        *_other_measures(report),
    ]
    return sorted(found, key=lambda doubt: not doubt.deserves_look)


def _unjudged(report: ReportData) -> list[Doubt]:
    shares = _unjudged_shares(report)
    if not shares:
        return []
    wanted = list(dict.fromkeys(k for _, k in shares))
    arguments = report.measures[0].arguments
    cutoff = arguments.get("k") if isinstance(arguments.get("k"), int) else None
    deep = min(wanted, key=lambda k: abs(k - cutoff)) if isinstance(cutoff, int) else wanted[-1]
    parts = []
    for k in wanted:
        held = [shares[run, k] for run in report.runs if (run, k) in shares]
        low, high = share(min(held)), share(max(held))
        parts.append(f"{low if low == high else f'{low} to {high}'} of the first {k}")
    worst = max((run for run in report.runs if (run, deep) in shares), key=lambda run: shares[run, deep])
    kinds = _kinds(report)
    rows = [
        (f"first {k}", [(shares[run, k], kind) for run, kind in kinds.items() if (run, k) in shares]) for k in wanted
    ]
    chosen = [run for run in reversed(kinds) if kinds[run] != "other"]
    told = [
        f"among the first {k} " + ", ".join(f"{run} {share(shares[run, k])}" for run in chosen if (run, k) in shares)
        for k in wanted
    ]
    picture = dots(rows, f"Share of unjudged documents: {'; '.join(told)}")
    return [
        Doubt(
            "Unjudged documents.",
            shares[worst, deep] > FEW,
            f"Nobody judged {listed(parts)}{', depending on the system' if ' to ' in ' '.join(parts) else ''}.",
            f"What is not judged counts as not relevant. Most unjudged among the first {deep}: {worst}, "
            f"{share(shares[worst, deep])}.",
            picture,
            "unjudged",
        )
    ]


def _unjudged_shares(report: ReportData) -> dict[tuple[str, int], float]:
    """By run and depth, the depths rising."""
    rows: list[Any] = list(report.tables["unjudged"].rows) if "unjudged" in report.tables else []
    found = [(k, run, value) for run, k, _, _, value in rows if k in _DEPTHS]
    return {(run, k): value for k, run, value in sorted(found)}


def _kinds(report: ReportData) -> dict[str, str]:
    """By run how it is drawn, in the order of drawing: what is on top comes last."""
    best, baseline = report.runs[0], report.baseline
    kinds = {run: "other" for run in report.runs if run not in (best, baseline)}
    return {**kinds, baseline: "baseline", best: "system"} if best != baseline else {**kinds, best: "system"}


def drawn(report: ReportData) -> dict[str, Any]:
    """What the script draws the pictures from: shares and places, each by the run's number."""
    shares = _unjudged_shares(report)
    depths = list(dict.fromkeys(k for _, k in shares))
    names = _compared_measures(report)[:_MOST_PLACES]
    return {
        "unjudged": [[k, [shares.get((run, k)) for run in report.runs]] for k in depths],
        "measures": names,
        "places": [[report.places[run][name] for name in names] for run in report.runs] if names else [],
    }


def _compared_measures(report: ReportData) -> list[str]:
    """Measures whose orders of the runs are compared, if there is anything to compare."""
    names = [measure.name for measure in report.measures if not is_about_judgments(measure.name)]
    return names if len(names) > 1 and len(report.runs) > 1 else []


def _ties(report: ReportData) -> Doubt:
    told = [line.removeprefix("ties: ") for line in _told(report, "ties")]
    rules = sorted({str(row[2]) for row in report.tables["runs"].rows})
    note = f"Ties are broken by the rule {listed(rules)}."
    if not told:
        return Doubt(
            "Ties.", False, f"The order of systems by {report.names[0]} does not hang on tied scores.", note, ""
        )
    return Doubt("Ties.", True, _sentence(told[0]), note, "")


def _other_measures(report: ReportData) -> list[Doubt]:
    names = _compared_measures(report)
    if not names:
        return []
    best, order = report.runs[0], report.places
    ahead = {name: next(run for run in report.runs if order[run][name] == 1) for name in names if order[best][name] > 1}
    first = [name for name in names[1:] if name not in ahead]
    claim = f"{best} is first by {listed(names[:1] + first)}."
    if ahead:
        others = [f"{name} puts {other} first" for name, other in ahead.items()]
        claim = f"{claim[:-1]}; {listed(others)}."
    agreed = [
        f"{other if measure == names[0] else measure} {number(tau, 2)}"
        for measure, other, tau in _taus(report)
        if names[0] in (measure, other) and measure != other and {measure, other} <= set(names)
    ]
    shown = names[:_MOST_PLACES]
    kinds = _kinds(report)
    orders = {run: [order[run][name] for name in shown] for run in kinds}
    told = [
        f"{run} {listed([str(place) for place in orders[run]])}" for run in reversed(kinds) if kinds[run] != "other"
    ]
    picture = places(
        shown, [(orders[run], kind) for run, kind in kinds.items()], f"Places by {listed(shown)}: {'; '.join(told)}"
    )
    note = f"Kendall's tau with the order by {names[0]}, 1 being the same: {', '.join(agreed)}." if agreed else ""
    return [Doubt("Other measures.", bool(ahead), claim, note, picture, "places")]


def _taus(report: ReportData) -> list[tuple[str, str, float]]:
    table = report.tables.get("agreement")
    if table is None:
        return []
    at = [table.columns.index(name) for name in ("measure", "other", "tau_b")]
    rows: list[Any] = [tuple(row[place] for place in at) for row in table.rows]
    return [row for row in rows if row[2] is not None]


def is_about_judgments(name: str) -> bool:
    """Whether a measure tells how much was judged or returned, not how good it is."""
    return name.startswith(("Judged", "Unjudged", "Num"))


def _missing(report: ReportData) -> Doubt:
    lines = _told(report, "missing")
    if not lines:
        total = counted(len(report.topics), "topic")
        claim = f"Every run answers all {total}." if len(report.runs) > 1 else f"The run answers all {total}."
        return Doubt("Missing topics.", False, claim, "", "none missing")
    more = f" and {len(lines) - _MOST_TOLD} more" if len(lines) > _MOST_TOLD else ""
    claim = _sentence("; ".join(lines[:_MOST_TOLD]) + more, report.runs)
    return Doubt("Missing topics.", True, claim, "A topic left out scores as an empty ranking does.", "")


def _ids(report: ReportData) -> Doubt:
    lines = _told(report, "ids")
    if not lines:
        return Doubt(
            "Ids that do not match.", False, "Document ids of runs and judgments are of one kind.", "", "none found"
        )
    return Doubt(
        "Ids that do not match.",
        True,
        _sentence("; ".join(lines), report.runs),
        "Figures of such runs mean nothing.",
        "",
    )


def _stored(report: ReportData) -> list[Doubt]:
    lines = _told(report, "origins")
    if not lines:
        return []
    note = "Figures of these runs are shown as they were loaded; there are no rankings to compute them from."
    return [Doubt("Where figures come from.", True, _sentence("; ".join(lines), report.runs), note, "")]


def _forms(report: ReportData) -> list[Doubt]:
    lines = _told(report, "forms")
    return [Doubt("Judgments.", False, _sentence("; ".join(lines)), "", "")] if lines else []


def _told(report: ReportData, about: str) -> list[str]:
    """What there is to note about something."""
    return [each.text.strip() for each in report.notices if each.about == about]


def _audits(evidence: Evidence) -> Doubt:
    if not evidence.findings:
        return Doubt(
            "The file.", False, "The quick audits of the warehouse found nothing.", "", "evalsql check runs all"
        )
    told = [f"{finding} ({audit})" for audit, finding, _ in evidence.findings[:_MOST_TOLD]]
    return Doubt("The file.", True, _sentence("; ".join(told)), "evalsql check runs all audits.", "")


def _sentence(text: str, names: Sequence[str] = ()) -> str:
    """The text with a capital and a full stop; a name that it starts with stays as it is."""
    first = text[:1] if text.startswith(tuple(names)) else text[:1].upper()
    return first + text[1:] + ("" if text.endswith(".") else ".")


def summary(found: list[Doubt]) -> str:
    """The section's one sentence."""
    count = sum(doubt.deserves_look for doubt in found)
    if not count:
        return f"Nothing of {in_words(len(found))} things that were looked at."
    verb = "deserves" if count == 1 else "deserve"
    return _sentence(f"{in_words(count)} {'thing' if count == 1 else 'things'} of {in_words(len(found))} {verb} a look")


def gravest(found: list[Doubt]) -> str:
    """The same sentence with what deserves a look first; nothing where nothing does."""
    if not any(doubt.deserves_look for doubt in found):
        return ""
    first = found[0].title.removesuffix(".")
    count = sum(doubt.deserves_look for doubt in found)
    return f"{summary(found).removesuffix('.')}{', first of all' if count > 1 else ':'} {first[:1].lower()}{first[1:]}."
