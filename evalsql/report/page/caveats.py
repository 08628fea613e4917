"""What to doubt in a report: each claim with what follows from it and a small picture, what deserves a look first."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from evalsql.phrases import counted, listed
from evalsql.report.html import in_words, number, share, text
from evalsql.report.page.report_data import ReportData
from evalsql.report.page.verdicts import is_about_judgments

FEW = 0.05  # share of documents without judgments up to which a figure is taken as it is
_MOST_LISTED = 5
_DEPTHS = (10, 100, 1000)
# By what notices are about: the title, and what follows.
_OF_NOTICES = {
    "ids": ("Ids that do not match.", "Figures of such runs mean nothing."),
    "audits": ("The file.", "evalsql check runs all audits."),
    "loading": ("How runs were loaded.", "Some of their differences may come of that."),
    "origins": (
        "Where figures come from.",
        "Figures of these runs are shown as they were loaded; there are no rankings to compute them from.",
    ),
    "forms": ("Judgments.", ""),
}
# What is said where there are none, with a remark.
_WITHOUT_NOTICES = {
    "ids": ("Document ids of runs and judgments are of one kind.", "none found"),
    "audits": ("The quick audits of the warehouse found nothing.", "evalsql check runs all"),
}


class Picture(NamedTuple):
    """An SVG with marks of all systems, and what it says of each in words; the script recolours it after a choice."""

    name: str
    title: str
    texts: Mapping[str, str]
    parts: Sequence[str]
    height: int

    def svg(self, chosen: Iterable[str]) -> str:
        label = text(f"{self.title}: {'; '.join(f'{run} {self.texts[run]}' for run in chosen if run in self.texts)}")
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
    names = (report.qrels, *report.runs)
    audited = [f"{finding} ({audit})" for audit, finding, _ in report.findings[:_MOST_LISTED]]
    found = [
        _told("ids", report.told("ids"), names),
        _told("audits", audited),
        _told("loading", report.told("loading"), names),
        _told("origins", report.told("origins"), names),
        _unjudged(report),
        _missing(report),
        _told("forms", report.told("forms"), names),
        _ties(report),
        _other_measures(report),
    ]
    return sorted(filter(None, found), key=lambda caveat: not caveat.deserves_look)


def _told(about: str, lines: Sequence[str], names: Sequence[str] = ()) -> Caveat | None:
    """What notices say, or that there is nothing to say; a name that they start with stays as it is."""
    title, note = _OF_NOTICES[about]
    if lines:
        return Caveat(title, about != "forms", _sentence("; ".join(lines), names), note)
    none, remark = _WITHOUT_NOTICES.get(about, ("", ""))
    return Caveat(title, False, none, remark=remark) if none else None


def _unjudged(report: ReportData) -> Caveat | None:
    rows = report.rows("unjudged", "k", "run", "unjudged")
    shares = {k: held for k in _DEPTHS if (held := {run: value for rank, run, value in rows if rank == k})}
    if not shares:
        return None
    cutoff = report.measures[0].arguments.get("k")
    deep = min(shares, key=lambda k: abs(k - cutoff)) if isinstance(cutoff, int) else max(shares)
    spans = [(share(min(held.values())), share(max(held.values()))) for held in shares.values()]
    parts = [
        f"{low if low == high else f'{low} to {high}'} of the first {k}"
        for k, (low, high) in zip(shares, spans, strict=True)
    ]
    depending = ", depending on the system" if any(low != high for low, high in spans) else ""
    worst = max((run for run in report.runs if run in shares[deep]), key=lambda run: shares[deep][run])
    most = shares[deep][worst]
    return Caveat(
        "Unjudged documents.",
        most > FEW,
        f"Nobody judged {listed(parts)}{depending}.",
        f"What is not judged counts as not relevant. Most unjudged among the first {deep}: {worst}, {share(most)}."
        + "".join(f" {line}" for line in report.told("holes")),
        picture=_unjudged_picture(report, shares),
    )


def _unjudged_picture(report: ReportData, shares: Mapping[int, Mapping[str, float]]) -> Picture:
    """A line for each depth, from 0 to 100%, with a mark for each system."""
    texts: dict[str, list[str]] = defaultdict(list)
    parts = []
    for at, (k, held) in enumerate(shares.items()):
        y = at * 22 + 11
        parts.append(f'<text x="0" y="{y + 4}">first {k}</text>')
        parts.append(f'<line class="grid" x1="28%" x2="98%" y1="{y}" y2="{y}"/><g>')
        for run, kind, mark in _marks(report):
            if run in held:
                texts[run].append(f"{share(held[run])} of the first {k}")
                parts.append(f'<use href="#mark-{kind}" x="{28 + 70 * held[run]:.2f}%" y="{y}" {mark}/>')
        parts.append("</g>")
    bottom = len(shares) * 22 + 14
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
    rules = sorted({*report.tables["runs"].values("tie_rule")} - {"unknown"})  # of answers and stored scores
    claim = f"The order of systems by {report.names[0]} does not hang on tied scores."
    lines = report.told("ties")
    told = _sentence(lines[0].removeprefix("ties: "), report.runs) if lines else claim
    return Caveat("Ties.", bool(lines), told, f"Ties are broken by the rule {listed(rules)}." if rules else "")


def _other_measures(report: ReportData) -> Caveat | None:
    names = [name for name in report.names if not is_about_judgments(name)]
    if len(names) < 2 or len(report.runs) < 2:
        return None
    best, (first, *others) = report.runs[0], names
    ahead = {name: report.leaders(name) for name in names if report.means[name][best].place > 1}
    claim = f"{best} is first by {listed([first, *(name for name in others if name not in ahead)])}"
    if ahead:
        claim += f"; {listed([f'{name} puts {leaders[0]} first' for name, leaders in ahead.items()])}"
    agreed = [
        f"{other if measure == first else measure} {number(tau, 2)}"
        for measure, other, tau in report.rows("agreement", "measure", "other", "tau_b")
        if tau is not None and first in (measure, other) and measure != other and {measure, other} <= {*names}
    ]
    note = f"Kendall's tau with the order by {first}, 1 being the same: {', '.join(agreed)}." if agreed else ""
    picture = _places_picture(report, names[:_MOST_LISTED])
    return Caveat("Other measures.", bool(ahead), f"{claim}.", note, picture=picture)


def _places_picture(report: ReportData, measures: Sequence[str]) -> Picture:
    orders = {run: [report.means[name][run].place for name in measures] for run in report.runs}
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
        parts.append(f'<text x="{x}" y="96" text-anchor="{anchor}">{text(name)}</text>')
    texts = {run: listed([str(place) for place in order]) for run, order in orders.items()}
    return Picture("places", f"Places by {listed(measures)}", texts, parts, 102)


def _missing(report: ReportData) -> Caveat:
    lines = report.told("missing")
    if not lines:
        who = "Every run answers" if len(report.runs) > 1 else "The run answers"
        claim = f"{who} all {counted(len(report.topics), 'topic')}."
        return Caveat("Missing topics.", False, claim, remark="none missing")
    more = f" and {len(lines) - _MOST_LISTED} more" if len(lines) > _MOST_LISTED else ""
    claim = _sentence("; ".join(lines[:_MOST_LISTED]) + more, report.runs)
    return Caveat("Missing topics.", True, claim, "A topic left out scores as an empty ranking does.")


def _sentence(text: str, names: Sequence[str] = ()) -> str:
    """The text with a capital and a full stop; a name that it starts with stays as it is."""
    first = text[:1] if text.startswith(tuple(names)) else text[:1].upper()
    return first + text[1:] + ("" if text.endswith(".") else ".")


def summary(found: Sequence[Caveat]) -> str:
    count = sum(caveat.deserves_look for caveat in found)
    if not count:
        return f"Nothing of {in_words(len(found))} things that were looked at."
    things = "thing of {} deserves" if count == 1 else "things of {} deserve"
    return _sentence(f"{in_words(count)} {things.format(in_words(len(found)))} a look")


def gravest(found: Sequence[Caveat]) -> str:
    """The same sentence with what deserves a look first; nothing where nothing does."""
    titles = [caveat.title.removesuffix(".") for caveat in found if caveat.deserves_look]
    if not titles:
        return ""
    first = titles[0][:1].lower() + titles[0][1:]
    return f"{summary(found).removesuffix('.')}{', first of all' if len(titles) > 1 else ':'} {first}."
