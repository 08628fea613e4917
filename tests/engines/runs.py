"""Measures executed on other engines, and compared with DuckDB's own macros."""

import importlib.util
import math
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pytest

from evalsql import Warehouse
from evalsql.catalog.measure_names import Measure, default_measure, parse_measures, tie_variants
from evalsql.catalog.relations import Catalog
from evalsql.engines.compiling import RefusalError, compile_measure
from tests.engines.hosts import DataFusion, Host, PostgreSQL, Row, Spark, SQLite, postgres_programs, postgres_server

DEMANDED = bool(os.environ.get("EVALSQL_DEMAND_ENGINES"))
ENGINES = ("spark", "datafusion", "postgres", "sqlite")
OTHER_VALUES = (("judged_only", True), ("rel", 2), ("k", 3))
# Where every measure would take minutes: one for each thing that the engine is told in words of its own.
FEW = (
    *("AP", "nDCG@10", "nDCG(judged_only=true,ties='best')@10", "RBP", "IPrec(ties='worst')", "infAP", "Bpref(rel=2)"),
    *("ERR", "AP_IA", "P_groups@5", "NumPrefs", "alpha_nDCG"),
)
SHORT = (
    *("AP(ties='worst')", "AP(ties='best')", "AP(ties='expected')", "AP(rel=2)", "AP@3", "P(judged_only=true)@3"),
    *("nDCG(ties='best')@3", "nDCG(ties='expected')", "infAP(ties='worst')", "RBP(p=0.5,ties='expected')"),
    *("nDCG_rel(ties='expected')", "RBP(judged_only=true)", "ERR(ties='expected')", "P_groups(ties='best')@5"),
)


def variants(catalog: Catalog) -> Iterator[Measure]:
    """Every measure at its defaults, under each order of ties, judged documents only, another grade and a cutoff."""
    for relation in catalog.measures:
        default = default_measure(relation)
        yield default
        yield from tie_variants(default).values()
        for name, value in OTHER_VALUES:
            if name in default.arguments:
                yield Measure(relation, {**default.arguments, name: value})


def short(catalog: Catalog, engine: str) -> list[Measure]:
    """So many of them as take a minute: all defaults where an engine is quick, and what needs mending."""
    if engine == "spark":
        return parse_measures(FEW, catalog)
    return [*map(default_measure, catalog.measures), *parse_measures(SHORT, catalog)]


def missing(engine: str) -> str | None:
    """What has to be installed to run an engine, if anything."""
    needed = {"spark": "pyspark", "datafusion": "datafusion", "postgres": "psycopg"}.get(engine)
    if needed and importlib.util.find_spec(needed) is None:
        return f"the package {needed}"
    if engine == "spark" and shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        return "Java"
    if engine == "postgres" and postgres_programs() is None:
        return "a PostgreSQL server"
    return None


def demand(engine: str) -> None:
    """Skip a test where an engine is missing; fail it where the environment demands them."""
    if lacking := missing(engine):
        assert not DEMANDED, f"{engine} needs {lacking}"
        pytest.skip(f"{engine} needs {lacking}")


@contextmanager
def running(engine: str, warehouse: Warehouse) -> Iterator[Host]:
    """The engine with the base tables."""
    tables = {name: _table(warehouse, name) for name in _tables_read(warehouse.catalog)}
    if engine == "postgres":
        with postgres_server() as folder:
            yield PostgreSQL(tables, folder)
    elif engine == "spark":
        spark = Spark(tables)
        try:
            yield spark
        finally:
            spark.session.stop()
    else:
        hosts: dict[str, Callable[[Any], Host]] = {"datafusion": DataFusion, "sqlite": SQLite}
        yield hosts[engine](tables)


def _tables_read(catalog: Catalog) -> list[str]:
    """The base tables that measures read, and what they stand on."""
    built = catalog.build_order([measure.name for measure in catalog.measures])
    tables = {table.name for table in catalog.of_kind("tables")}
    return sorted(tables & {name for each in built for name in each.reads})


def _table(warehouse: Warehouse, name: str) -> pa.Table:
    """A base table as any client sees it, but for columns of types that engines do not share and no measure reads."""
    described = warehouse.rows(f"select column_name, column_type from (describe {name})")
    columns = ", ".join(column for column, kind in described if not kind.startswith(("MAP", "TIMESTAMP")))
    return pa.table(warehouse.sql(f"select {columns} from {name}").to_arrow_table())


def values(warehouse: Warehouse, measure: Measure) -> list[Row]:
    """What DuckDB's own macro gives."""
    return warehouse.rows(f"select qrels, run, topic, value from {measure.call}")


def outcome(host: Host, engine: str, measure: Measure, catalog: Catalog, expected: Sequence[Row]) -> str:
    """``equal``, ``refused`` where it is not compiled, else what went wrong."""
    try:
        compiled = compile_measure(catalog, measure, engine)
    except RefusalError:
        return "refused"
    try:
        rows = host.rows(compiled)
    except Exception as error:
        words = str(error).replace("\t", " ").splitlines()
        return f"error: {words[0][:200] if words else type(error).__name__}"
    return difference(expected, rows) or "equal"


def difference(expected: Sequence[Row], found: Sequence[Row]) -> str | None:
    """Where the values of two answers differ, if they do: a line on the first such topic."""
    here, there = ({row[:3]: row[3] for row in rows} for rows in (expected, found))
    if len(expected) != len(found) or here.keys() != there.keys():
        return f"differs: {len(expected)} rows here, {len(found)} there"
    for key, value in here.items():
        other = there[key]
        is_known = value is not None and other is not None
        if not (math.isclose(value, other, rel_tol=1e-12, abs_tol=1e-12) if is_known else value is other):
            return f"differs: {key} is {value} here, {other} there"
    return None
