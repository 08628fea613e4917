"""Loads values of measures that were computed elsewhere: what ``evalsql spark eval`` writes, or any Parquet files."""

import os
from collections.abc import Iterable, Sequence
from functools import partial
from glob import has_magic
from math import inf
from pathlib import Path
from typing import NamedTuple

from evalsql.catalog.measure_names import Measure, parse_measures
from evalsql.database.database import Database
from evalsql.database.names import resolve_one
from evalsql.errors import InputError, Problem, QueryError, UsageError, input_error, warn
from evalsql.ingest.base_rows import add_rows, check_free, delete, file_row
from evalsql.ingest.files.source import Source, open_file
from evalsql.ingest.files.trec_text import one_path
from evalsql.ingest.load_options import Meta
from evalsql.literals import literal, rows_query
from evalsql.phrases import counted, shortened

_PARQUET = (b"PAR1", b"PARE")
SCORES, RUNS, JOB = "scores", "runs", "job"
_FINISHED = "_SUCCESS"
_NEEDED = ("run", "topic", "measure", "value")
_TEXTS = ("qrels", "run", "topic", "measure", "evalsql_version", "sql_digest")
_STAGED, _STAGED_RUNS = "temp.staged_scores", "temp.staged_runs"


class ScoreFiles(NamedTuple):
    """Parquet files with values, and those with facts about their runs, if there are any."""

    scores: Sequence[str]
    runs: Sequence[str] = ()


def is_parquet(source: str | Path) -> bool:
    """Whether it is Parquet with topics: a file, or a folder that has some; other files are results of programs."""
    path = Path(source)
    if path.is_dir():
        return (path / SCORES).is_dir() or next(path.rglob("*.parquet"), None) is not None
    return path.suffix == ".parquet" or (path.is_file() and open_file(str(path), path)[1].startswith(_PARQUET))


def parquet_files(sources: Iterable[str | Path]) -> list[str]:
    return [file for source in sources if is_parquet(source) for some in found_files(source) for file in some]


def found_files(source: str | Path) -> ScoreFiles:
    """The Parquet files of a folder, which must be finished, or the one that is named."""
    path = Path(source)
    if not path.exists():
        raise input_error(source, "no such file or folder")
    if (path / SCORES).is_dir():
        if not (path / (JOB if (path / JOB).exists() else "") / _FINISHED).exists():  # older ones have no such folder
            hint = "the same evalsql spark eval does what is missing"
            raise input_error(source, f"the job that writes this folder has not ended; {hint}")
        return ScoreFiles(_parquet(path / SCORES), _parquet(path / RUNS))
    return ScoreFiles(_parquet(path) if path.is_dir() else [_place(path)])


def _parquet(folder: Path) -> list[str]:
    """Parquet files at any depth, but for hidden ones and those that a writer has not finished."""
    found = sorted(folder.rglob("*.parquet"))
    return [_place(file) for file in found if not any(part[0] in "._" for part in file.relative_to(folder).parts)]


def _place(file: Path) -> str:
    """The path by which the engine names a file: DuckDB 1.5 puts ./ before one with wildcards."""
    return os.path.abspath(file) if has_magic(str(file)) else str(file)


def load_scores(database: Database, source: str | Path, *, qrels: str | None, replace: bool, meta: Meta) -> list[str]:
    """Load scores of Parquet files within the caller's transaction. Returns the names of the runs.

    Args:
        qrels: the judgment set that they were computed with, where the files do not name one that is here.
        replace: replace stored scores of the same runs and measures.
        meta: key and value to keep with runs that are new.

    Raises:
        InputError: all that is wrong with the files; nothing was loaded.
        UsageError: measures that are not known, or runs whose rankings are here.
    """
    files = found_files(source)
    if not files.scores:
        raise input_error(source, "holds no scores: the job evaluated no run")
    _stage(database, source, files.scores, None if qrels is None else resolve_one(database, "qrels", qrels))
    ranges = ranges_of(_name_measures(database))
    facts = [file_row("run", 0, Source(path, Path(path)), 0)[2:5] for path in files.scores]
    score_files = rows_query("path, sha256, bytes", facts)
    runs = f"select *, unnest(files, max_depth := 2) from {_read(source, files.runs)} where problem is null"
    return store(database, {"ranges": ranges, "score_files": score_files}, runs if files.runs else "", replace, meta)


def store(database: Database, inputs: dict[str, str], runs: str, replace: bool, meta: Meta) -> list[str]:
    """Store the staged scores; ``runs`` is a SELECT of what is known of their runs, if there is any."""
    inputs |= {"staged": f"select * from {_STAGED}"}

    relation = partial(database.query, inputs=inputs)
    if problems := database.rows(f"{relation('stored_score_problems')}\norder by all"):
        raise InputError([Problem(file, 0, reason) for file, reason in problems])
    make_room(database, inputs["staged"], replace)
    database.make("staged_runs", runs or relation("runs_of_score_files"))
    inputs["staged_runs"] = f"select * from {_STAGED_RUNS}"
    for name in database.column(f"{relation('differing_judgment_files')}\norder by 1"):
        warn(f"scores were computed with judgments of another file than those of {name} here; their SHA-256 differ")
    delete_replaced(database, inputs["staged"], replace)
    columns, rows = database.table(relation("new_scored_runs"))
    add_rows(database, "runs", columns, rows, meta or {})
    database.insert("files", relation("new_score_files"))
    database.insert("stored_scores", relation("new_stored_scores"))
    loaded = database.column(f"select distinct run from {_STAGED} order by run")
    database.drop("staged_scores", "staged_runs")
    return loaded


def make_room(database: Database, staged: str, replace: bool) -> None:
    """Delete runs that are to be replaced by others of their names; UsageError for those whose rankings are here."""
    taken = database.rows(f"{database.query('taken_runs', {'staged': staged})}\norder by run")
    if named := shortened([run for _, run, is_ranked in taken if is_ranked]):
        raise UsageError(
            f"the rankings or answers of {named} are here, and figures are computed from them; evalsql drop runs takes "
            "them out"
        )
    check_free((run for _, run, _ in taken), replace)
    delete(database, "run", *[run_id for run_id, *_ in taken])


def _read(source: str | Path, files: Sequence[str]) -> str:
    """All rows of the files; names of folders such as ``run=bm25`` are columns where these are below the source."""
    listed = ", ".join(literal(one_path(Path(file))) for file in files)
    partitions = "=" not in os.path.abspath(source) and os.path.isdir(source)
    how = f"hive_partitioning = {partitions}, hive_types_autocast = false"
    return f"read_parquet([{listed}], union_by_name = true, filename = true, {how})"


def _stage(database: Database, source: str | Path, files: Sequence[str], qrels: str | None) -> None:
    """Put the rows into a temporary table; missing columns are empty."""
    for file in files:
        with open(file, "rb") as stream:
            if not stream.read(4).startswith(_PARQUET):
                raise input_error(file, "cannot be read as scores: it is no Parquet file, and scores are")
    try:
        held = {name for name, *_ in database.rows(f"describe select * from {_read(source, files)}")}
        missing = [name for name in (*_NEEDED, *(["qrels"] if qrels is None else [])) if name not in held]
        if missing:
            reason = f"has no column {', '.join(missing)}; scores are qrels, run, topic, measure, value"
            hint = "; --qrels NAME says which judgments" if missing == ["qrels"] else ""
            raise input_error(files[0], reason + hint)
        # The engine would leave out coalesce() where a file says that a column has no nulls, which it may have.
        texts = {name: f"concat(cast({name} as varchar))" if name in held else "''" for name in _TEXTS}
        if qrels is not None:
            texts["qrels"] = literal(qrels)
        listed = ", ".join(f"{text} as {name}" for name, text in texts.items())
        rows = f"select {listed}, cast(value as double) as value, filename as file from {_read(source, files)}"
        database.make("staged_scores", rows)
    except QueryError as error:
        raise input_error(files[0], f"cannot be read as scores: {str(error).splitlines()[0]}") from error
    if not database.rows(f"select 1 from {_STAGED} limit 1"):
        raise input_error(files[0], "holds no rows")
    for name in ("qrels", *_NEEDED[:-1]):
        for file, count in database.rows(
            f"select min(file), count(*) from {_STAGED} where {name} = '' having count(*) > 0"
        ):
            raise input_error(file, f"no {name} in {counted(count, 'row')}")


def _name_measures(database: Database) -> list[Measure]:
    """Give measures, which must be known here, their canonical names."""
    measures: list[Measure] = []
    for name in database.column(f"select distinct measure from {_STAGED} order by measure"):
        found = parse_measures([name], database.catalog)
        if len(found) != 1:
            raise UsageError(f'"{name}" stands for {len(found)} measures; scores are those of one')
        (measure,) = found
        database.execute(f"update {_STAGED} set measure = ? where measure = ?", [measure.name, name])
        measures.append(measure)
    return measures


def ranges_of(measures: Iterable[Measure], *, of_totals: bool = False) -> str:
    """A SELECT of the ranges of measures; ``of_totals``, which may add up topics, counts have no bounds."""
    rows = ["(null, null, null, null)"]
    for measure in measures:
        header = measure.relation.header
        least, greatest = (-inf, inf) if of_totals and header.mean == "sum" else header.bounds
        rows.append(f"({literal(measure.name)}, {literal(header.range)}, '{least}'::double, '{greatest}'::double)")
    return f"select * from (values {', '.join(rows)}) as ranges(measure, range, least, greatest)"


def delete_replaced(database: Database, staged: str, replace: bool) -> None:
    """Delete the stored scores that are to be replaced, and the runs of which nothing is left."""
    replaced = database.query("replaced_scores", {"staged": staged})
    taken = database.rows(f"select distinct run_id, run from ({replaced}) order by run")
    check_free((run for _, run in taken), replace, "scores of ")
    keys = "(qrels_id, run_id, measure)"
    database.execute(f"delete from stored_scores where {keys} in (select {keys} from ({replaced}))")
    left = {*database.column("select distinct run_id from stored_scores")}
    delete(database, "run", *[run_id for run_id, _ in taken if run_id not in left])
