"""Whether a run is good enough: rules about its figures, alone and beside a baseline."""

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, NamedTuple

from evalsql.catalog import ddl, queries
from evalsql.catalog.measure_names import parse_measures, with_arguments
from evalsql.catalog.relations import Catalog
from evalsql.database.database import Database
from evalsql.database.names import named, resolve_one
from evalsql.errors import UsageError
from evalsql.evaluation import stored_scores
from evalsql.evaluation.boards import board_values
from evalsql.evaluation.evaluation import FAMILIES, Evaluation
from evalsql.evaluation.gate_rules import COMPARING, EXTENSIONS, ON_BOARDS, Figures, Rule, read_figures
from evalsql.evaluation.notices import on_figures
from evalsql.evaluation.selection import latest_run
from evalsql.literals import Value, literal, rows_query
from evalsql.phrases import shortened
from evalsql.version import __version__

COLUMNS = ("rule", "value", "limit", "p", "verdict", "note")
LATEST = "latest"
Baseline = str | Figures | None  # a run, or figures of one
# What every gate checks of a run with rankings.
CHECKS = (
    Rule("documents are retrieved", "documents", ">=", 1),
    Rule("judged documents are retrieved", "judged", ">=", 1),
    Rule("missing topics <= 0", "missing", "<=", 0),
)
_LACKING = Rule("missing collections <= 0", "lacking", "<=", 0)  # beside rules about a board
_NO_DROPS = (
    "select 0 as place, 0.0 as value, 0.0 as reference_mean, 0.0 as candidate_mean, '' as collection, [''] as lacking "
    "limit 0"
)
_MISLEADING = ("missing", "loading", "ids")  # what notices are about


class Verdict(NamedTuple):
    """A rule and its row of ``gate_notes``, or why it cannot be decided."""

    rule: Rule
    value: float | None
    p: float | None
    passes: bool
    note: str
    figure: str = "value"

    @property
    def row(self) -> tuple[Any, ...]:
        """What is shown of it, by the names of ``COLUMNS``."""
        numbers: list[float | None] = [self.value, self.rule.bound]
        if self.rule.is_count:
            numbers = [None if number is None else int(number) for number in numbers]
        return self.rule.text, *numbers, self.p, "passes" if self.passes else "fails", self.note


class Decision(NamedTuple):
    """What the rules say of a run, the topics of its largest drops (as ``gate_drops``), and notes on the comparison."""

    candidate: str
    qrels: str
    baseline: str | None
    verdicts: Sequence[Verdict]
    drops: Sequence[Any]
    notes: Sequence[str]

    @property
    def passes(self) -> bool:
        return all(verdict.passes for verdict in self.verdicts)

    @property
    def summary(self) -> str:
        failed = sum(not verdict.passes for verdict in self.verdicts)
        against = f" against {self.baseline}" if self.baseline else ""
        judged = f" ({self.qrels})" if self.qrels else ""
        broken = f"rules that fail: {failed} of {len(self.verdicts)}" if failed else "all rules hold"
        return f"{self.candidate}{against}{judged}: {broken}"


class _Question(NamedTuple):
    """What is judged by which rules; the values of the baseline have the run name ``reference``."""

    candidate: str
    qrels: str  # empty where figures over whole collections are judged
    reference: str | None
    figures: Figures | None
    rules: Sequence[Rule]

    @property
    def sets(self) -> Sequence[str]:
        return [self.qrels] if self.qrels else []


def decide(
    evaluation: Evaluation,
    candidate: str,
    rules: Sequence[Rule],
    *,
    baseline: Baseline = None,
    qrels: str | None = None,
    family: str = "measure",
) -> Decision:
    """What rules, and ``CHECKS``, say of a run, perhaps beside a baseline; raises UsageError if unsure."""
    database = evaluation.database
    asked = _resolved(evaluation, candidate, rules, baseline, qrels)
    inputs = _inputs(database.catalog, asked)
    inputs = {**inputs, "board_drops": _board_drops(evaluation, asked, inputs)}
    measures = list({rule.measure.name: rule.measure for rule in asked.rules if rule.measure}.values())
    runs = [asked.candidate] if asked.figures or asked.reference is None else [asked.candidate, asked.reference]
    with evaluation.with_scores(measures, qrels=asked.sets, runs=runs):
        if asked.figures:
            of, given = (asked.qrels, str(asked.reference)), asked.figures.measures
            values = [(*of, topic, name, repr(value)) for name in given for topic, value in given[name].items()]
            database.insert_text("temp.scores", values)
        # Those of groups of topics are there under the rules' labels.
        database.insert("temp.scores", database.query("gate_group_values", inputs))
        pair = {"candidate": asked.candidate, "reference": asked.reference}
        lost = database.query("gate_drops", inputs)
        found = {"gate_figures": database.query("gate_verdicts", inputs, family=family, **pair), "gate_losses": lost}
        figures = database.rows(database.query("gate_notes", {**inputs, **found}))
        drops = database.records(lost)
        notes = _notes(evaluation, asked, inputs, runs)
    if (num_tests := sum(rule.kind == "test" for rule in asked.rules)) > 1:
        notes.append(f"p of {num_tests} tests corrected by Holm, {FAMILIES[family]}")
    verdicts = []
    for rule, (_, *figure) in zip(asked.rules, figures, strict=True):
        verdict = Verdict(rule, *figure)
        verdicts.append(Verdict(rule, None, None, False, rule.problem) if rule.problem else verdict)
    name = baseline if isinstance(baseline, str) else asked.reference
    return Decision(asked.candidate, asked.qrels, name, verdicts, drops, notes)


def run_meant(database: Database, given: str, before: str | None = None) -> str:
    """The run of that name; ``latest``, perhaps with a condition, is the latest run, or the latest before another."""
    word, colon, asked = given.partition(":")
    if word != LATEST or database.rows("select 1 from runs where run = ?", [given]):
        return given
    if colon and not asked:
        raise UsageError(f'"{given}" ends in a colon, without a branch or condition; expected latest:main')
    return latest_run(database, asked.strip(), before and resolve_one(database, "run", before))


def baseline_meant(database: Database, given: str | None, candidate: str, folder: Path = Path()) -> Baseline:
    """The baseline: a run that is held, the latest one before the candidate, or a file of figures in the folder."""
    if given is None or database.rows("select 1 from runs where run = ?", [given]):
        return given
    is_file = Path(given).suffix.lower() in EXTENSIONS
    return read_figures(folder / given) if is_file else run_meant(database, given, candidate)


def measured(evaluation: Evaluation, candidate: str, rules: Sequence[Rule], *, qrels: str | None) -> Figures:
    """The figures of a run by the measures of rules, for a file that later gates compare with."""
    database = evaluation.database
    measures = parse_measures([rule.asked for rule in rules if rule.asked], database.catalog)
    run = resolve_one(database, "run", candidate)
    judged = evaluation.judging_set([run], qrels)
    values: dict[str, dict[str, float]] = {measure.name: {} for measure in measures}
    with evaluation.with_scores(measures, qrels=[judged], runs=[run]):
        for measure, topic, value in database.rows("select measure, topic, value from temp.scores"):
            values[measure][topic] = value
    return Figures(run, judged, _checksum(database, judged), __version__, values)


def _resolved(
    evaluation: Evaluation, candidate: str, rules: Sequence[Rule], baseline: Baseline, qrels: str | None
) -> _Question:
    """The runs, the judgment set and the rules that names stand for, each rule with what is wrong with it."""
    database = evaluation.database
    run = resolve_one(database, "run", candidate)
    known = [rule.resolved(database.catalog) for rule in rules]
    on_boards = any(rule.kind in ON_BOARDS for rule in known)
    # Figures over whole collections have no judgments, and rules about boards need none.
    needs_none = on_boards and qrels is None and all(rule.kind in (*ON_BOARDS, "lacking") for rule in known)
    is_judged = not needs_none or database.rows(evaluation.coverage_query([], [run])) != []
    judged = evaluation.judging_set([run], qrels) if is_judged else ""
    if on_boards and not any(rule.kind == "lacking" for rule in known):
        known.append(_LACKING)
    if baseline is None and (comparing := [rule for rule in known if rule.kind in COMPARING]):
        raise UsageError(f'rule "{comparing[0].text}" compares with a baseline; name one with --baseline')
    figures = baseline if isinstance(baseline, Figures) else None
    reference = f"{figures.run} (figures)" if figures else None
    if isinstance(baseline, str):
        reference = resolve_one(database, "run", baseline)
        if reference == run:
            raise UsageError(f"{run} is both candidate and baseline; name another baseline")
        if is_judged:
            evaluation.judging_set([reference], judged)
    kinds = {rule.kind for rule in known}
    checkable = _checkable(database, run, judged)
    checks = [each for each in CHECKS if each.kind in checkable and (each.kind != "missing" or "missing" not in kinds)]
    problems = [
        _without_figures(rule, figures) or _without_data(database, rule, run, judged, kinds, checkable) or rule.problem
        for rule in known
    ]
    asked = [rule._replace(problem=problem) for rule, problem in zip(known, problems, strict=True)]
    return _Question(run, judged, reference, figures, [*checks, *asked])


def _checkable(database: Database, run: str, qrels: str) -> Sequence[str]:
    """The kinds of rules about what is retrieved that can be decided: few without rankings, or for answers."""
    if database.rows("select 1 from qrels where qrels = ? and form = 'nuggets'", [qrels]):
        return ("missing",)
    return ("documents", "judged", "missing", "topic") if stored_scores.with_rankings(database, [run]) else ()


def _without_figures(rule: Rule, figures: Figures | None) -> str:
    """Why a rule cannot compare with a baseline that is a file of figures; empty if it can, or if there is none."""
    if figures and rule.kind in (*ON_BOARDS, "lacking"):
        return "compares with a run on each collection, and the baseline is a file of figures"
    if figures and rule.kind in COMPARING and rule.statistic == "total":
        return "compares what whole runs cost, and the baseline is a file of figures"
    if figures and rule.kind in COMPARING and rule.measure and rule.measure.name not in figures.measures:
        return f"the baseline has no values of {rule.measure.name}; --update-baseline writes them"
    return ""


def _without_data(
    database: Database, rule: Rule, run: str, qrels: str, kinds: AbstractSet[str], checkable: Collection[str]
) -> str:
    """Why the warehouse has nothing to decide a rule by; empty if it has."""
    if rule.kind == "lacking" and kinds.isdisjoint(ON_BOARDS):
        return "goes with a rule about a board, such as board nDCG@10 drop <= 0.005"
    if rule.kind in ("missing", "topic") and rule.kind not in checkable:
        return f"needs rankings, and none are here of {run}"
    if rule.kind == "kappa" and not database.rows("select 1 from qrels where qrels = ?", [rule.topic]):
        return f'no judgment set is called "{rule.topic}"'
    return _group_problem(database, qrels, *rule.group) if rule.group and not rule.problem else ""


def _group_problem(database: Database, qrels: str, key: str, value: str) -> str:
    of_key = f"from {named('topic_meta', 'qrels')} where qrels = ? and key = ?"
    held = database.rows(f"select distinct value {of_key} order by value", [qrels, key])
    if (value,) in held:
        return ""
    there = f"; there are: {shortened([each for (each,) in held])}" if held else ""
    return f"{qrels} has no topic with {key} = {value}{there}"


def _inputs(catalog: Catalog, asked: _Question) -> Mapping[str, str]:
    """The SELECTs that the relations of a gate read, each seeing those before it."""
    columns = "place, kind, comparison, bound, measure, less_is_better, topic, measure_name, group_key, group_value"
    columns += ", is_relative, statistic, word, cost"
    rules = rows_query(columns, [_row(*each) for each in enumerate(asked.rules)])
    reference = literal(asked.reference)  # without a baseline null, which no run is called
    own = f"where qrels = {literal(asked.qrels)} and run = {literal(asked.candidate)}"
    averaged, quantiles, totals = queries.averaged(catalog), catalog["gate_quantiles"].body, catalog["gate_totals"].body

    def figures(answered: str) -> str:
        means = f"select run, measure, value from ({averaged})\nunion all\nselect * from ({quantiles})"
        return queries.with_inputs(f"{means}\nunion all\nselect * from ({totals})", {"answered": answered})

    with_sets = ",".join(rule.topic for rule in asked.rules if rule.kind == "kappa" and rule.topic and not rule.problem)
    kappas = with_arguments(catalog, "cohen_kappa", names=with_sets, reference=asked.qrels).call
    return {
        "gate_rules": f"select * replace (bound::double as bound) from ({rules})",
        "gate_scores": "select * from temp.scores",
        "kappas": f"select other, kappa from {kappas}",
        "candidate_topics": f"select * from {ddl.created_name(catalog, catalog['averaged_topics'])} {own}",
        "baseline_topics": f"select distinct topic from temp.scores where run = {reference}",
        "first_ranks": f"select * from {catalog['first_relevant_ranks'].name} {own}",
        "compared_pairs": (
            f"select * from paired_differences(baseline := {reference}) "
            f"where baseline = {reference} and run = {literal(asked.candidate)}"
        ),
        "tests": f"select * from one_sided_t_tests(baseline := {reference}) where baseline = {reference}",
        "means": figures(queries.ANSWERS),
        "paired_means": figures(f"{queries.ANSWERS} semi join compared_pairs using (qrels, topic, measure)"),
    }


def _board_drops(evaluation: Evaluation, asked: _Question, inputs: Mapping[str, str]) -> str:
    """What the rules about boards read: drops of the versions that both runs are of, and collections that one lacks."""
    on_boards = [rule for rule in asked.rules if rule.kind in ON_BOARDS and not rule.problem]
    measures = {rule.measure.name: rule.measure for rule in on_boards if rule.measure}
    if not measures:
        return _NO_DROPS
    database, pair = evaluation.database, {"candidate": asked.candidate, "reference": asked.reference}
    with board_values(evaluation, measures, database.column(database.query("same_versions", {}, **pair))):
        return f"select * from {evaluation.keep(database.query('gate_board_drops', inputs, **pair))}"


def _row(place: int, rule: Rule) -> list[Value]:
    measure, is_lower, cost = "", False, None
    if rule.measure:
        measure, is_lower = rule.measure.name, rule.measure.relation.header.less_is_better
        cost = str(rule.measure.arguments["name"]) if rule.measure.relation.name == "cost" else None
    compared: list[Value] = [place, rule.kind, rule.comparison, str(rule.bound), rule.label or "", is_lower]
    compared += [rule.topic or "", measure, *(rule.group or ("", ""))]
    return [*compared, rule.is_relative, rule.statistic, rule.word, cost]


def _notes(evaluation: Evaluation, asked: _Question, inputs: Mapping[str, str], runs: Sequence[str]) -> list[str]:
    """Notes on what a decision leaves out."""
    database = evaluation.database
    notes = []
    if not any(rule.kind == "missing" and not rule.problem for rule in asked.rules):
        notes.append("only scores are stored: whether documents are retrieved and topics are missing is not checked")
    if asked.reference:
        how = {"qrels": asked.qrels, "sha256": asked.figures.qrels_sha256} if asked.figures else {}
        pair = {"candidate": asked.candidate, "reference": asked.reference}
        notes += database.remarks("gate_remarks", inputs, **pair, **how)
    measures = [rule.measure for rule in asked.rules if rule.measure]
    found = on_figures(evaluation, measures, asked.sets, runs)
    return notes + [each.text.strip() for each in found if each.about in _MISLEADING]


def _checksum(database: Database, qrels: str) -> str:
    """The SHA-256 of the judgments' file; empty for judgments from memory."""
    of_set = "from files join qrels on files.kind = 'qrels' and files.id = qrels.qrels_id where qrels.qrels = ?"
    found = database.rows(f"select files.sha256 {of_set}", [qrels])
    return found[0][0] or "" if found else ""
