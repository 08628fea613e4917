"""Copies of the sample's warehouse on which statements were run without this package."""

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import duckdb
import pytest

import evalsql
from evalsql import Warehouse
from tests.conftest import load_sample, new_file, write

Crafted = Callable[..., Path]
SECRET = "the-secret-of-this-machine"
# What a file holds beside its data, and what is attached to ask it.
OBJECTS = """
    select schema_name, 'view' as kind, view_name as name, sql, comment, '' as parameters from duckdb_views()
    where not internal and not temporary
    union all
    select schema_name, function_type, function_name, macro_definition, comment, (parameters, parameter_types)::varchar
    from duckdb_functions() where not internal
    union all
    select schema_name, 'table', table_name, sql, comment, '' from duckdb_tables() where not temporary
    union all
    select schema_name, 'column', table_name || '.' || column_name, data_type, comment, column_index::varchar
    from duckdb_columns() where not internal and database_name <> 'temp'
    union all
    select 'main', 'measure', measure, definition, example, parameters from measures
    union all
    select 'main', 'relation', relation, kind, title, '' from relations
    order by all
"""
OTHER_SQL = "update warehouse set sql_digest = 'other'"  # views and macros are made anew


@cache
def file_of_few(fill: Callable[[Warehouse], None]) -> Path:
    """A warehouse that this fills, whose views are those of ``few_measures``; tests do not change it."""
    path = new_file().with_suffix(".few")
    with evalsql.open(path) as warehouse:
        fill(warehouse)
    return path


@pytest.fixture
def crafted(tmp_path: Path, sample_file: Path, request: pytest.FixtureRequest) -> Crafted:
    """Makes a copy of the sample's warehouse, or where ``few_measures`` are asked for of that with their views."""

    def craft(*statements: str, name: str = "w.duckdb") -> Path:
        sample = file_of_few(load_sample) if "few_measures" in request.fixturenames else sample_file
        path = Path(shutil.copy(sample, tmp_path / name))
        with duckdb.connect(str(path)) as connection:
            for statement in statements:
                connection.execute(statement)
        return path

    return craft


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    return write(tmp_path / "elsewhere" / "secret.txt", SECRET)
