"""From a relation's body to the statements that put it into a database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from evalsql.catalog import CONTRACT, Catalog, Relation
from evalsql.naming import Measure, default_measure, literal, quoted
from evalsql.syntax import bind_parameters

SCORES = "scores"
SCORES_COMMENT = "Every measure at its default parameters, in long form"


def statements(
    catalog: Catalog, wanted: Sequence[str] | None = None, *, temporary: bool = False
) -> Iterator[tuple[str, str]]:
    """What creates the views and macros of ``wanted`` (all if None), in build order, with their comments.

    Each statement comes with the place it is made from. Temporary relations live with the connection; they serve
    a file that is open for reading only.
    """
    create = "create or replace temp" if temporary else "create or replace"

    def made(relation: Relation) -> Iterator[tuple[str, str]]:
        for statement in (*_relation(relation, create), *(() if temporary else comments(relation))):
            yield f"{relation.path}:{relation.body_line}", statement

    order = catalog.build_order(wanted)
    for relation in order:
        if wanted is not None or relation.kind != "reports":
            yield from made(relation)
    if wanted is not None:
        return
    measures = [default_measure(relation) for relation in catalog.measures]
    yield SCORES, f"{create} view {SCORES} as\n{scores(measures)}"
    if not temporary:
        yield SCORES, f"comment on view {SCORES} is {literal(SCORES_COMMENT)}"
        for statement in _column_comments(SCORES, {**CONTRACT, "measure": "canonical name of the measure"}):
            yield SCORES, statement
    for relation in order:
        if relation.kind == "reports":
            yield from made(relation)


def _relation(relation: Relation, create: str) -> Iterator[str]:
    """A table macro where the relation has parameters, and for every measure; a view always."""
    if not relation.parameters and not relation.is_measure:
        yield f"{create} view {relation.name} as\n{relation.body}"
        return
    body = bind_parameters(relation, {parameter.name: parameter.name for parameter in relation.parameters})
    signature = ", ".join(
        f"{parameter.name} {parameter.type} := {literal(parameter.default)}" for parameter in relation.parameters
    )
    yield f"{create} macro {relation.name}({signature}) as table\n{body}"
    yield f"{create} view {relation.name} as\nselect * from {relation.name}()"


def comments(relation: Relation) -> Iterator[str]:
    """COMMENT ON for the relation and each of its columns."""
    header = relation.header
    facts = (
        ("", f"{header.measure}: {header.title}" if relation.is_measure else header.title),
        ("Parameters: ", "; ".join(f"{item.name}: {item.meaning}" for item in header.parameters)),
        ("Definition: ", header.definition),
        ("Reference: ", header.reference),
        ("Differs: ", header.differs),
    )
    comment = literal("\n".join(label + fact for label, fact in facts if fact))
    if relation.kind == "tables":
        yield f"comment on table {relation.name} is {comment}"
    else:
        yield f"comment on view {relation.name} is {comment}"
    if relation.parameters or relation.is_measure:
        yield f"comment on macro table {relation.name} is {comment}"
    yield from _column_comments(relation.name, relation.columns)


def _column_comments(relation: str, columns: Mapping[str, str]) -> Iterator[str]:
    for column, meaning in columns.items():
        yield f"comment on column {relation}.{column} is {literal(meaning)}"


def scores(measures: Sequence[Measure]) -> str:
    """A SELECT of ``measures`` in long form: qrels, run, topic, measure, value."""
    return "\nunion all\n".join(
        f"select qrels, run, topic, {literal(measure.name)} as measure, value from {measure.call}"
        for measure in measures
    )


def per_topic(measures: Sequence[Measure], scores: str) -> str:
    """A SELECT of ``scores`` in the order of the topics, the measures in the order they were asked for."""
    order = ", ".join(literal(measure.name) for measure in measures)
    return f"{scores}\norder by qrels, run, topic, list_position([{order}], measure)"


def leaderboard(catalog: Catalog, measures: Sequence[Measure], scores: str) -> str:
    """A SELECT of one row a run with a column for the mean of each measure, best by the first on top."""
    summary = with_inputs(catalog["summary"].body, {"scores": scores})
    columns = ", ".join(
        f"max(value) filter (where measure = {literal(measure.name)}) as {quoted(measure.name)}" for measure in measures
    )
    return f"select qrels, run, {columns} from (\n{summary}\n) group by qrels, run order by qrels, 3 desc, run"


def with_inputs(body: str, inputs: Mapping[str, str]) -> str:
    """``body`` reading the given SELECTs under the given names, each seeing those before it."""
    ctes = ",\n".join(f"{name} as (\n{sql}\n)" for name, sql in inputs.items())
    return f"with {ctes}\nselect * from (\n{body}\n)"


def relation_rows(catalog: Catalog) -> list[tuple[str, str, str]]:
    """The rows of the table ``relations``, in the order of its columns."""
    rows = [(relation.name, relation.kind, relation.header.title) for relation in catalog.build_order()]
    return [*rows, (SCORES, "reports", SCORES_COMMENT)]


def catalogue_rows(catalog: Catalog) -> list[tuple[str, ...]]:
    """The rows of the table ``measures``, in the order of its columns."""
    return [
        (
            relation.header.measure,
            relation.name,
            relation.header.title,
            ", ".join(relation.header.aliases),
            ", ".join(f"{item.name} = {literal(item.default)}" for item in relation.parameters),
            relation.header.definition,
            relation.header.reference,
            relation.header.differs,
            relation.header.range,
            relation.header.mean,
            "; ".join(relation.header.examples),
        )
        for relation in catalog.measures
    ]
