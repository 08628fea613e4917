"""What to doubt in a report: each claim with what follows from it and a small picture, what deserves a look first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from evalsql.phrases import counted
from evalsql.report.html import in_words, listed, number, share
from evalsql.report.page.report_data import ReportData
from evalsql.report.page.verdicts import is_about_judgments

FEW = 0.05  # share of documents without judgments up to which a figure is taken as it is
_MOST_LISTED = 5
_DEPTHS = (10, 100, 1000)


class Picture(NamedTuple):
    """An SVG with marks of all systems, and what it says of each in words; the script recolours it after a choice."""

    name: str
    title: str
    texts: Mapping[str, str]
    parts: Sequence[str]
    height: int

    def svg(self, chosen: Iterable[str]) -> str:
        """The picture, labelled with what it says of the chosen systems."""
        label = escape(f"{self.title}: {'; '.join(f'{run} {self.texts[run]}' for run in chosen if run in self.texts)}")
        return f'<svg class="small" role="img" aria-label="{label}" height="{self.height}">{"".join(self.parts)}</svg>'


class Caveat(NamedTuple):
    """``claim`` is one sentence, ``note`` what follows; beside them stands ``picture``, or ``remark``."""

    title: str
    deserves_look: bool
    claim: str
    note: str = ""
    remark: str = ""
    picture: Picture | None = None


def caveats(report: ReportData) -> list[Caveat]:
    """All that was looked at: first what deserves a look, of that the gravest first."""
    found = [
        _ids(report),
        _audits(report),
        *_stored(report),
        *_unjudged(report),
        _missing(report),
        *_forms(report),
        _ties(report),
        *_other_measures(report),
    ]
    return sorted(found, key=lambda caveat: not caveat.deserves_look)


def _unjudged(report: ReportData) -> list[Caveat]:
    rows: list[Any] = list(report.tables["unjudged"].rows) if "unjudged" in report.tables else []
    shares = {(run, k): value for k, run, value in sorted((k, run, value) for run, k, _, _, value in rows)}
    depths = [k for k in _DEPTHS if any(depth == k for _, depth in shares)]
    if not depths:
        return []
    cutoff = report.measures[0].arguments.get("k")
    deep = min(depths, key=lambda k: abs(k - cutoff)) if isinstance(cutoff, int) else depths[-1]
    parts = []
    for k in depths:
        held = [shares[run, k] for run in report.runs if (run, k) in shares]
        low, high = share(min(held)), share(max(held))
        parts.append(f"{low if low == high else f'{low} to {high}'} of the first {k}")
    worst = max((run for run in report.runs if (run, deep) in shares), key=lambda run: shares[run, deep])
    return [
        Caveat(
            "Unjudged documents.",
            shares[worst, deep] > FEW,
            f"Nobody judged {listed(parts)}{', depending on the system' if ' to ' in ' '.join(parts) else ''}.",
            f"What is not judged counts as not relevant. Most unjudged among the first {deep}: {worst}, "
            f"{share(shares[worst, deep])}.",
            picture=_unjudged_picture(report, shares, depths),
        )
    ]


def _unjudged_picture(report: ReportData, shares: Mapping[tuple[str, int], float], depths: Sequence[int]) -> Picture:
    """A line for each depth, from 0 to 100%, with a mark for each system."""
    texts: dict[str, list[str]] = {}
    parts = []
    for at, k in enumerate(depths):
        y = at * 22 + 11
        parts.append(f'<text x="0" y="{y + 4}">first {k}</text>')
        parts.append(f'<line class="grid" x1="28%" x2="98%" y1="{y}" y2="{y}"/><g>')
        for run, kind, mark in _marks(report):
            if (run, k) in shares:
                texts.setdefault(run, []).append(f"{share(shares[run, k])} of the first {k}")
                parts.append(f'<use href="#mark-{kind}" x="{28 + 70 * shares[run, k]:.2f}%" y="{y}" {mark}/>')
        parts.append("</g>")
    bottom = len(depths) * 22 + 14
    for x, value, anchor in ((28, 0.0, "middle"), (63, 0.5, "middle"), (100, 1.0, "end")):
        parts.append(f'<text x="{x}%" y="{bottom}" text-anchor="{anchor}">{share(value)}</text>')
    words = {run: ", ".join(each) for run, each in texts.items()}
    return Picture("unjudged", "Share of unjudged documents", words, parts, bottom + 4)


def _marks(report: ReportData) -> list[tuple[str, str, str]]:
    """Each run with how it is drawn and the attribute that the script finds it by; what is on top comes last."""
    best, baseline = report.runs[0], report.baseline
    kinds = dict.fromkeys(report.runs, "other") | {baseline: "baseline"} | {best: "system"}
    order = sorted(report.runs, key=lambda run: ("other", "baseline", "system").index(kinds[run]))
    numbers = {run: at for at, run in enumerate(report.runs)}
    return [(run, kinds[run], f'data-system="{numbers[run]}"') for run in order]


def _ties(report: ReportData) -> Caveat:
    notices = [line.removeprefix("ties: ") for line in _notices(report, "ties")]
    rules = sorted({str(row[2]) for row in report.tables["runs"].rows})
    claim = f"The order of systems by {report.names[0]} does not hang on tied scores."
    return Caveat(
        "Ties.",
        bool(notices),
        _sentence(notices[0]) if notices else claim,
        f"Ties are broken by the rule {listed(rules)}.",
    )


def _other_measures(report: ReportData) -> list[Caveat]:
    names = [name for name in report.names if not is_about_judgments(name)]
    if len(names) < 2 or len(report.runs) < 2:
        return []
    best, places = report.runs[0], report.places
    ahead = {
        name: next(run for run in report.runs if places[run][name] == 1) for name in names if places[best][name] > 1
    }
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
    note = f"Kendall's tau with the order by {names[0]}, 1 being the same: {', '.join(agreed)}." if agreed else ""
    picture = _places_picture(report, names[:_MOST_LISTED])
    return [Caveat("Other measures.", bool(ahead), claim, note, picture=picture)]


def _places_picture(report: ReportData, measures: Sequence[str]) -> Picture:
    """The place of each system by each measure, the best on top."""
    orders = {run: [report.places[run][name] for name in measures] for run in report.runs}
    most, last = max(map(max, orders.values())), len(measures) - 1
    xs = [f"{4 + 92 / last * at:.1f}%" for at in range(last + 1)]
    parts = ["<g>"]
    for run, kind, mark in _marks(report):
        ys = [f"{8 + 70 * (place - 1) / max(most - 1, 1):.1f}" for place in orders[run]]
        lines = (f'<line x1="{xs[at]}" x2="{xs[at + 1]}" y1="{ys[at]}" y2="{ys[at + 1]}"/>' for at in range(last))
        parts.append(f'<g class="path {kind}" {mark}>{"".join(lines)}</g>')
    parts.append("</g>")
    for at, name in enumerate(measures):
        x, anchor = ("0%", "start") if at == 0 else ("100%", "end") if at == last else (xs[at], "middle")
        parts.append(f'<text x="{x}" y="96" text-anchor="{anchor}">{escape(name)}</text>')
    texts = {run: listed([str(place) for place in order]) for run, order in orders.items()}
    return Picture("places", f"Places by {listed(measures)}", texts, parts, 102)


def _taus(report: ReportData) -> list[tuple[str, str, float]]:
    table = report.tables.get("agreement")
    if table is None:
        return []
    at = [table.columns.index(name) for name in ("measure", "other", "tau_b")]
    rows: list[Any] = [tuple(row[place] for place in at) for row in table.rows]
    return [row for row in rows if row[2] is not None]


def _missing(report: ReportData) -> Caveat:
    lines = _notices(report, "missing")
    if not lines:
        who = "Every run answers" if len(report.runs) > 1 else "The run answers"
        claim = f"{who} all {counted(len(report.topics), 'topic')}."
        return Caveat("Missing topics.", False, claim, remark="none missing")
    more = f" and {len(lines) - _MOST_LISTED} more" if len(lines) > _MOST_LISTED else ""
    claim = _sentence("; ".join(lines[:_MOST_LISTED]) + more, report.runs)
    return Caveat("Missing topics.", True, claim, "A topic left out scores as an empty ranking does.")


def _ids(report: ReportData) -> Caveat:
    title, lines = "Ids that do not match.", _notices(report, "ids")
    if not lines:
        return Caveat(title, False, "Document ids of runs and judgments are of one kind.", remark="none found")
    return Caveat(title, True, _sentence("; ".join(lines), report.runs), "Figures of such runs mean nothing.")


def _stored(report: ReportData) -> list[Caveat]:
    lines = _notices(report, "origins")
    note = "Figures of these runs are shown as they were loaded; there are no rankings to compute them from."
    return [Caveat("Where figures come from.", True, _sentence("; ".join(lines), report.runs), note)] if lines else []


def _forms(report: ReportData) -> list[Caveat]:
    lines = _notices(report, "forms")
    return [Caveat("Judgments.", False, _sentence("; ".join(lines)))] if lines else []


def _notices(report: ReportData, about: str) -> list[str]:
    return [each.text.strip() for each in report.notices if each.about == about]


def _audits(report: ReportData) -> Caveat:
    found = [f"{finding} ({audit})" for audit, finding, _ in report.page.findings[:_MOST_LISTED]]
    if not found:
        claim = "The quick audits of the warehouse found nothing."
        return Caveat("The file.", False, claim, remark="evalsql check runs all")
    return Caveat("The file.", True, _sentence("; ".join(found)), "evalsql check runs all audits.")


def _sentence(text: str, names: Sequence[str] = ()) -> str:
    """The text with a capital and a full stop; a name that it starts with stays as it is."""
    first = text[:1] if text.startswith(tuple(names)) else text[:1].upper()
    return first + text[1:] + ("" if text.endswith(".") else ".")


def summary(found: list[Caveat]) -> str:
    """The section's one sentence."""
    count = sum(caveat.deserves_look for caveat in found)
    if not count:
        return f"Nothing of {in_words(len(found))} things that were looked at."
    verb = "deserves" if count == 1 else "deserve"
    return _sentence(f"{in_words(count)} {'thing' if count == 1 else 'things'} of {in_words(len(found))} {verb} a look")


def gravest(found: list[Caveat]) -> str:
    """The same sentence with what deserves a look first; nothing where nothing does."""
    if not any(caveat.deserves_look for caveat in found):
        return ""
    first = found[0].title.removesuffix(".")
    count = sum(caveat.deserves_look for caveat in found)
    return f"{summary(found).removesuffix('.')}{', first of all' if count > 1 else ':'} {first[:1].lower()}{first[1:]}."
