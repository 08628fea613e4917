"""What the page answers: who wins, by how much, whether that is sure, and on which topics the winner loses.

All wordings are in ``files/sentences.tsv``, and all are about one system: the first, or another that the reader chose.
The page carries them as data, and its script (``sentences.js``) fills them anew after a choice.
"""

import re
from collections.abc import Mapping, Sequence

from evalsql.phrases import counted, listed, read_cells
from evalsql.report.html import FILES, in_words, interval_text, number, signed, text
from evalsql.report.page.report_data import ReportData

MOST_NAMED = {"leaders": 3, "lost": 3, "tied": 5}  # systems and topics that a sentence names
_SAME = 12  # decimals to which two values are the same, as in the relation differences


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
    """What the answers say by a measure, whatever system and baseline are chosen."""
    first, *others = report.order(measure)
    facts = {"first": first, "mean": number(report.means[measure][first].value, digits), "is_only": not others}
    if not others:
        return facts
    leaders, most = report.leaders(measure), MOST_NAMED["leaders"]
    if len(leaders) > 1:
        more = len(leaders) - most
        facts["leaders"] = listed(leaders if more < 2 else [*leaders[:most], f"{in_words(more)} others"])
    also_first = [name for name in report.names if name != measure and not is_about_judgments(name)]
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


def is_about_judgments(measure: str) -> bool:
    """Whether a measure counts what was judged or returned, which is not how good a system is."""
    return measure.startswith(("Judged", "Unjudged", "Num"))


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


def topic_rows(report: ReportData) -> list[tuple[str, float, float, float, str]]:
    """The topics that the best system and the baseline have a value for, the worst first.

    With both values, their difference, which is 0 for a tie, and whether the system won, tied or lost.
    """
    measure, values = report.names[0], report.values(report.names[0])
    sign = -1 if measure in report.lower else 1
    rows = []
    for topic in report.topics:
        value, other = (values.get((run, topic)) for run in (report.runs[0], report.baseline))
        if value is not None and other is not None:
            difference = value - other if round(value - other, _SAME) else 0.0
            outcome = "tied" if not difference else "won" if sign * difference > 0 else "lost"
            rows.append((topic, value, other, difference, outcome))
    return sorted(rows, key=lambda row: sign * row[3])


def difference_text(difference: float, digits: int) -> str:
    """With more decimals where a difference would be shown as none."""
    while difference and digits < _SAME and not float(f"{difference:.{digits}f}"):
        digits += 1
    return signed(difference, digits)


def topics_sentence(report: ReportData, rows: Sequence[tuple[str, float, float, float, str]]) -> str:
    """On how many topics the best system loses and ties, and which of them."""
    named: dict[str, list[str]] = {"lost": [], "tied": [], "won": []}
    for topic, *_, outcome in rows:
        words = report.texts.get(topic)
        named[outcome].append(f"{topic} ({words})" if words else topic)
    lost, tied = named["lost"], named["tied"]
    facts = {
        **_names(report),
        "is_lost_once": len(lost) == 1,
        "lost": listed(lost[: MOST_NAMED["lost"]]),
        "num_lost": f"{len(lost):,}" if lost else "none",
        "num_topics": counted(len(rows), "topic"),
        "num_tied": tied and counted(len(tied), "topic"),
        "tied": listed(tied) if len(tied) <= MOST_NAMED["tied"] else "",
    }
    return tell("topics", facts)


def colours_sentence(report: ReportData) -> str:
    """Whose the coloured marks of a picture are, as HTML with the names in their colours."""
    facts = _names(report)
    others = len(report.runs) - len({facts["system"], facts["baseline"]})
    named = {kind: f'<span class="is-{kind}">{text(facts[kind])}</span>' for kind in ("system", "baseline")}
    return tell("colours", {**facts, **named, "others": others and counted(others, "other system")})
