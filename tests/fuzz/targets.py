"""What takes input of users, each as a function of bytes that raises where something is wrong with the program.

Errors in words, which are EvalsqlError, are right; everything else that comes out is a fault.
"""

import os
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from threading import Timer

import evalsql
from evalsql import EvalsqlError, Problem, Warehouse
from evalsql.catalog.header import CONTRACT
from evalsql.catalog.measure_names import parse_measures
from evalsql.catalog.relations import read_catalog, read_relation
from evalsql.database.database import MEMORY
from evalsql.ingest.files import trec_text
from evalsql.ingest.files.input_files import open_one_source
from evalsql.warehouse.open import Reach, open_database
from evalsql.warehouse.own_measures import check_bodies
from evalsql.warehouse.warehouse import Warehouse as PlainWarehouse
from evalsql.warehouse.writer import Writer

CORPUS = Path(__file__).with_name("corpus")
_LONGEST = 5.0  # seconds of one statement


@contextmanager
def file_of(data: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.run"
        path.write_bytes(data)
        yield path


def read_lines(data: bytes, *, is_run: bool) -> None:
    """Every line of a file gives a row or a problem, is blank, or is kept as a comment or header."""
    problems: list[Problem] = []
    notes = trec_text.Notes()
    with file_of(data) as path, open_one_source(path, "runs") as source:
        if is_run:
            rows = list(trec_text.run_rows(source, notes, problems.append, rank_is_used=True))
        else:
            rows = list(trec_text.qrels_rows(source, notes, problems.append))
    numbers = [number for number, _ in rows]
    assert numbers == sorted(set(numbers))
    assert all(problem.reason for problem in problems)
    told = len({*numbers, *(problem.line for problem in problems)})
    filled = sum(1 for line in data.split(b"\n") if line.strip(b" \t\r\v\f\xef\xbb\xbf"))
    assert told + len(notes.comments) >= filled, (told, notes.comments, filled)


@cache
def judged_warehouse() -> Warehouse:
    warehouse = evalsql.open(MEMORY)
    warehouse.load_qrels({"q1": {"d1": 1, "d2": 0}}, "judged")
    return warehouse


def load_run(data: bytes) -> None:
    """A run is loaded whole, with ranks without gaps, or not at all."""
    warehouse = judged_warehouse()
    with file_of(data) as path:
        try:
            warehouse.load_runs(path, name="run")
        except EvalsqlError:
            assert warehouse.rows("select count(*) from runs") == [(0,)]
            assert warehouse.rows("select count(*) from retrieved") == [(0,)]
            return
    gaps = "select 1 from retrieved group by topic_id having max(rank) <> count(*) or count(distinct rank) <> count(*)"
    assert warehouse.rows(gaps) == []
    assert warehouse.rows("select count(*) from ap where value not between 0 and 1") == [(0,)]
    warehouse.drop_runs("run")


def parse_name(data: bytes) -> None:
    """The canonical name of a measure is a name of the same measure."""
    text = data.decode("utf-8", errors="surrogateescape")
    with suppress(EvalsqlError):
        for measure in parse_measures([text], read_catalog()):
            assert parse_measures([measure.name], read_catalog()) == [measure]


def read_header(data: bytes) -> None:
    """What a header names is of the form that becomes SQL."""
    text = data.decode("utf-8", errors="replace")
    with suppress(EvalsqlError):
        relation = read_relation(Path("file.sql"), text)
        assert all(parameter.name.isidentifier() for parameter in relation.parameters)
        assert not relation.is_measure or list(relation.columns)[: len(CONTRACT)] == list(CONTRACT)


def check_body(data: bytes) -> None:
    """A body that is let pass is one SELECT."""
    text = data.decode("utf-8", errors="replace")
    database = judged_warehouse().database
    try:
        relation = read_relation(Path("file.sql"), f"-- title: T\n{text}")
        check_bodies(read_catalog().extended([relation]), [relation])
    except EvalsqlError:
        return
    assert [kind for kind, _ in database.statements(relation.body)] == ["SELECT"]
    assert "read_text" not in relation.body.lower() or "'" in relation.body or '"' in relation.body


@cache
def _shut_in() -> PlainWarehouse:
    return PlainWarehouse(open_database(MEMORY, reach=Reach()))


def run_statement(data: bytes) -> None:
    """SQL of users gives rows or an error, and writes no file."""
    warehouse = _shut_in()
    timer = Timer(_LONGEST, warehouse.connection.interrupt)
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        timer.start()
        with suppress(EvalsqlError, KeyboardInterrupt):
            Writer(warehouse.database, external=False).run(data.decode("utf-8", errors="replace"))
        timer.cancel()
        with suppress(EvalsqlError):
            warehouse.execute("rollback")
        assert os.listdir(folder) == []


TARGETS: Mapping[str, Callable[[bytes], None]] = {
    "run": partial(read_lines, is_run=True),
    "qrels": partial(read_lines, is_run=False),
    "load": load_run,
    "name": parse_name,
    "header": read_header,
    "body": check_body,
    "statement": run_statement,
}


def seeds(target: str) -> list[bytes]:
    """The inputs in the repository to start from."""
    return [path.read_bytes() for path in sorted((CORPUS / target).iterdir())]


def tried(target: str, data: bytes) -> None:
    """One input to one target; raises what is wrong."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        TARGETS[target](data)
