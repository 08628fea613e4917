"""Steps that many measures take, evaluated once for all of them: to bind steps takes longer than to run them.

Meanwhile each step whose header says ``shared: yes`` is kept in a temporary table, which a temporary view or macro of
its name reads.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import NamedTuple

from evalsql.catalog.ddl import objects_of, signature, with_list
from evalsql.catalog.header import TIE_RULE, TIES
from evalsql.catalog.measure_names import Measure
from evalsql.catalog.queries import bound
from evalsql.catalog.relations import STEPS, Catalog, Relation
from evalsql.catalog.sql_text import bind_parameters, relation_calls
from evalsql.database.database import Database
from evalsql.literals import Value, literal

FEWEST = 6  # measures; for fewer the tables cost more than they spare
_UNREAD = ("", "")  # stands for arguments that are expressions
Arguments = frozenset[tuple[str, str]]


class Plan(NamedTuple):
    """The steps to keep, each after those it takes itself, and the measures that take them at their defaults."""

    steps: Sequence[Relation]
    measures: frozenset[str]


def planned(catalog: Catalog, measures: Sequence[Measure], fewest: int = 1) -> Plan:
    """What so many measures can share; one that takes a step with other arguments than the defaults goes alone."""
    sharing: dict[str, Iterable[str]] = {}
    for measure in measures if len(measures) >= fewest else ():
        # Measures of users may compare runs.
        if measure.relation not in catalog.own and measure.arguments.get(TIES, TIE_RULE) == TIE_RULE:
            steps = _steps(catalog, measure)
            if all(found <= {_defaults(catalog[step])} for step, found in steps.items()):
                sharing[measure.name] = steps
    if len(sharing) < fewest:
        return Plan([], frozenset())
    return Plan([catalog[step] for step in dict.fromkeys(chain(*sharing.values()))], frozenset(sharing))


@contextmanager
def kept(
    database: Database, catalog: Catalog, steps: Sequence[Relation], narrowed: Callable[[str], str]
) -> Iterator[Catalog]:
    """Have the steps' rows at their defaults, ``narrowed``, in temporary tables, where the catalogue finds them."""
    making: list[str] = []
    dropping: list[str] = []
    for step in steps:
        table = f"evalsql_{step.name}"
        rows = _body(catalog, step, {each.name: each.default for each in step.parameters})
        making += [f"create temp table {table} as {narrowed(rows)}", f"create temp {_reading(step)}"]
        (kind,) = objects_of(step)
        dropping += [f"drop table if exists temp.{table}", f"drop {kind} if exists temp.{step.name}"]
        catalog = catalog.for_connection([step.name])
    try:
        database.execute_all(making)
        yield catalog
    finally:
        database.execute_all(dropping[::-1])


def _reading(step: Relation) -> str:
    """The view or macro that reads the table; a macro called with other arguments is an error, never other rows."""
    table = f"temp.evalsql_{step.name}"
    if not step.parameters:
        return f"view {step.name} as select * from {table}"
    same = " and ".join(f"{each.name} is not distinct from {literal(each.default)}" for each in step.parameters)
    wrong = literal(f"{step.name} is kept for its defaults only")
    return (
        f"macro {step.name}({signature(step.parameters)}) as table select * from {table} "
        f"where case when {same} then true else error({wrong}) end"
    )


def together(catalog: Catalog, labelled: Sequence[tuple[str, Measure]]) -> str:
    """A SELECT of measures in long form, each under a name of one's own, from what the catalogue says is kept."""
    return "\nunion all\n".join(
        f"select qrels, run, topic, {label} as measure, value from (\n"
        f"{_body(catalog, measure.relation, measure.arguments)}\n)"
        for label, measure in labelled
    )


def _body(catalog: Catalog, relation: Relation, arguments: Mapping[str, Value]) -> str:
    """The body with these values, doubles being cast as a macro casts them: 0.7 by itself is a decimal."""
    texts = dict(with_list(catalog, relation, {name: literal(value) for name, value in arguments.items()}))
    for each in relation.parameters:
        if each.type == "double":
            brackets = "[]" if texts[each.name].startswith("[") else ""
            texts[each.name] = f"cast({texts[each.name]} as double{brackets})"
    return bound(catalog, relation, texts)


def _defaults(relation: Relation) -> Arguments:
    return frozenset((each.name, literal(each.default)) for each in relation.parameters)


def _steps(catalog: Catalog, measure: Measure) -> dict[str, set[Arguments]]:
    """Every shared step on the way to a measure with the arguments it is called with, each after those it takes."""
    found: dict[str, set[Arguments]] = {}
    seen: set[tuple[str, Arguments]] = set()

    def visit(relation: Relation, arguments: Arguments) -> None:
        if (relation.name, arguments) in seen:
            return
        seen.add((relation.name, arguments))
        if _UNREAD not in arguments:
            values = dict(arguments)
            for name, given in relation_calls(relation.body):
                if name in catalog.relations and catalog[name].kind in (STEPS, "measures"):
                    texts = {key: bind_parameters(text, values) for key, text in (given or {}).items()}
                    read = dict(_defaults(catalog[name])) | texts if given is not None else {"": ""}
                    visit(catalog[name], frozenset(read.items()))
        if relation.header.is_shared:
            found.setdefault(relation.name, set()).add(arguments)

    values = frozenset((name, literal(value)) for name, value in measure.arguments.items())
    visit(measure.relation, values)
    return found
