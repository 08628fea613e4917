"""Whether a run is good enough: rules about its figures, alone and beside a baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from evalsql.catalog import ddl
from evalsql.catalog.ddl import relation_query
from evalsql.catalog.measure_names import Measure, literal, parse_measures
from evalsql.database.database import Database
from evalsql.database.names import only_qrels, resolve_one
from evalsql.errors import JOIN_RUN, UsageError
from evalsql.evaluation import stored_scores
from evalsql.evaluation.evaluation import Evaluation
from evalsql.evaluation.gate_rules import COMPARING, Figures, Rule
from evalsql.phrases import counted, shortened
from evalsql.version import __version__

MOST_NAMED = 5
DOCUMENTS = Rule("documents are retrieved", "documents", ">=", 1)
JUDGED = Rule("judged documents are retrieved", "judged", ">=", 1)
MISSING = Rule("missing topics <= 0", "missing", "<=", 0)


# The topics of groups, by name.
_GROUPS = """
    select qrels, topic, key, value
    from topic_meta
    join topics on topics.topic_id = topic_meta.topic_id
    join qrels on qrels.qrels_id = topic_meta.qrels_id
"""
_GROUPED = f"select topic from ({_GROUPS}) as grouped"


class Verdict(NamedTuple):
    """A rule, its figure, the one-sided p before correction where it tests, and why it does not hold."""

    rule: Rule
    value: float | None
    p: float | None
    passes: bool
    note: str


class Drop(NamedTuple):
    """A topic on which the candidate is worse than the baseline."""

    measure: str
    topic: str
    before: float
    after: float


class Decision(NamedTuple):
    """What the rules say of a run, the topics of its largest drops, and what else there is to say."""

    candidate: str
    qrels: str
    baseline: str | None
    verdicts: Sequence[Verdict]
    drops: Sequence[Drop]
    notes: Sequence[str]

    @property
    def passes(self) -> bool:
        return all(verdict.passes for verdict in self.verdicts)


class _Asked(NamedTuple):
    """What is judged by what; ``reference`` is the name under which the baseline stands among the values."""

    candidate: str
    qrels: str
    reference: str | None
    figures: Figures | None
    rules: Sequence[Rule]


def decide(
    evaluation: Evaluation,
    candidate: str,
    rules: Sequence[Rule],
    *,
    baseline: str | Figures | None = None,
    qrels: str | None = None,
) -> Decision:
    """What rules say of a run. That it has documents, judged ones among them, and misses no topic is always a rule.

    Args:
        baseline: another run, or figures of one.
        qrels: the judgment set, where several evaluate the run.

    Raises:
        UsageError: names that are not known, or a rule that compares where there is no baseline.
    """
    asked = _resolved(evaluation, candidate, rules, baseline, qrels)
    measures = {rule.measure.name: rule.measure for rule in asked.rules if rule.measure}
    with _values(evaluation, asked, list(measures.values())):
        inputs = _inputs(evaluation, asked)
        missing = evaluation.database.rows(ddl.with_inputs("select topic from missing_topics order by topic", inputs))
        arguments = {"candidate": asked.candidate, "reference": asked.reference}
        figures = evaluation.database.rows(
            relation_query(evaluation.database.catalog, "gate_verdicts", inputs, **arguments)
        )
        drops = [
            Drop(*row[:4])
            for row in evaluation.database.rows(
                relation_query(evaluation.database.catalog, "gate_drops", inputs, most=MOST_NAMED)
            )
        ]
        notes = _notes(evaluation, asked)
    by_place = {place: (value, p, passes) for place, value, p, passes in figures}
    verdicts = [
        _verdict(rule, by_place[place], [topic for (topic,) in missing], drops)
        for place, rule in enumerate(asked.rules)
    ]
    name = baseline if isinstance(baseline, str) else asked.reference
    return Decision(asked.candidate, asked.qrels, name, verdicts, drops, notes)


def measured(evaluation: Evaluation, candidate: str, measures: Sequence[Measure], *, qrels: str | None) -> Figures:
    """The figures of a run, for a file that later gates compare with."""
    run = resolve_one(evaluation.database, "run", candidate)
    judged = _judgments(evaluation, run, qrels)
    values: dict[str, dict[str, float]] = {measure.name: {} for measure in measures}
    with evaluation.with_scores(measures, qrels=[judged], runs=[run]):
        for measure, topic, value in evaluation.database.rows("select measure, topic, value from temp.scores"):
            values[measure][topic] = value
    return Figures(run, judged, _checksum(evaluation, judged), __version__, values)


def _resolved(
    evaluation: Evaluation, candidate: str, rules: Sequence[Rule], baseline: str | Figures | None, qrels: str | None
) -> _Asked:
    database = evaluation.database
    run = resolve_one(database, "run", candidate)
    judged = _judgments(evaluation, run, qrels)
    known = [rule.resolved(database.catalog) for rule in rules]
    if baseline is None and (comparing := [rule for rule in known if rule.kind in COMPARING]):
        raise UsageError(f'rule "{comparing[0].text}" compares with a baseline; name one with --baseline')
    figures = baseline if isinstance(baseline, Figures) else None
    has_rankings = not stored_scores.is_stored(database, run)
    own = [DOCUMENTS, JUDGED] if has_rankings else []
    if has_rankings and not any(rule.kind == "missing" for rule in known):
        own.append(MISSING)
    for rule in known:
        problem = rule.problem
        if figures and rule.kind in COMPARING and rule.measure and rule.measure.name not in figures.measures:
            problem = f"the baseline has no values of {rule.measure.name}; --update-baseline writes them"
        elif not has_rankings and rule.kind in ("missing", "topic"):
            problem = f"needs rankings, and only scores are stored of {run}"
        elif rule.group:
            problem = _group_problem(database, *rule.group, judged) or problem
        own.append(rule._replace(problem=problem))
    reference = f"{figures.run} (figures)" if figures else None
    if isinstance(baseline, str):
        reference = resolve_one(database, "run", baseline)
        if reference == run:
            raise UsageError(f"{run} is candidate and baseline; a run is never worse than itself")
        _judgments(evaluation, reference, judged)
    return _Asked(run, judged, reference, figures, own)


def _group_problem(database: Database, key: str, value: str, qrels: str) -> str:
    """That there is no topic of a group; empty where there is one."""
    rows = database.rows(
        f"select distinct value from ({_GROUPS}) where qrels = ? and key = ? order by value", [qrels, key]
    )
    held = [each for (each,) in rows]
    there = f"; there are: {', '.join(held[:5])}" if held else ""
    return "" if value in held else f"{qrels} has no topic with {key} = {value}{there}"


def _judgments(evaluation: Evaluation, run: str, qrels: str | None) -> str:
    """The judgment set that evaluates a run: the one that is asked for, else the only one."""
    # Judgments that newer ones have replaced evaluate a run where they are named, and not otherwise.
    asked = None if qrels is None else resolve_one(evaluation.database, "qrels", qrels)
    covered = evaluation.coverage_query([] if asked is None else asked, [run])
    held = sorted({name for name, *_ in evaluation.database.rows(covered)})
    if not held:
        which = qrels or "no judgment set"
        what = f"{run} is not evaluated by {which}" if qrels else f"{which} evaluates {run}"
        raise UsageError(f"{what}; {JOIN_RUN}")
    several = f"{run} is evaluated by several judgment sets, name one with --qrels"
    return only_qrels(evaluation.database, asked, several, held)


@contextmanager
def _values(evaluation: Evaluation, asked: _Asked, measures: Sequence[Measure]) -> Iterator[None]:
    """Have the values of candidate and baseline as the view scores, and the rules as a table."""
    database = evaluation.database
    runs = [asked.candidate] if asked.figures or asked.reference is None else [asked.candidate, asked.reference]
    with evaluation.with_scores(measures, qrels=[asked.qrels], runs=runs):
        if asked.figures:
            rows = [
                (topic, name, value) for name, own in asked.figures.measures.items() for topic, value in own.items()
            ]
            database.execute(
                f"""
                insert into temp.scores (qrels, run, topic, measure, value)
                select {literal(asked.qrels)}, {literal(asked.reference)},
                    unnest(?::varchar[]), unnest(?::varchar[]), unnest(?::double[])
                """,
                [list(column) for column in zip(*rows, strict=True)],
            )
        _add_groups(database, asked)
        database.execute("""
            create or replace temp table gate_rules (place integer, kind varchar, comparison varchar, bound double,
                measure varchar, less_is_better boolean, topic varchar)
        """)
        try:
            for place, rule in enumerate(asked.rules):
                less = bool(rule.measure and rule.measure.relation.header.less_is_better)
                row = [place, rule.kind, rule.comparison, rule.bound, rule.label, less, rule.topic]
                database.execute("insert into temp.gate_rules values (?, ?, ?, ?, ?, ?, ?)", row)
            yield
        finally:
            database.execute("drop table if exists temp.gate_rules")


def _add_groups(database: Database, asked: _Asked) -> None:
    """Have the values of the topics of a group under the label of the rules about it."""
    for label, rule in {rule.label: rule for rule in asked.rules if rule.measure and rule.group}.items():
        key, value = rule.group or ("", "")
        database.execute(
            f"""
            insert into temp.scores (qrels, run, topic, measure, value)
            select qrels, run, topic, ?, value from temp.scores
            where measure = ? and topic in ({_GROUPED} where qrels = ? and key = ? and value = ?)
            """,
            [label, rule.measure.name if rule.measure else None, asked.qrels, key, value],
        )


def _inputs(evaluation: Evaluation, asked: _Asked) -> Mapping[str, str]:
    """The SELECTs that the relations of a gate read, each seeing those before it."""
    catalog = evaluation.database.catalog
    reference = literal(asked.reference)
    own = f"where qrels = {literal(asked.qrels)} and run = {literal(asked.candidate)}"
    evaluated = ddl.created_name(catalog, catalog["evaluated_topics"])
    averaged = ddl.averaged(catalog)
    return {
        "gate_rules": "select * from temp.gate_rules",
        "candidate_topics": f"select * from {evaluated} {own}",
        # Without a baseline its name is null, which no run has.
        "baseline_topics": f"select distinct topic from temp.scores where run = {reference}",
        "missing_topics": catalog["gate_missing_topics"].body,
        "first_ranks": f"select * from {catalog['first_relevant_ranks'].name} {own}",
        "compared_pairs": (
            f"select * from paired_differences(baseline := {reference}) "
            f"where baseline = {reference} and run = {literal(asked.candidate)}"
        ),
        "tests": f"select * from one_sided_t_tests(baseline := {reference}) where baseline = {reference}",
        "means": ddl.with_inputs(averaged, {"answered": ddl.ANSWERS}),
        "paired_means": ddl.with_inputs(averaged, {"answered": catalog["paired_values"].body}),
    }


def _verdict(
    rule: Rule, figure: tuple[float | None, float | None, bool], missing: Sequence[str], drops: Sequence[Drop]
) -> Verdict:
    value, p, passes = figure
    if rule.problem:
        return Verdict(rule, None, None, False, rule.problem)
    return Verdict(rule, value, p, passes, "" if passes else _reason(rule, value, missing, drops))


def _reason(rule: Rule, value: float | None, missing: Sequence[str], drops: Sequence[Drop]) -> str:
    if rule.kind == "documents":
        return "the run has no documents for the topics of the judgments"
    if rule.kind == "judged":
        return "nothing retrieved is judged; are the ids of run and judgments the same?"
    if rule.kind == "missing":
        return f"missing: {shortened(missing, MOST_NAMED)}"
    if rule.kind == "topic" and value is None:
        return f"no relevant document of topic {rule.topic} is retrieved, or the judgments lack the topic"
    if value is None:
        return "there are too few topics to tell"
    return lost_topics(drops, rule.label) if rule.kind in COMPARING and rule.label else ""


def lost_topics(drops: Sequence[Drop], measure: str) -> str:
    """The largest drops of a measure in a line; empty where there is none."""
    own = [f"topic {each.topic} {each.before:.4f} to {each.after:.4f}" for each in drops if each.measure == measure]
    return "largest drops: " + ", ".join(own) if own else ""


def _notes(evaluation: Evaluation, asked: _Asked) -> list[str]:
    """What makes a comparison with a baseline less than it seems."""
    database = evaluation.database
    notes = []
    if stored_scores.is_stored(database, asked.candidate):
        notes.append("only scores are stored: whether documents are retrieved and topics are missing is not checked")
    if asked.figures:
        ((new,),) = database.rows(
            """
            select count(distinct topic) from temp.scores
            where run = ? and topic not in (select topic from temp.scores where run = ?)
            """,
            [asked.candidate, asked.reference],
        )
        if new:
            notes.append(f"the baseline lacks {counted(new, 'topic')} of the run; drops and tests leave these out")
        now = _checksum(evaluation, asked.qrels)
        if asked.figures.qrels_sha256 and now and asked.figures.qrels_sha256 != now:
            notes.append("the judgments are not those that the baseline's figures were made with")
    elif asked.reference:
        for _, run, _, count, _ in database.rows(evaluation.coverage_query([asked.qrels], [asked.reference])):
            if count:
                notes.append(f"the baseline {run} misses {counted(count, 'topic')}, scored as empty rankings")
    return notes


def _checksum(evaluation: Evaluation, qrels: str) -> str:
    """The SHA-256 of the judgments' file; empty for judgments from memory."""
    found = evaluation.database.rows(
        "select sha256 from files join qrels on kind = 'qrels' and id = qrels_id where qrels = ?", [qrels]
    )
    return found[0][0] or "" if found else ""


def baseline_measures(rules: Sequence[Rule], evaluation: Evaluation) -> list[Measure]:
    """The measures that rules name, all of which have to be known."""
    return parse_measures([rule.asked for rule in rules if rule.asked], evaluation.database.catalog)
