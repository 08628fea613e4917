"""``evalsql export`` writes what can be loaded; ``evalsql import`` makes a warehouse of a folder that it wrote."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar, Literal

from evalsql.cli.declare import PRINTED, Names, argument, command, flag, option
from evalsql.cli.options import RUNS, Asking, MeasuredRuns, Where
from evalsql.cli.output import note, progress_bar, refuse_protected, standard_output
from evalsql.database.disk import part_of, scratch_folder, whole_files
from evalsql.database.names import named
from evalsql.errors import UsageError
from evalsql.ingest.base_rows import OF_ANSWERS
from evalsql.phrases import counted
from evalsql.report.terminal import for_stream
from evalsql.version import __version__
from evalsql.warehouse import archive, export_files

Form = Literal["trec", "beir", "parquet", "jsonl"]
_SETS = argument("Judgment sets, or globs of names; all by default.", complete="qrels")
_ANSWERED = argument("Runs, or globs of names; by default all that have some.", complete="runs")
_HELD = {"topics": "topic_meta", "weights": "topic_weights", **OF_ANSWERS}  # tables by what only some have
_NUGGETS = option("--qrels NAME", "Nuggets of the topics, where there are several sets.", complete="qrels")


@dataclass(frozen=True)
class Target:
    heading: ClassVar = PRINTED
    output: str | None = option("--output -o PATH", "A file; of several, or with / at the end, their folder.")
    replace: bool = flag("--replace", "Write over files that are there.")

    @property
    def path(self) -> Path | None:
        return Path(self.output) if self.output else None

    def is_file(self, count: int) -> bool:
        """Whether so many files are one file, rather than a folder of files."""
        output = self.output or ""
        return count == 1 and not (os.path.isdir(output) or output.endswith(("/", os.sep)))

    @contextmanager
    def opened(self, *, one: bool) -> Iterator[Path]:
        """The folder to write into: beside the output, or a temporary one for standard output."""
        with whole_files(self.path, replace=self.replace, one=one) if self.path else scratch_folder() as folder:
            yield Path(folder)


@dataclass(frozen=True)
class FormattedTarget(Target):
    form: Form | None = option("--format", "By default what --output's extension says, else the first.")


@command
def runs(*, names: Names = RUNS, target: FormattedTarget, where: Where) -> None:
    """Write runs, a file each.

    As TREC, the JSON of BEIR and ranx, Parquet or JSON lines. One by itself goes to standard output without -o.

    Example: evalsql export runs bm25 --format parquet -o bm25.parquet
    """
    _export("runs", names, target.form, target, where)


@command
def qrels(*, names: Names = _SETS, target: FormattedTarget, where: Where) -> None:
    """Write judgments, a file a set.

    As TREC, the TSV of BEIR, Parquet or JSON lines. One by itself goes to standard output without -o.

    Example: evalsql export qrels sample --format beir -o test.tsv
    """
    _export("qrels", names, target.form, target, where)


@command
def topics(*, names: Names = _SETS, target: FormattedTarget, where: Where) -> None:
    """Write texts and groups of topics.

    As JSON lines, or those of BEIR.

    Example: evalsql export topics sample -o queries.jsonl
    """
    _export("topics", names, target.form, target, where)


@command
def weights(*, names: Names = _SETS, target: Target, where: Where) -> None:
    """Write weights of topics, a file a judgment set.

    A line has a topic and its weight.

    Example: evalsql export weights sample -o given.txt
    """
    _export("weights", names, None, target, where)


@command
def assignments(
    *, names: Names = _ANSWERED, qrels: str | None = _NUGGETS, target: FormattedTarget, where: Where
) -> None:
    """Write which nuggets the answers of runs hold, a file a run.

    As JSON lines or Parquet. One by itself goes to standard output without -o.

    Example: evalsql export assignments rag-1 -o rag-1.jsonl
    """
    _export("assignments", names, target.form, target, where, qrels)


@command
def citations(*, names: Names = _ANSWERED, qrels: str | None = _NUGGETS, target: FormattedTarget, where: Where) -> None:
    """Write whether what answers cite supports them, a file a run.

    As JSON lines or Parquet. One by itself goes to standard output without -o.

    Example: evalsql export citations rag-1 -o cited.jsonl
    """
    _export("citations", names, target.form, target, where, qrels)


@command
def scores(*, selection: MeasuredRuns, target: FormattedTarget, asking: Asking) -> None:
    """Write values by topic as Parquet or JSON lines.

    Beside each value stand the version and the digest of the SQL that gave it.

    Example: evalsql export scores 'rerank-*' -m nDCG@10,AP -o values.parquet
    """
    output = target.path
    chosen = export_files.format_of("scores", target.form or (None if output else "jsonl"), output)
    with target.opened(one=True) as part, asking.open(folders=[str(part)]) as warehouse:
        if output is not None:
            refuse_protected(output, warehouse)
        asked = warehouse.evaluation.scores_query(**selection.arguments(warehouse), per_topic=True)
        digest = warehouse.database.catalog.digest
        query = f"select *, '{__version__}' as evalsql_version, '{digest}' as sql_digest from (\n{asked}\n)"
        count = export_files.write_query(warehouse.database, query, chosen, part / "scores")
        if output is None:
            _print(chosen, part / "scores")
    note(f"wrote {counted(count, 'value')}" + (f" to {output}" if output else ""))


@command
def warehouse(
    *,
    folder: Path = argument("The folder to make.", ...),
    replace: bool = flag("--replace", "Write over another export in this folder."),
    where: Where,
) -> None:
    """Write the whole warehouse into a folder.

    It holds a Parquet file for each table, and the warehouse's SQL. evalsql import makes a warehouse of it again.
    DuckDB by itself queries the folder in place: duckdb -init open.sql

    Example: evalsql export warehouse archive
    """
    with where.open_file(read_only=True, folders=[str(part_of(folder))]) as opened:
        found = archive.export_warehouse(opened.database, folder, overwrite=replace)
    note(f"wrote {counted(len(found.rows), 'table')} of {sum(found.rows.values()):,} rows to {folder}")
    if found.left_out:
        note(f"  left out, being no part of a warehouse: {', '.join(found.left_out)}")


@command
def import_(*, folder: Path = argument("A folder that evalsql export warehouse wrote.", ...), where: Where) -> None:
    """Make a new warehouse of all that export wrote to a folder.

    Example: evalsql import archive --db copy.duckdb
    """
    path = Path(where.path)
    with progress_bar() as progress:
        found = archive.import_warehouse(folder, path, progress=progress)
    note(f"imported {counted(len(found.rows), 'table')} of {sum(found.rows.values()):,} rows into {path}")


def _export(kind: str, names: Names, form: str | None, target: Target, where: Where, qrels: str | None = None) -> None:
    """Write what names and globs stand for, all of it or nothing; by default those that have some."""
    output = target.path
    chosen = export_files.format_of(kind, form, output)
    with where.open_file(read_only=True) as warehouse:
        found = export_files.names_of(warehouse.database, kind, names)
        if kind in _HELD and not names:
            owner, owners = ("run", "runs") if kind in export_files.OF_RUNS else ("qrels", "qrels")
            held = warehouse.rows(f"select distinct {owner} from {named(_HELD[kind], owners)}")
            found = [name for name in found if (name,) in held]
    if not found:
        raise UsageError(f"there are no {kind} to write")
    one = target.is_file(len(found))
    if output is None and not one:
        raise UsageError(f"{len(found)} files are to be written; -o names the folder for them")
    with target.opened(one=one) as part, where.open_file(read_only=True, folders=[str(part)]) as warehouse:
        extension = export_files.FORMATS[kind][chosen]
        files = {name: part / ("file" if one else _file_name(name, extension)) for name in found}
        write = partial(export_files.write, warehouse.database, kind, form=chosen, qrels=qrels)
        written: dict[str, export_files.Written] = {}
        for name, path in files.items():
            if path.exists():
                other = next(each for each in written if path.samefile(files[each]))
                raise UsageError(f"{name} and {other} are one file here; export one of them by itself with -o FILE")
            written[name] = write(name, path=path)
        for path in files.values():
            if output is None:
                _print(chosen, path)
            else:
                refuse_protected(output if one else output / path.name, warehouse)
    rows = sum(each.num_rows for each in written.values())
    note(f"wrote {counted(len(written), 'file')} of {rows:,} rows" + (f" to {output}" if output else ""))
    note(*(f"  {name}: {remark}" for name, each in written.items() for remark in each.remarks))


def _file_name(name: str, extension: str) -> str:
    if "/" in name or "\0" in name or len(name.encode()) > 200:
        raise UsageError(f"{name[:100]} cannot name a file; export it by itself with -o FILE")
    return name + extension


def _print(form: str, path: Path) -> None:
    if form == "parquet":
        raise UsageError("Parquet is not for standard output; -o names a file")
    with path.open("rb") as stream, standard_output() as out:
        if out.isatty():
            out.writelines(for_stream(line.decode(errors="backslashreplace"), out) for line in stream)
            return
        out.flush()
        shutil.copyfileobj(stream, out.buffer)
        out.buffer.flush()
