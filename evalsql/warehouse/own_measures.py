"""Measures of users: read from files, kept in a warehouse, and held to the contract of columns, rows and values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import nullcontext
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsql.catalog import ddl, queries
from evalsql.catalog.header import CONTRACT, Alias
from evalsql.catalog.measure_names import is_measure, parse_measures
from evalsql.catalog.relations import (
    BUILDABLE,
    GENERATED,
    STEPS,
    Catalog,
    Relation,
    read_catalog,
    read_relation,
    read_relations,
)
from evalsql.catalog.sql_text import bind_parameters, relation_calls, renamed
from evalsql.database import statement_text
from evalsql.database.statement_calls import EFFECTS, UNSEEN
from evalsql.errors import USE_REPLACE, CatalogError, EvalsqlError, QueryError, UsageError, warn
from evalsql.literals import literal

if TYPE_CHECKING:
    from evalsql.database.database import Database


def check_own(database: Database, *, only_warn: bool = False) -> None:
    """Raise CatalogError where a user's own measure breaks the contract, or only warn of it, as after a load."""
    for relation in filter(lambda each: each.is_measure, database.catalog.own):
        try:
            with database.limited(relation.header.measure) if only_warn else nullcontext():
                check_contract(database, relation)
        except EvalsqlError as error:
            told = fault_in(relation, error) if isinstance(error, QueryError) else error
            if not only_warn:
                raise told from error
            warn(str(told))


def check_contract(database: Database, relation: Relation) -> None:
    """Raise CatalogError where a measure breaks the contract; the message names the file."""
    columns = _columns_of_body(database, relation)
    expected = [f"{name} {'DOUBLE' if name == 'value' else 'VARCHAR'}" for name in CONTRACT]
    found = list(columns.values())
    if found[: len(expected)] != expected or list(columns) != list(relation.columns):
        wanted = ", ".join([*expected, *relation.header.columns])
        raise CatalogError(f"{relation.path}:{relation.body_line}: gives columns {', '.join(found)}; expected {wanted}")
    low, high = relation.header.bounds
    evaluated, answered = "select [count(*)] from evaluations", database.catalog["answered_topics"]
    if answered in database.catalog.build_order([relation.name]):
        kinds = ", ".join(f"count(*) filter (where kind = '{kind}')" for kind in ("nuggets", "citations"))
        evaluated = f"select [{kinds}] from {ddl.created_name(database.catalog, answered)}"
    counts = f"""
        select
            count(*), count(distinct (qrels, run, topic)), ({evaluated}),
            count(*) filter (where not coalesce(isfinite(value), false)),
            count(*) filter (where is_outside),
            min(concat(value, ' of ', run, ' on topic ', topic)) filter (where is_outside)
        from (select *, value not between ?::double - 1e-9 and ?::double + 1e-9 as is_outside from {relation.name})
    """
    ((rows, distinct, num_evaluated, unusable, outside, example),) = database.rows(counts, [low, high])
    if rows != distinct or rows not in num_evaluated:
        wanted = " or ".join(map(str, num_evaluated))
        raise CatalogError(f"{relation.path}: gives {rows} rows for {wanted} topics evaluated")
    if unusable:
        advice = "coalesce(..., 0) gives a value to topics that have none"
        raise CatalogError(f"{relation.path}: {unusable} values are null, NaN or infinite; {advice}")
    if outside:
        raise CatalogError(f"{relation.path}: {outside} values are outside the range of {low:g} to {high:g}: {example}")


def _columns_of_body(database: Database, relation: Relation) -> dict[str, str]:
    """Name and type of each column of the body, by name; what is made of it has the contract's types in any case."""
    catalog, defaults = database.catalog, {each.name: literal(each.default) for each in relation.parameters}
    typed = [each for each in relation.parameters if each.type != "any"]
    defaults |= {each.name: f"cast({defaults[each.name]} as {each.type})" for each in typed}
    query = queries.bound(catalog, relation, ddl.with_list(catalog, relation, defaults))
    described = database.rows(f"describe {query}")
    of_list = catalog.list_parameter(relation)
    return {name: f"{name} {kind}" for name, kind, *_ in described if name != of_list}


def fault_in(relation: Relation, error: QueryError) -> CatalogError:
    """What the engine says of a call, with the line of the file that has the name it stumbles over, if one has."""
    # In one line, as a measure may fail with any words. Behind LINE is the call's.
    words = " ".join(str(error).partition("\nLINE ")[0].split())
    named = re.findall(r'"(?:\w+\.)?(\w+)"', str(error).partition("\n")[0])[-1:]
    lines = relation.body.lower().splitlines()
    above = next((at for at, line in enumerate(lines) for name in named if re.search(rf"\b{name.lower()}\b", line)), 0)
    return CatalogError(f"{relation.path}:{relation.body_line + above}: {words}")


_ROW_SOURCES = frozenset(("unnest", "generate_series", "range"))
# Steps that version 0.1.0 called otherwise, with the same columns.
_RENAMED = {"evaluated": "evaluated_topics", "topic_facts": "topic_counts", "gained_ranks": "gains_by_rank"}
Sources = str | Path | Iterable[str | Path]


def read_sources(sources: Sources) -> list[Relation]:
    listed = [sources] if isinstance(sources, str | Path) else sources
    return [relation for source in listed for relation in read_relations(source)]


def with_added(database: Database) -> Catalog:
    """The package's catalogue with the relations kept in the file; those it cannot have are left out with a warning."""
    catalog = read_catalog()
    for name, text in _texts(database).items():
        try:
            catalog = with_one(catalog, read_kept(name, text, database.path))
        except CatalogError as error:
            warn(f"{error}; it is left out")
    return catalog


def with_one(catalog: Catalog, relation: Relation) -> Catalog:
    """The catalogue with one more, which reads what is there. The digest goes by the order in which they come."""
    extended = catalog.extended([relation])
    extended.build_order([relation.name])
    check_bodies(extended, [relation])
    return extended


def add(database: Database, relations: Sequence[Relation], *, replace: bool) -> None:
    """Put relations into the catalogue that is to be kept; without ``replace`` those that are there are refused."""
    names = {relation.name for relation in relations}
    texts = _texts(database)
    if not replace and (taken := [relation.name for relation in relations if relation.name in texts]):
        raise UsageError(f"already loaded: {', '.join(taken)}; {USE_REPLACE}")
    _take(database, [*(read_kept(*held, database.path) for held in texts.items() if held[0] not in names), *relations])


def drop(database: Database, names: Sequence[str]) -> None:
    """Take relations, by the measure's or the relation's name, out of the catalogue that is to be kept."""
    texts = _texts(database)
    for name in names:
        found = name if name in texts else parse_measures([name], database.catalog)[0].relation.name
        if found not in texts:
            why = "comes with the package" if found in read_catalog().relations else "was dropped by another client"
            raise UsageError(f"{name} {why}; those added here are: {', '.join(texts) or 'none'}")
        del texts[found]
    _take(database, [read_kept(*held, database.path) for held in texts.items()])


def _texts(database: Database) -> dict[str, str]:
    """The files kept, by relation, each after those it reads."""
    return dict(database.rows("select relation, text from main.added_relations order by nth"))


def read_kept(name: str, text: str, file: str = "") -> Relation:
    """A user's relation as a warehouse's file keeps it, or as a client announces it to a server."""
    if not name.isidentifier():
        raise CatalogError(f"{file or 'measures'}: {name!r} cannot name a relation")
    return read_relation(Path(file) / f"{name}.sql", renamed(text, _RENAMED))


def _take(database: Database, relations: Sequence[Relation]) -> None:
    order = read_catalog().extended(relations).build_order()
    database.catalog = reduce(with_one, (each for each in order if each in relations), read_catalog())


# Bodies, of which strangers' files may hold some

# Without OVER these are no functions of the engine; DuckDB 1.5 lists them as aggregates.
_ONLY_OVER = {"row_number", "rank", "rank_dense", "dense_rank", "percent_rank", "cume_dist", "ntile", "fill"}
_ONLY_OVER |= {"lead", "lag", "first_value", "last_value", "nth_value"}
# Temporary tables have these names too.
_PASSING = re.compile(
    "(evalsql|figure|incoming|page|portion|reject|staged|tied)_.*|.*_arrays|all_ranks|called_rows|family_queries|"
    "fusion_values|told_runs|scores"
)
_MOST_READS = 1000  # the engine takes a second for every hundred or two; a measure of the package reads 102
_OF_TABLE, _OF_FUNCTION = ("table_name", "schema_name", "catalog_name"), ("function_name", "schema", "catalog")
# What a body may be made of besides tables, calls and WITHs, in the engine's words; types of columns end in TYPE_INFO.
_UNDERSTOOD = {
    *("SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "SUBQUERY", "JOIN", "EMPTY", "EXPRESSION_LIST"),
    *("ORDER_MODIFIER", "DISTINCT_MODIFIER", "LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER", "PIVOT", "PARAMETER"),
    *("ORDER_DEFAULT", "ASCENDING", "DESCENDING", "COLUMN_REF", "COMPARISON", "OPERATOR", "CONSTANT", "CONJUNCTION"),
    *("", "CASE", "CAST", "TYPE", "BETWEEN", "STAR", "LAMBDA", "POSITIONAL_REFERENCE"),
}


def hides(catalog: Catalog, kind: str, name: str) -> bool:
    """Whether views would ask a table, view or macro of this name in the place of evalsql's or the engine's own."""
    known = {*catalog.relations, queries.SCORES}
    return name.lower() in (known if kind == "table" else statement_text.engine_functions() - known)


def check_bodies(catalog: Catalog, relations: Sequence[Relation]) -> None:
    """Check that the bodies of users are one SELECT each that reads relations of the catalogue and nothing else.

    The engine parses them, as they are written and as they are run, so that no other parser's reading stands between
    this and what is run. A name counts as what there is of it, as else the engine would find what the file has of that
    name. Raises CatalogError for a body that is something else or reaches outside, for a relation with the name of an
    engine's function, and for one with inputs, which are filled in only for the package's.
    """
    held: dict[str, set[str]] = {"table": set(GENERATED), "view": set(), "macro table": set(), "macro": set()}
    for relation in catalog.of_kind("tables", *BUILDABLE):
        for kind in ddl.objects_of(relation) if ddl.is_held(relation) else ():
            held[kind].add(relation.name)
    called = _ROW_SOURCES | held["macro"] | statement_text.engine_functions("scalar", "aggregate", "macro")
    called -= UNSEEN | EFFECTS | {"setseed", "getvariable"}  # each session has other variables
    names = {"BASE_TABLE": held["table"] | held["view"], "TABLE_FUNCTION": _ROW_SOURCES | held["macro table"]}
    names |= {"FUNCTION": called - _ONLY_OVER, "WINDOW": called | _ONLY_OVER}
    # The schema main of the file is asked for what the engine's main does not have.
    schemas = dict.fromkeys(statement_text.engine_functions() - statement_text.engine_functions(schema="main"), "")
    schemas |= {step.name: STEPS for step in catalog.of_kind(STEPS) if step.is_packaged}
    for relation in relations:
        if relation.header.inputs:
            raise CatalogError(f"{relation.path}: has inputs, which are filled in only for relations of the package")
        _check_names(catalog, relation)
        itself = {each.name: each.name for each in relation.parameters}
        # What the header names for other orders of ties is called as the body's relations are.
        tied = [f"from {each}{'()' * bool(catalog[each].parameters)}" for each in relation.header.ties.values()]
        _check_body(relation, [relation.body, bind_parameters(relation.body, itself), *tied], names, schemas)
        reads: dict[str, int] = {}
        for each in catalog.build_order([relation.name]):
            named = relation_calls(each.body) if each.is_packaged else statement_text.names_read(each.body)
            reads[each.name] = 1 + sum(reads.get(name, 1) for name, *_ in named)
        if reads[relation.name] > _MOST_READS:
            many = f"reads {reads[relation.name]:,} relations, with what these read in their turn"
            raise CatalogError(f"{relation.path}:{relation.body_line}: {many}; a measure reads at most {_MOST_READS:,}")


def _check_names(catalog: Catalog, relation: Relation) -> None:
    inputs = {name for each in catalog.relations.values() for name in each.header.inputs}
    is_passing = relation.name in inputs or _PASSING.fullmatch(relation.name)
    if is_passing or relation.name in statement_text.engine_functions():
        whose = "in queries of evalsql" if is_passing else "of a function of the engine"
        raise CatalogError(f"{relation.path}: {relation.name} is a name {whose}; give the file another name")
    others = replace(catalog, relations={name: each for name, each in catalog.relations.items() if each != relation})
    header = relation.header
    named = (Alias(relation.name), Alias(header.measure), *header.aliases, *header.trec_eval)
    for name in (alias.name for alias in named if relation.is_measure):
        if is_measure(name, others):
            means = parse_measures([name], others)[0].name
            raise CatalogError(f"{relation.path}:1: {name} is already a name of {means}; choose another")
        try:
            parse_measures([name], catalog)
        except UsageError as error:
            raise CatalogError(f"{relation.path}:1: {error}") from error


def _check_body(
    relation: Relation, texts: Sequence[str], names: Mapping[str, Set[str]], schemas: Mapping[str, str]
) -> None:
    place = f"{relation.path}:{relation.body_line}"
    for text in texts:
        try:
            nodes = statement_text.nodes(text)
        except statement_text.UnexplainedError as error:
            raise CatalogError(f"{place}: {error}") from error
        if statement_text.change(nodes):
            raise CatalogError(f"{place}: expected one SELECT, found one that changes rows")
        for node, ctes in _scopes(nodes[-1]["statements"]):
            kind = node.get("class") or node.get("type") or ""
            if kind in names:
                name, schema, held = (node[key] for key in (_OF_TABLE if kind == "BASE_TABLE" else _OF_FUNCTION))
                is_cte = kind == "BASE_TABLE" and name in ctes and not schema
                is_there = name in names[kind] and schema in ("", schemas.get(name, "main"))
                if held or not (is_cte or is_there):
                    what, noun = ("calls", "function") if kind in ("FUNCTION", "WINDOW") else ("reads", "relation")
                    raise CatalogError(f"{place}: {what} {name}, which is no {noun} of a warehouse")
            elif kind not in _UNDERSTOOD and not kind.endswith("TYPE_INFO"):
                raise CatalogError(f"{place}: holds {kind.lower()}, which the body of a measure may not")


def _scopes(tree: Any) -> Iterator[tuple[statement_text.Node, Set[str]]]:
    """Every node with the names that mean CTEs there; a function that gives rows is of the kind TABLE_FUNCTION."""
    waiting: list[tuple[Any, Set[str]]] = [(tree, frozenset())]
    while waiting:
        node, ctes = waiting.pop()
        if isinstance(node, list):
            waiting += [(each, ctes) for each in node]
        elif isinstance(node, dict):
            if node.get("type") == "TABLE_FUNCTION":
                node = {**node["function"], "class": "TABLE_FUNCTION"}
            for entry in (node.get("cte_map") or {}).get("map", ()):
                waiting.append((entry["value"], ctes))
                # A name such as "x.csv" is a file where it is no CTE.
                ctes = ctes | {entry["key"]} if entry["key"].isidentifier() else ctes
            if isinstance(node.get("type"), str):  # else the value of a constant has one
                yield node, ctes
            own = ctes | {str(node.get("cte_name"))} if node.get("type") == "RECURSIVE_CTE_NODE" else ctes
            waiting += [(node[key], own if key == "right" else ctes) for key in node if key != "cte_map"]
