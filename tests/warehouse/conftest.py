"""Copies of the sample's warehouse on which statements were run without this package."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import duckdb
import pytest

import evalsql
from tests.conftest import load_sample, write

Crafted = Callable[..., Path]
SECRET = "the-secret-of-this-machine"
OTHER_SQL = "update warehouse set sql_digest = 'other'"  # views and macros are made anew


@cache
def sample_of_few() -> Path:
    """A warehouse with the sample whose views are those of ``few_measures``."""
    path = Path(tempfile.mkdtemp()) / "few.duckdb"
    atexit.register(shutil.rmtree, path.parent, ignore_errors=True)
    with evalsql.open(path) as warehouse:
        load_sample(warehouse)
    return path


@pytest.fixture
def crafted(tmp_path: Path, sample_file: Path, request: pytest.FixtureRequest) -> Crafted:
    """Makes a copy of the sample's warehouse, or where ``few_measures`` are asked for of that with their views."""

    def craft(*statements: str, name: str = "w.duckdb") -> Path:
        sample = sample_of_few() if "few_measures" in request.fixturenames else sample_file
        path = Path(shutil.copy(sample, tmp_path / name))
        with duckdb.connect(str(path)) as connection:
            for statement in statements:
                connection.execute(statement)
        return path

    return craft


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    return write(tmp_path / "elsewhere" / "secret.txt", SECRET)
