"""The engines on which relations are executed: each takes the base tables, then answers queries."""

import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

Row = tuple[Any, ...]
Tables = Mapping[str, pa.Table]
UNPRIVILEGED = "nobody"
_SPARK = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.sql.shuffle.partitions": "3",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.cteRecursionLevelLimit": "10000",
    "spark.log.level": "FATAL",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
_COLUMN_TYPES = {"int32": "integer", "int64": "bigint", "double": "double precision", "bool": "boolean"}


class Host(Protocol):
    """An engine that has the base tables."""

    def rows(self, query: str) -> list[Row]:
        """What the engine answers; whatever it raises is its refusal."""
        ...


class DataFusion:
    """Tables in memory, in several batches."""

    def __init__(self, tables: Tables) -> None:
        from datafusion import SessionContext

        self.context = SessionContext()
        for name, table in tables.items():
            half = table.num_rows // 2
            parts = [table.slice(0, half).to_batches(), table.slice(half).to_batches()]
            no_rows = [[pa.RecordBatch.from_pylist([], schema=table.schema)]]
            self.context.register_record_batches(name, [part for part in parts if part] or no_rows)

    def rows(self, query: str) -> list[Row]:
        return _rows(pa.Table.from_batches(self.context.sql(query).collect()))


class SQLite:
    """A database in memory."""

    def __init__(self, tables: Tables) -> None:
        self.connection = sqlite3.connect(":memory:")
        for name, table in tables.items():
            self.connection.execute(_create_table(name, table))
            places = ", ".join("?" * table.num_columns)
            self.connection.executemany(f"insert into {name} values ({places})", _rows(table))

    def rows(self, query: str) -> list[Row]:
        return list(self.connection.execute(query))


class PostgreSQL:
    """A server of its own, on a socket in a folder."""

    def __init__(self, tables: Tables, folder: Path) -> None:
        import psycopg

        self.connection = psycopg.connect(f"host={folder} dbname=postgres user=evalsql", autocommit=True)
        self.connection.execute("set statement_timeout = '600s'")
        for name, table in tables.items():
            self.connection.execute(_create_table(name, table))
            with self.connection.cursor() as cursor, cursor.copy(f"copy {name} from stdin") as copy:
                for row in _rows(table):
                    copy.write_row(row)
            self.connection.execute(f"analyze {name}")

    def rows(self, query: str) -> list[Row]:
        return list(self.connection.execute(query))


class Spark:
    """A session on two cores, its tables in several partitions, joins planned anew while a query runs."""

    def __init__(self, tables: Tables) -> None:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[2]").appName("evalsql tests")
        for name, value in _SPARK.items():
            builder = builder.config(name, value)
        self.session = builder.getOrCreate()
        for name, table in tables.items():
            frame = self.session.createDataFrame(table).repartition(3).cache()
            frame.count()
            frame.createOrReplaceTempView(name)

    def rows(self, query: str) -> list[Row]:
        return [tuple(row) for row in self.session.sql(query).collect()]


def _create_table(name: str, table: pa.Table) -> str:
    columns = ", ".join(f"{each.name} {_COLUMN_TYPES.get(str(each.type), 'varchar')}" for each in table.schema)
    return f"create table {name} ({columns})"


def _rows(table: pa.Table) -> list[Row]:
    return [tuple(row.values()) for row in table.to_pylist()]


@contextmanager
def postgres_server() -> Iterator[Path]:
    """A server that has just been made, run by an unprivileged user; gives the folder of its socket."""
    programs = postgres_programs()
    assert programs is not None
    folder = Path(tempfile.mkdtemp(prefix="evalsql-pg-"))
    as_user: dict[str, Any] = {}
    if os.geteuid() == 0:
        as_user = {"user": UNPRIVILEGED, "cwd": "/", "env": {"PATH": os.environ["PATH"], "HOME": str(folder)}}
        shutil.chown(folder, UNPRIVILEGED)
    made = [str(programs / "initdb"), "-D", str(folder / "data")]
    made += ["-U", "evalsql", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"]
    try:
        subprocess.run(made, check=True, capture_output=True, **as_user)
        options = f"-k {folder} -c listen_addresses= -c fsync=off -c jit=off"
        control = [str(programs / "pg_ctl"), "-D", str(folder / "data"), "-l", str(folder / "log"), "-w", "-t", "600"]
        subprocess.run([*control, "-o", options, "start"], check=True, stdout=subprocess.DEVNULL, **as_user)
        try:
            yield folder
        finally:
            stop = [*control, "-m", "immediate", "stop"]
            subprocess.run(stop, check=True, stdout=subprocess.DEVNULL, **as_user)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def postgres_programs() -> Path | None:
    """The folder of the server's programs: on the path, or where Debian has them."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += [Path(path).parent for path in sorted(glob("/usr/lib/postgresql/*/bin/initdb"), reverse=True)]
    return next(iter(folders), None)
