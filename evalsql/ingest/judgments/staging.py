"""Judgments on their way in, whatever they come as: staged before any transaction, stored within one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsql.errors import InputError, QueryError, UsageError
from evalsql.ingest.columns import Given
from evalsql.ingest.files.folders import judgments_of, warn_of_skipped
from evalsql.ingest.files.sources import open_sources, stem
from evalsql.ingest.files.tables import Tables
from evalsql.ingest.judgments import truth
from evalsql.ingest.judgments.qrels import (
    FORMS,
    QrelsOptions,
    StagedFile,
    stage_qrels_file,
    stage_qrels_table,
    store_qrels_file,
)
from evalsql.ingest.judgments.qrels_data import load_qrels_data, store_staged_data
from evalsql.ingest.naming import checked_name

if TYPE_CHECKING:
    from evalsql.database.database import Database


@dataclass(frozen=True)
class StagedJudgments:
    """A judgment set to be: its name, what stores it and gives its key, and what there is to say."""

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
    is_truth = form in truth.TRUTHS
    options = QrelsOptions("grades" if is_truth else form, keep_best, meta)
    if not isinstance(source, str | Path):
        if name is None:
            raise UsageError("judgments in memory need a name")
        if not is_truth:
            yield StagedJudgments(name, lambda: load_qrels_data(database, name, source, options, columns), [])
            return
        rows = truth.staged_data(database, name, form, source, columns)
        num_rows, told = truth.stage_truth(database, name, form, rows, options, queries, with_self=with_self)
        database.execute("drop table truth_rows")
        yield StagedJudgments(name, lambda: store_staged_data(database, name, options, num_rows), told)
        return
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
        notices = [tables.recognised([file])]
        table = tables.by_label.get(file.label)
        if is_truth and table is None:
            raise QueryError(f"{file.label}: {form} were not recognised")
        if is_truth and table is not None:
            num_rows, told = truth.stage_truth(
                database, file.label, form, table.query, options, queries, with_self=with_self
            )
            staged = StagedFile(file, num_rows)
            notices += told
        elif table:
            staged = stage_qrels_table(database, table, options)
        else:
            staged = stage_qrels_file(database, file, options)
        if own:
            notices[0] += f", {path}"
        yield StagedJudgments(chosen, lambda: store_qrels_file(database, chosen, staged, options), notices)


def _file(source: str | Path, form: str) -> tuple[str | Path, str]:
    """The file that a folder stands for, and the folder's name; itself and no name otherwise."""
    if str(source) != "-" and Path(source).is_dir():
        return judgments_of(Path(source), form), Path(source).resolve().name
    return source, ""
