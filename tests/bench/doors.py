"""The benchmark of formats: the same runs as text, as tables, as JSON, packed."""

import bz2
import gzip
import json
import lzma
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import duckdb

from tests.bench.collection import Collection
from tests.bench.report import Goal, Result
from tests.bench.stage import Stage

_ROWS = """
    create view rows as
    select *, row_number() over (partition by topic order by score desc, document desc) as rank
    from read_csv(
        '{source}', delim = ' ', header = false, quote = '',
        names = ['topic', 'q0', 'document', 'given', 'score', 'tag'],
        types = ['varchar', 'varchar', 'varchar', 'varchar', 'double', 'varchar']
    )
"""
_TSV = "format csv, delimiter '\t'"
_BY_TOPIC = "select topic as qid, list({} order by rank) as {} from rows group by topic"
_HITS = _BY_TOPIC.format("{docid: document, score: score}", "hits")
_SCORES = "select topic as qid, document as docno, score from rows"
# Extension, SELECT over the rows above, and how DuckDB writes it.
_TABLES: Mapping[str, tuple[str, str, str]] = {
    "Parquet": ("parquet", _SCORES, "format parquet"),
    "CSV": ("csv", "select topic as qid, document as docno, score, rank from rows", "format csv"),
    "TSV": ("tsv", "select topic as query_id, document as doc_id, score from rows", _TSV),
    "MS MARCO": ("tsv", "select topic, document, rank from rows order by all", f"{_TSV}, header false"),
    "JSON lines": ("jsonl", _SCORES, "format json"),
    "JSON list of rows": ("json", _SCORES, "format json, array true"),
    "JSON lines of hits": ("jsonl", _HITS, "format json"),
    "JSON lines of rankings": ("jsonl", _BY_TOPIC.format("document", "docs"), "format json"),
}


def doors(stage: Stage) -> Iterator[Result]:
    """Loading runs of each format beside the same runs as TREC text: Parquet is faster, none takes twice as long."""
    database = stage.folder / "doors.duckdb"
    text = Collection("text", stage.covid.qrels, tuple(_written(stage, "TREC", partial(_packed, "run", bytes))))
    load_text = partial(stage.loaded, database, text)
    writers: dict[str, Callable[[Path, Path], None]] = {
        **{name: partial(_as_table, *table) for name, table in _TABLES.items()},
        "JSON dict of dicts": _as_dicts,
        "TREC, gzip": partial(_packed, "run.gz", gzip.compress),
        "TREC, xz": partial(_packed, "run.xz", partial(lzma.compress, preset=1)),
        "TREC, bz2": partial(_packed, "run.bz2", bz2.compress),
    }
    for name, write in writers.items():
        files = _written(stage, name, write)
        load = partial(stage.loaded, database, Collection(name, stage.covid.qrels, tuple(files)))
        here, there = stage.in_turn(f"load runs, {name} and TREC text", load, load_text)
        goal = Goal("below", 1) if name == "Parquet" else Goal("at most", 2)
        work = f"load runs of {name}, {len(files)} systems"
        yield Result("doors", work, here, "the same runs as TREC text", there, goal)
        for file in files:
            file.unlink()


def _written(stage: Stage, name: str, write: Callable[[Path, Path], None]) -> list[Path]:
    stage.say(f"writing the runs as {name}")
    folder = stage.folder / "doors" / name
    folder.mkdir(parents=True)
    for source in stage.covid.runs:
        write(source, folder / source.stem)
    return sorted(folder.iterdir())


def _text(source: Path) -> bytes:
    """With a blank between columns, as all formats are made of it."""
    return b"".join(b" ".join(line.split()[:6]) + b"\n" for line in source.read_bytes().splitlines())


def _packed(extension: str, pack: Callable[[bytes], bytes], source: Path, path: Path) -> None:
    _with(path, extension).write_bytes(pack(_text(source)))


def _as_dicts(source: Path, path: Path) -> None:
    run: dict[str, dict[str, float]] = {}
    for line in _text(source).decode().splitlines():
        topic, _, document, _, score, *_ = line.split(" ")
        run.setdefault(topic, {})[document] = float(score)
    _with(path, "json").write_text(json.dumps(run))


def _as_table(extension: str, query: str, options: str, source: Path, path: Path) -> None:
    plain = _with(path, "text")
    plain.write_bytes(_text(source))
    with duckdb.connect() as connection:
        connection.execute(_ROWS.format(source=_quoted(plain)))
        connection.execute(f"copy ({query}) to '{_quoted(_with(path, extension))}' ({options})")
    plain.unlink()


def _with(path: Path, extension: str) -> Path:
    return path.with_name(f"{path.name}.{extension}")


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
