"""What a page answers: who wins, by how much, how surely, on which topics the winner loses; and what to doubt.

Wordings of answers are in ``files/sentences.tsv``, about one system: the first, or another that the reader chose.
The page carries them as data, and its script (``sentences.js``) fills them anew after a choice. A doubt is a claim with
what follows from it and a small picture.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from evalsql.catalog.measure_names import Measure
from evalsql.phrases import counted, listed, read_cells
from evalsql.report.html import FILES, in_words, interval_text, number, share, signed, text
from evalsql.report.page.report_data import ReportData

MOST_NAMED = {"leaders": 3, "lost": 3, "tied": 5}  # systems and topics that a sentence names
_SAME = 12  # decimals to which two values are the same, as in the relation differences
FEW = 0.05  # share of documents without judgments up to which a figure is taken as it is
_MOST_LISTED = 5
_DEPTHS = (10, 100, 1000)
# By what notices are about: what follows, what is said where there are none, a remark on that, and the title.
_OF_NOTICES = {about: words for about, *words in read_cells(FILES / "doubts.tsv")}


def _read_sentences() -> Mapping[str, Sequence[tuple[str, str]]]:
    """By name what is said under which fact, the first that holds; "" always does. Braces name facts or sentences."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name, fact, words in read_cells(FILES / "sentences.tsv"):
        found.setdefault(name, []).append((fact, words))
    return found


SENTENCES = _read_sentences()


def tell(name: str, facts: Mapping[str, object]) -> str:
    """The sentence of that name, filled with facts and other sentences."""
    sentence = next(words for fact, words in SENTENCES[name] if not fact or facts.get(fact))

    def filled(found: re.Match[str]) -> str:
        return tell(found[1], facts) if found[1] in SENTENCES else str(facts[found[1]])

    return re.sub(r"\{(\w+)\}", filled, sentence)


def answers(report: ReportData, digits: int) -> list[tuple[str, str, str]]:
    """Question, answer in a word and a sentence, for the best system by the first measure and the usual baseline."""
    facts = {**measure_facts(report, report.names[0], digits), **_choice_facts(report, digits)}
    questions = {tell("question", facts): "winner", "By how much?": "margin", "Is it sure?": "certainty"}
    return [(question, tell(name, facts), tell(f"{name}_text", facts)) for question, name in questions.items()]


def measure_facts(report: ReportData, measure: str, digits: int) -> dict[str, object]:
    """What the answers say of a measure, whatever system and baseline are chosen."""
    first, *others = report.order(measure)
    facts = {"first": first, "mean": number(report.means[measure][first].value, digits), "is_only": not others}
    if not others:
        return facts
    leaders, most = report.leaders(measure), MOST_NAMED["leaders"]
    if len(leaders) > 1:
        more = len(leaders) - most
        facts["leaders"] = listed(leaders if more < 2 else [*leaders[:most], f"{in_words(more)} others"])
    also_first = [each.name for each in report.measures if each.name != measure and not is_about_judgments(each)]
    over_next = report.pairs.get((measure, others[0], first))
    beside = [report.pairs.get((measure, first, run)) for run in others]
    alike = sum(not pair.is_sure for pair in beside if pair)
    return {
        **facts,
        "also_first": listed([name for name in also_first if report.leaders(name) == [first]]),
        "lead": signed(over_next.difference, digits) if over_next else "",
        "alike": "one other" if alike == 1 else f"{in_words(alike)} others",
        "is_first_for_sure": not alike,
    }


def is_about_judgments(measure: Measure) -> bool:
    """Whether a measure counts what was judged or returned, which is not how good a system is."""
    return measure.relation.is_packaged and measure.name.startswith(("Judged", "Unjudged", "Num"))


def _choice_facts(report: ReportData, digits: int) -> dict[str, object]:
    """What the answers say of the best system beside the baseline, or beside the next if it is the baseline itself."""
    measure, (system, *others), baseline = report.names[0], report.runs, report.baseline
    rival = others[0] if system == baseline and others else baseline
    facts = {
        **_names(report),
        "measure": measure,
        "baseline_mean": number(report.means[measure][baseline].value, digits),
        "rival": rival,
        "num_runs": len(report.runs),
        "corrected": report.corrected,
        "is_one_of_two": len(others) == 1,
        "is_leading_baseline": system == baseline,
    }
    pair = report.pairs.get((measure, rival, system))
    if pair is None:
        return {**facts, "difference": "", "has_no_interval": True}
    is_better = (pair.difference > 0) != (measure in report.lower)
    is_widened = not pair.is_sure and pair.half_width is not None and abs(pair.difference) > pair.half_width
    return {
        **facts,
        "difference": signed(pair.difference, digits),
        "has_no_interval": pair.widened_low is None,
        "is_sure": pair.is_sure,
        "is_better": is_better,
        "is_surely_better": pair.is_sure and is_better,
        "interval": interval_text(pair.low, pair.high, digits, signed),
        "widened": is_widened and interval_text(pair.widened_low, pair.widened_high, digits, signed),
    }


def _names(report: ReportData) -> dict[str, object]:
    system, baseline = report.runs[0], report.baseline
    return {"system": system, "baseline": baseline, "is_baseline": system == baseline, "is_only": len(report.runs) == 1}


def difference_text(difference: float, digits: int) -> str:
    """With more decimals where a difference would be shown as none."""
    while difference and digits < _SAME and not float(f"{difference:.{digits}f}"):
        digits += 1
    return signed(difference, digits)


def topics_sentence(report: ReportData) -> str:
    """On how many topics the best system loses and ties, and which of them."""
    named: dict[str, list[str]] = {"lost": [], "tied": [], "won": []}
    for each in report.outcomes:
        words = report.texts.get(each.topic)
        named[each.outcome].append(f"{each.topic} ({words})" if words else each.topic)
    lost, tied = named["lost"], named["tied"]
    facts = {
        **_names(report),
        "is_lost_once": len(lost) == 1,
        "lost": listed(lost[: MOST_NAMED["lost"]]),
        "num_lost": f"{len(lost):,}" if lost else "none",
        "num_topics": counted(len(report.outcomes), "topic"),
        "num_tied": tied and counted(len(tied), "topic"),
        "tied": listed(tied) if len(tied) <= MOST_NAMED["tied"] else "",
    }
    return tell("topics", facts)


def colours_sentence(report: ReportData) -> str:
    """Which systems the coloured marks of a picture stand for, as HTML with the names in their colours."""
    facts = _names(report)
    others = len(report.runs) - len({facts["system"], facts["baseline"]})
    named = {kind: f'<span class="is-{kind}">{text(facts[kind])}</span>' for kind in ("system", "baseline")}
    return tell("colours", {**facts, **named, "others": others and counted(others, "other system")})


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
    note, none, remark, title = _OF_NOTICES[about]
    if lines:
        return Caveat(title, about != "forms", _sentence("; ".join(lines), names), note)
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
    names = [measure.name for measure in report.measures if not is_about_judgments(measure)]
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
