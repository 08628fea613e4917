"""SELECTs of values of measures, and of relations over given rows."""

import re
from collections.abc import Iterable, Mapping, Sequence

from evalsql.catalog.header import TIE_RULE
from evalsql.catalog.measure_names import Measure, default_measure, tie_variants
from evalsql.catalog.relations import Catalog, Relation
from evalsql.catalog.sql_text import bind_parameters, in_schemas
from evalsql.literals import Value, literal, literals, quoted

SCORES = "scores"
STORED = "stored_values"  # the relation of values that were computed elsewhere
# What the views of reports read as their input "answered".
ANSWERS = f"select qrels, run, topic, measure, 'rule' as ties, value from {SCORES}"
_NAMES = "qrels.qrels, runs.run, topics.topic, cast(null as varchar) as measure"
NO_SCORES = f"select {_NAMES}, cast(null as double) as value from qrels, runs, topics limit 0"
_TABLE_ROWS = re.compile(r"select \* from \w+( where .*)?")


def bound(catalog: Catalog, relation: Relation, arguments: Mapping[str, str]) -> str:
    """The body with arguments for its parameters, and the schema before the names of steps."""
    schemas = {step: schema for step, schema in catalog.schemas.items() if step not in relation.header.inputs}
    return in_schemas(bind_parameters(relation.body, arguments), schemas)


def scores(measures: Sequence[Measure]) -> str:
    """A SELECT of ``measures`` in long form: qrels, run, topic, measure, value."""
    return labelled_scores([(literal(measure.name), measure) for measure in measures])


def labelled_scores(measures: Sequence[tuple[str, Measure]]) -> str:
    """The same, each measure under the SQL expression that is its label."""
    return "\nunion all\n".join(
        f"select qrels, run, topic, {label} as measure, value from {measure.call}" for label, measure in measures
    )


def grouped(catalog: Catalog, labelled: Sequence[tuple[str, Measure]]) -> list[tuple[str, Measure]]:
    """The measures with their labels; those that differ in the cutoff alone are one measure with a list of cutoffs."""
    groups: dict[object, dict[Value, tuple[str, Measure]]] = {}
    for label, measure in labelled:
        name = catalog.list_parameter(measure.relation)
        rest = frozenset(item for item in measure.arguments.items() if item[0] != name)
        place: object = (measure.relation.name, rest)
        while (value := measure.arguments.get(name)) in groups.setdefault(place, {}):
            place = (place, value)
        groups[place][value] = label, measure
    found = []
    for group in groups.values():
        label, measure = next(iter(group.values()))
        expression = literal(label)
        if len(group) > 1:
            name = catalog.list_parameter(measure.relation)
            cases = (f"when {name} is not distinct from {literal(at)} then {literal(group[at][0])}" for at in group)
            expression = f"case {' '.join(cases)} end"
            measure = Measure(measure.relation, {**measure.arguments, name: list(group)})
        found.append((expression, measure))
    return found


def per_topic(measures: Sequence[Measure], scores: str) -> str:
    """A SELECT of ``scores`` in the order of the topics, the measures in the order they were asked for."""
    return f"{scores}\norder by qrels, run, topic, list_position([{literals(each.name for each in measures)}], measure)"


def means(catalog: Catalog, scores: str) -> str:
    """A SELECT of the means of ``scores``: qrels, run, measure, value."""
    averages = relation_query(catalog, "mean_values", {SCORES: scores, "answered": ANSWERS})
    return f"select qrels, run, measure, value from (\n{averages}\n)"


def board(measures: Sequence[Measure], means: str) -> str:
    """A SELECT of means with one row a run and a column for each measure, in ``board_order``."""
    columns = value_columns("measure", [measure.name for measure in measures])
    return f"select qrels, run, {columns} from (\n{means}\n) group by qrels, run order by {board_order(measures)}"


def value_columns(column: str, names: Iterable[str]) -> str:
    """A column of values for each name that the rows of a group have in this column."""
    # No column's name is empty, and in DuckDB 1.5 none has a NUL.
    named = {name: quoted(name.replace("\0", "\u2400") or " ") for name in names}
    return ", ".join(f"map(list({column}), list(value))[{literal(name)}] as {named[name]}" for name in named)


def board_order(measures: Sequence[Measure]) -> str:
    """The order of a leaderboard: within a judgment set best by the first measure on top."""
    return f"qrels, 3 {'' if measures[0].relation.header.less_is_better else 'desc'}, run"


def tied_answers(measure: Measure, without: str = "") -> str:
    """A SELECT of one measure under every order of ties that it knows: qrels, run, topic, measure, ties, value."""
    labels = "select qrels, run, topic, {} as measure, {} as ties, value from {}"
    return "\nunion all\n".join(
        labels.format(literal(measure.name), literal(ties), variant.call)
        for ties, variant in {TIE_RULE: measure, **tie_variants(measure)}.items()
        if ties != without
    )


def tie_report(catalog: Catalog, report: str, answers: str) -> str:
    """A SELECT of a report on ties, ``tie_effects`` or ``tie_dependent_pairs``, over the given values."""
    effects, averages = relation_query(catalog, "tie_effects"), averaged(catalog)
    return relation_query(catalog, report, {"answered": answers, "tied_means": averages, "tie_effects": effects})


def averaged(catalog: Catalog) -> str:
    """A SELECT of the mean of each measure over all topics of the judgments."""
    return relation_query(catalog, "mean_values")


def relation_query(catalog: Catalog, name: str, inputs: Mapping[str, str] = {}, **arguments: Value) -> str:
    """The SELECT of a relation that is no view over the given inputs; parameters have their defaults if not given."""
    given = {**default_measure(catalog[name]).arguments, **arguments}
    body = bound(catalog, catalog[name], {key: literal(value) for key, value in given.items()})
    return with_inputs(body, inputs) if inputs else body


def with_inputs(body: str, inputs: Mapping[str, str]) -> str:
    """``body`` reading the given SELECTs under the given names, each seeing those before it."""
    # The engine copies what is read twice. Rows of a table are read twice where they are, which is faster.
    kinds = {name: "not materialized " if _TABLE_ROWS.fullmatch(sql) else "" for name, sql in inputs.items()}
    ctes = ",\n".join(f"{name} as {kinds[name]}(\n{sql}\n)" for name, sql in inputs.items())
    return f"with {ctes}\nselect * from (\n{body}\n)"
