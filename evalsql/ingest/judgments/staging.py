"""Stages judgments, whatever they come as, before any transaction; the caller stores them within one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsql.errors import InputError, QueryError, UsageError
from evalsql.ingest.columns import Given
from evalsql.ingest.files.folders import judgments_of, warn_of_skipped
from evalsql.ingest.files.paths import open_sources, stem
from evalsql.ingest.files.table_reading import Tables
from evalsql.ingest.judgments import truth
from evalsql.ingest.judgments.qrels import (
    FORMS,
    QrelsOptions,
    StagedQrelsFile,
    stage_qrels_file,
    stage_qrels_table,
    store_qrels_file,
)
from evalsql.ingest.judgments.qrels_data import load_qrels_data, store_staged_data
from evalsql.ingest.naming import checked_name

if TYPE_CHECKING:
    from evalsql.database.database import Database


# Makes judgments of the rows of pairs or families that a SELECT gives; the text before it names them in messages.
# Returns the number of rows, and notices.
MakeJudgments = Callable[[str, str], tuple[int, list[str]]]


@dataclass(frozen=True)
class StagedJudgments:
    """A judgment set to be: its name, the function that stores it and returns its key, and notices for the user."""

    name: str
    store: Callable[[], int]
    notices: list[str]


@contextmanager
def staged_judgments(
    database: Database,
    source: Any,
    name: str | None,
    *,
    form: str,
    keep_best: bool,
    meta: Mapping[str, str],
    columns: Given,
    queries: truth.Queries,
    with_self: bool,
) -> Iterator[StagedJudgments]:
    """Read judgments of any kind; arguments and errors are those of ``Loader.load_qrels``."""
    if form not in (*FORMS, *truth.TRUTHS):
        raise UsageError(f"form {form} is unknown; there are: {', '.join((*FORMS, *truth.TRUTHS))}")
    if queries is not None and form != "families":
        raise UsageError("queries are named for judgments made of families, --form families")
    options = QrelsOptions("grades" if form in truth.TRUTHS else form, keep_best, meta)

    def make(label: str, rows: str) -> tuple[int, list[str]]:
        return truth.stage_truth(database, label, form, rows, options, queries, with_self=with_self)

    if isinstance(source, str | Path):
        with _of_file(database, source, name, form, columns, options, make) as staged:
            yield staged
    elif name is None:
        raise UsageError("judgments in memory need a name")
    else:
        yield _of_data(database, source, name, form, columns, options, make)


def _of_data(
    database: Database, data: Any, name: str, form: str, columns: Given, options: QrelsOptions, make: MakeJudgments
) -> StagedJudgments:
    """Judgments in memory; only those that are made of pairs or families are staged before the transaction."""
    if form not in truth.TRUTHS:
        return StagedJudgments(name, lambda: load_qrels_data(database, name, data, options, columns), [])
    num_rows, notices = make(name, truth.staged_data(database, name, form, data, columns))
    database.execute("drop table truth_rows")
    return StagedJudgments(name, lambda: store_staged_data(database, name, options, num_rows), notices)


@contextmanager
def _of_file(
    database: Database,
    source: str | Path,
    name: str | None,
    form: str,
    columns: Given,
    options: QrelsOptions,
    make: MakeJudgments,
) -> Iterator[StagedJudgments]:
    """Judgments of a file, or of the file that a folder stands for; temporary copies last as long as the context."""
    path, own = _file(source, form)
    with open_sources([path], form) as opened, Tables(database, form, columns) as tables:
        if opened.problems:
            raise InputError(opened.problems)
        if len(opened.sources) != 1:
            raise UsageError(f"{source} stands for {len(opened.sources)} files; judgments are loaded from one")
        warn_of_skipped(opened.skipped)
        (file,) = opened.sources
        chosen = checked_name(name if name is not None else own or stem(file.label))
        tables.read([file])
        tables.problems.check()
        notices = [tables.recognised([file]) + (f", {path}" if own else "")]
        table = tables.by_label.get(file.label)
        if form in truth.TRUTHS:
            if table is None:
                raise QueryError(f"{file.label}: {form} were not recognised")
            num_rows, told = make(file.label, table.query)
            staged = StagedQrelsFile(file, num_rows)
            notices += told
        elif table:
            staged = stage_qrels_table(database, table, options)
        else:
            staged = stage_qrels_file(database, file, options)
        yield StagedJudgments(chosen, lambda: store_qrels_file(database, chosen, staged, options), notices)


def _file(source: str | Path, form: str) -> tuple[str | Path, str]:
    """The file that a folder stands for, and the folder's name; itself and no name otherwise."""
    if str(source) != "-" and Path(source).is_dir():
        return judgments_of(Path(source), form), Path(source).resolve().name
    return source, ""
