"""What is to be doubted in a report: each claim with what follows from it, what deserves a look first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from evalsql.evaluation.notices import counted
from evalsql.report.evidence import Evidence
from evalsql.report.figures import dots, in_words, listed, number, places, share
from evalsql.report.overview import Overview

FEW = 0.05  # share of documents without judgments up to which a figure is taken as it is
_MOST_TOLD = 5
_MOST_PLACES = 5


class Doubt(NamedTuple):
    """``claim`` is one sentence, ``note`` what follows; ``picture`` is an SVG or a short text."""

    title: str
    deserves_look: bool
    claim: str
    note: str
    picture: str


def doubts(overview: Overview, evidence: Evidence) -> list[Doubt]:
    """All that was looked at, first what deserves a look."""
    found = [
        *_unjudged(overview),
        _ties(overview),
        *_other_measures(overview),
        _missing(overview),
        _ids(overview),
        _audits(evidence),
    ]
    return sorted(found, key=lambda doubt: not doubt.deserves_look)


def _unjudged(overview: Overview) -> list[Doubt]:
    rows: list[Any] = list(overview.tables["unjudged"].rows) if "unjudged" in overview.tables else []
    wanted = sorted({k for _, k, *_ in rows} & {10, 100, 1000})
    if not wanted:
        return []
    shares = {(run, k): value for run, k, _, _, value in rows}
    arguments = overview.measures[0].arguments
    cutoff = arguments.get("k") if isinstance(arguments.get("k"), int) else None
    deep = min(wanted, key=lambda k: abs(k - cutoff)) if isinstance(cutoff, int) else wanted[-1]
    parts = []
    for k in wanted:
        held = [shares[run, k] for run in overview.runs if (run, k) in shares]
        low, high = share(min(held)), share(max(held))
        parts.append(f"{low if low == high else f'{low} to {high}'} of the first {k}")
    worst = max((run for run in overview.runs if (run, deep) in shares), key=lambda run: shares[run, deep])
    picture = dots(
        [
            (
                f"first {k}",
                [
                    (shares[run, k], kind)
                    for run, kind in sorted(_kinds(overview).items(), key=lambda each: each[1] != "other")
                    if (run, k) in shares
                ],
            )
            for k in wanted
        ],
        "Share of unjudged documents: " + "; ".join(parts),
    )
    return [
        Doubt(
            "Unjudged documents.",
            shares[worst, deep] > FEW,
            f"Nobody judged {listed(parts)}{', depending on the system' if ' to ' in ' '.join(parts) else ''}.",
            f"What is not judged counts as not relevant. Most unjudged among the first {deep}: {worst}, "
            f"{share(shares[worst, deep])}.{_colours(overview)}",
            picture,
        )
    ]


def _colours(overview: Overview) -> str:
    """Whose the coloured marks of a picture are; pictures of doubts stay the same whatever the reader chooses."""
    return f" Blue is {overview.runs[0]}, orange {overview.baseline}." if len(overview.runs) > 2 else ""


def _kinds(overview: Overview) -> dict[str, str]:
    return {
        run: "baseline" if run == overview.baseline else "system" if at == 0 else "other"
        for at, run in enumerate(overview.runs)
    }


def _ties(overview: Overview) -> Doubt:
    told = [line.removeprefix("ties: ") for line in overview.notices if line.startswith("ties: ")]
    rules = sorted({str(row[2]) for row in overview.tables["runs"].rows})
    note = f"Ties are broken by the rule {listed(rules)}."
    if not told:
        return Doubt(
            "Ties.", False, f"The order of systems by {overview.names[0]} does not hang on tied scores.", note, ""
        )
    return Doubt("Ties.", True, _sentence(told[0]), note, "")


def _other_measures(overview: Overview) -> list[Doubt]:
    names = [measure.name for measure in overview.measures if not is_about_judgments(measure.name)]
    if len(names) < 2 or len(overview.runs) < 2:
        return []
    best, order = overview.runs[0], overview.places
    ahead = {
        name: next(run for run in overview.runs if order[run][name] == 1) for name in names if order[best][name] > 1
    }
    first = [name for name in names[1:] if name not in ahead]
    claim = f"{best} is first by {listed(names[:1] + first)}."
    if ahead:
        others = [f"{name} puts {other} first" for name, other in ahead.items()]
        claim = f"{claim[:-1]}; {listed(others)}."
    agreed = [
        f"{other if measure == names[0] else measure} {number(tau, 2)}"
        for measure, other, tau in _taus(overview)
        if names[0] in (measure, other) and measure != other and {measure, other} <= set(names)
    ]
    kinds = _kinds(overview)
    shown = names[:_MOST_PLACES]
    drawn = sorted(overview.runs, key=lambda run: kinds[run] != "other")
    picture = places(
        shown,
        [([order[run][name] for name in shown], kinds[run]) for run in drawn],
        f"Places by {listed(shown)}: {claim}",
    )
    note = f"Kendall's tau with the order by {names[0]}, 1 being the same: {', '.join(agreed)}." if agreed else ""
    note = (note + _colours(overview)).strip()
    return [Doubt("Other measures.", bool(ahead), claim, note, picture)]


def _taus(overview: Overview) -> list[tuple[str, str, float]]:
    table = overview.tables.get("agreement")
    if table is None:
        return []
    at = [list(table.columns).index(name) for name in ("measure", "other", "tau_b")]
    rows: list[Any] = [tuple(row[place] for place in at) for row in table.rows]
    return [row for row in rows if row[2] is not None]


def is_about_judgments(name: str) -> bool:
    """Whether a measure tells how much was judged or returned, not how good it is."""
    return name.startswith(("Judged", "Unjudged", "Num"))


def _missing(overview: Overview) -> Doubt:
    lines = [
        line.strip()
        for line in overview.notices
        if " misses " in line or "without judgments" in line or "holds" in line
    ]
    if not lines:
        total = counted(len(overview.topics), "topic")
        claim = f"Every run answers all {total}." if len(overview.runs) > 1 else f"The run answers all {total}."
        return Doubt("Missing topics.", False, claim, "", "none missing")
    more = f" and {len(lines) - _MOST_TOLD} more" if len(lines) > _MOST_TOLD else ""
    claim = _sentence("; ".join(lines[:_MOST_TOLD]) + more, overview.runs)
    return Doubt("Missing topics.", True, claim, "A topic left out scores as an empty ranking does.", "")


def _ids(overview: Overview) -> Doubt:
    known = ("ties: ", f"{overview.qrels}: ")
    lines = [
        line.strip()
        for line in overview.notices
        if not line.startswith(known)
        and not (" misses " in line or "without judgments" in line or "holds" in line or line.strip().startswith("..."))
    ]
    if not lines:
        return Doubt(
            "Ids that do not match.", False, "Document ids of runs and judgments are of one kind.", "", "none found"
        )
    return Doubt(
        "Ids that do not match.",
        True,
        _sentence("; ".join(lines), overview.runs),
        "Figures of such runs mean nothing.",
        "",
    )


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
    text = f"{in_words(count)} {'thing' if count == 1 else 'things'} of {in_words(len(found))} {verb} a look."
    return text[:1].upper() + text[1:]
