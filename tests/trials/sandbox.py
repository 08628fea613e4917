"""Attempts to leave the SQL of a warehouse: to read another file, to write one, or to change a setting back.

Each source that reads a file is put into each kind of statement, read-only and with --write; then come statements that
reach outside in other ways, and files that were crafted so that opening them or asking them would.
"""

import os
import tempfile
import warnings
from collections import Counter
from contextlib import chdir
from pathlib import Path

import duckdb

import evalsql
from evalsql import EvalsqlError
from evalsql.warehouse.open import Reach, open_database
from evalsql.warehouse.warehouse import Warehouse
from evalsql.warehouse.writer import Writer
from tests.long_cases import rows_of
from tests.trials.loads import left, told

SECRET = "the-secret-of-this-machine"
ATTEMPTS = rows_of(Path(__file__).with_name("attempts.tsv"))
ASKED = ("from ap limit 3", "from summary limit 3", "from holdings", "from runs")


def main(count: int = 0) -> int:
    """Print how many attempts ended in which way; the number of those that got out.

    Each is made once, or so many of them, spread over all: to open a file for each takes the processor three minutes.
    """
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name, chdir(name), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        folder = Path(name)
        (folder / "elsewhere").mkdir()
        secret = folder / "elsewhere" / "secret.txt"
        secret.write_text(SECRET)
        words = {"f": str(secret), "d": str(secret.parent), "w": str(folder / "elsewhere" / "written")}
        path = folder / "w.duckdb"
        with evalsql.open(path) as warehouse:
            warehouse.load_qrels({"q1": {"d1": 1}}, "judged")
            warehouse.load_run({"q1": {"d1": 1.0}}, "system")
        attempts = [
            statement.format(s=source.format(**words)) for source in _of("source") for statement in _of("statement")
        ]
        attempts += [other.format(**words) for other in _of("other")]
        attempts = [attempts[at * len(attempts) // count] for at in range(count)] or attempts
        for read_only in (True, False):
            for attempt in attempts:
                counts[_attempt(path, attempt, read_only=read_only)] += 1
        for statements in _of("crafted"):
            counts[_crafted(path, statements.format(**words))] += 1
        is_written = left(secret.parent) != ["secret.txt"]
        counts["WRONG: a file was written" if is_written else "no file was written"] += 1
        counts["WRONG: a warning held the secret" if any(SECRET in str(each.message) for each in warned) else ""] += 1
    del counts[""]
    return told(counts)


def _of(kind: str) -> list[str]:
    return [sql.replace("\\n", "\n") for each, sql in ATTEMPTS if each == kind]


def _shut_in(path: Path, *, read_only: bool) -> Warehouse:
    return Warehouse(open_database(path, read_only=read_only, reach=Reach()))


def _attempt(path: Path, text: str, *, read_only: bool) -> str:
    """What came of one statement on a clean file."""
    with _shut_in(path, read_only=read_only) as warehouse:
        try:
            found = repr(Writer(warehouse.database, external=False).run(text))
        except EvalsqlError as error:
            # The statement itself stands in some errors, the file's content in none.
            return f"WRONG: {text}" if SECRET in str(error) else "refused"
    return f"WRONG: {text}" if SECRET in found or os.path.basename(path.parent) in found else "gave rows of its own"


def _crafted(path: Path, statements: str) -> str:
    """What came of a file on which statements were run without this package."""
    crafted = path.with_name("crafted.duckdb")
    crafted.write_bytes(path.read_bytes())
    with duckdb.connect(str(crafted)) as connection:
        connection.execute(statements)
    for opening in (_shut_in, evalsql.open):
        for read_only in (True, False):
            try:
                with opening(crafted, read_only=read_only) as warehouse:
                    found = repr([warehouse.rows(query) for query in ASKED])
            except EvalsqlError as error:
                found = str(error)
            if SECRET in found:
                return f"WRONG: {statements}"
    return "crafted file that was refused or mended"
