"""Loads runs from files, by the engine's reader or line by line, and from memory; reads manifests that list files."""

import os
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from evalsql.database.database import Database
from evalsql.database.disk import scratch_folder
from evalsql.database.names import Names
from evalsql.errors import InputError, Problem, ProblemList, QueryError, input_error, warn
from evalsql.ingest.base_rows import LoadWarnings, add_file_rows, add_rows, file_row, make_room_for_runs, next_id
from evalsql.ingest.files.input_files import open_sources, stem
from evalsql.ingest.files.result_files import ResultError, table_rows
from evalsql.ingest.files.source import NOT_UTF8, Source, in_batches
from evalsql.ingest.files.table import TREC_TEXT, Table, note_left_out
from evalsql.ingest.files.tables import Tables
from evalsql.ingest.files.trec_text import Notes, first_notes, reader, rejected_paths, run_rows
from evalsql.ingest.frames import put
from evalsql.ingest.load_options import NO_CALL, RANKED, SCORED, RunOptions
from evalsql.ingest.ranking import SPANS_OF_TABLE, STAGED_COLUMNS, NewRun, Repeated, RunBatch, StagedFile, check_spans
from evalsql.literals import literal
from evalsql.phrases import Progress, silent

BATCH_BYTES = 50_000_000  # of text that is staged together, so that memory stays bounded and progress is seen


@dataclass
class RunLoader:
    """Loads runs of files within the caller's transaction; all problems of all files are raised together.

    ``left_out`` has notices of alignments and self-hits that were left out.
    """

    database: Database
    options: RunOptions
    tables: Tables
    problems: ProblemList
    progress: Progress
    warnings: LoadWarnings = field(default_factory=LoadWarnings)
    left_out: list[str] = field(default_factory=list)

    def load(self, named: Mapping[str, Sequence[Source]], qrels_ids: Mapping[str, Collection[int]]) -> None:
        """Load runs, each from its files; ``qrels_ids`` are keys of the judgment sets to evaluate each with."""
        runs = self._new_runs(named, qrels_ids)
        num_files, done = sum(len(run.files) for run in runs), 0
        for _, alike in groupby(runs, key=lambda run: run.kind):
            for some in in_batches(alike, lambda run: sum(file.source.text_bytes for file in run.files), BATCH_BYTES):
                self.progress("loading runs", done, num_files)
                self._load_batch(some)
                done += sum(len(run.files) for run in some)
        self.progress("loading runs", num_files, num_files)
        self.problems.check()
        if self.options.warns:
            self.warnings.note_repeated_files(self.database, "run", [run.run_id for run in runs])
            self.warnings.warn(lower_is_better=self.options.lower_is_better)
        if self.options.holds_spans:
            loaded = {"loaded": f"select unnest({[run.run_id for run in runs]}) as run_id"}
            self.left_out += self.database.column(self.database.query("collapsed_remarks", loaded))

    def _new_runs(
        self, named: Mapping[str, Sequence[Source]], qrels_ids: Mapping[str, Collection[int]]
    ) -> list[NewRun]:
        """The runs to load with their keys; those made of files that do not go together are problems."""
        runs: list[NewRun] = []
        tables = self.tables.by_label
        for run_id, (name, sources) in enumerate(named.items(), start=next_id(self.database, "runs", "run_id")):
            files = list[StagedFile]()
            for each in [each for each in sources if not each.form or each.label in tables]:
                try:
                    check_spans(each, tables.get(each.label), self.options)
                    files.append(StagedFile(each, tables.get(each.label)))
                except InputError as error:
                    self.problems.take(error)
            kinds = {file.kind for file in files}
            if len(kinds) == 1:
                runs.append(NewRun(name, run_id, qrels_ids[name], files))
            elif kinds:
                mixed = "files with E-values and of files with other scores"
                if RANKED in kinds:
                    mixed = "rankings without scores and of files with scores"
                self.problems.add(files[0].source.problem(0, f"run {name} is made of {mixed}; name them apart"))
        return runs

    def _load_batch(self, runs: Sequence[NewRun]) -> None:
        batch, files = RunBatch(self.database, runs, self.options), [file for run in runs for file in run.files]
        self.stage(runs)
        self.left_out += batch.rank()
        counts = dict(self.database.rows("select file_id, sum(num_rows) from staged_topics group by file_id"))
        for file in files:
            if file.source.number not in counts and not file.is_refused:
                self.problems.add(file.source.problem(0, "holds no rows"))
        if repeated := batch.repeated():
            self._report_repeated(runs, repeated)
        if not self.problems:
            batch.store(self.warnings)
            owned = [(run.run_id, file.source, file.sha256) for run in runs for file in run.files]
            rows = (file_row("run", run_id, each, counts[each.number], sha256) for run_id, each, sha256 in owned)
            add_file_rows(self.database, *rows)

    # Staging

    def stage(self, runs: Sequence[NewRun]) -> None:
        """Put the rows of all files of runs into the empty table ``staged_run_rows``."""
        files = [file for run in runs for file in run.files]
        with scratch_folder() as folder:
            with ThreadPoolExecutor(os.cpu_count()) as threads:
                list(threads.map(lambda file: file.inspect(Path(folder)), files))
            opposed = set[int]()
            if tables := [file.table for file in files if file.table]:
                self.tables.stage_runs(tables, SPANS_OF_TABLE if self.options.holds_spans else "")
                plain = {file.source.number for file in files if file.table and file.kind == SCORED}
                opposed = plain & _opposed(self.database, self.tables.first_run_rows, self.options)
            if texts := [file for file in files if not file.table]:
                opposed |= self._look_at_first_rows(texts)
                self._stage_text([file for file in texts if not file.is_refused])
            for run in runs:
                if any(file.source.number in opposed for file in run.files):
                    self.warnings.opposed.append(run.name)
        for file in files:
            if len(file.notes.tags) > 1:
                self.warnings.tags.append((file.source.label, list(file.notes.tags)))

    def _look_at_first_rows(self, files: Sequence[StagedFile]) -> set[int]:
        """Refuse TREC files that are other tables; returns numbers of those whose ranks oppose their scores."""
        database, by_number = self.database, {file.source.number: file for file in files}
        numbers, lines, texts = list[int](), list[int](), list[str]()
        for at, file in by_number.items():
            numbers += [at] * len(file.source.first_lines)
            lines += range(1, len(file.source.first_lines) + 1)
            texts += [line.decode(errors="replace") for line in file.source.first_lines]
        put(database, "first_lines", {"file_id": numbers, "line": lines, "text": texts}, ["file_id", "line"])
        first_lines = {"first_lines": "select * from temp.first_lines"}
        first_rows = {"first_rows": database.query("first_run_rows", first_lines)}
        for at, line, num_columns in database.rows(database.query("foreign_layouts", first_rows)):
            reason = (
                f"{num_columns} columns that are not those of a run, expected 5 or 6: topic Q0 document rank score "
                "[tag]; a tag may hold blanks, but is the same on nearly every line"
            )
            self._refuse(by_number[at], by_number[at].source.problem(line, reason))
        found = _opposed(database, first_rows["first_rows"], self.options)
        database.drop("first_lines")
        return found

    def _stage_text(self, files: Sequence[StagedFile]) -> None:
        """Stage TREC files: by the engine's reader, all together, the rest line by line."""
        clean, by_lines = list[StagedFile](), list[StagedFile]()
        for file in files:
            if file.text and (notes := first_notes(file.source)):
                file.notes = notes
                clean.append(file)
            else:
                by_lines.append(file)
        if clean:
            by_lines += self._stage_clean(clean)
        for at, file in enumerate(by_lines):
            if len(by_lines) > 1:
                self.progress("reading line by line", at, len(by_lines))
            self._stage_exactly(file)

    def _stage_clean(self, files: Sequence[StagedFile]) -> list[StagedFile]:
        """Stage files by the engine's reader; returns those that must be read line by line."""
        paths = {file.source.number: file.text for file in files if file.text}
        # Looking values up in lists is faster than joining a table.
        tags = ", ".join(literal(file.notes.last_tag or "") for file in files)
        lines = f"""
            select
                list_extract([{", ".join(map(str, paths))}], cast(file_index as bigint) + 1) as file_id,
                list_extract(cast([{tags}] as varchar[]), cast(file_index as bigint) + 1) as expected_tag,
                line
            from {reader([*paths.values()])}"""
        database, inputs = self.database, {"lines": lines}
        clean = database.query("clean_run_rows", inputs, rank_is_used=self.options.goes_by_rank)
        database.insert("staged_run_rows", clean)
        rejected = set(map(os.path.abspath, rejected_paths(database)))
        doubtful = {number for number, path in paths.items() if os.path.abspath(path) in rejected}
        doubtful.update(*database.rows("select distinct file_id from staged_run_rows where doubtful"))
        if doubtful:
            listed = ", ".join(map(str, doubtful))
            database.execute(f"delete from staged_run_rows where file_id in ({listed})")
        return [file for file in files if file.source.number in doubtful]

    def _stage_exactly(self, file: StagedFile) -> None:
        file.notes, number, is_ranked = Notes(), file.source.number, self.options.goes_by_rank
        found = run_rows(file.source, file.notes, partial(self._refuse, file), rank_is_used=is_ranked)
        rows = (
            (number, topic, document, int(rank.partition(".")[0]) if is_ranked else None, float(score), False)
            for _, (topic, document, rank, score) in found
        )
        add_rows(self.database, "staged_run_rows", [*STAGED_COLUMNS][:-1], rows)

    def _refuse(self, file: StagedFile, problem: Problem) -> None:
        file.is_refused = True
        self.problems.add(problem)

    def _report_repeated(self, runs: Sequence[NewRun], repeated: set[Repeated]) -> None:
        """Report repeated documents with their lines, for which their files are read again."""
        concerned = {each.run_id for each in repeated}
        for run in (run for run in runs if run.run_id in concerned):
            first: dict[Repeated, tuple[str, int]] = {}
            for file in run.files:
                origin, label = file.table or Table(self.database, file.source, TREC_TEXT), file.source.label
                for line, found in self._documents(run, file):
                    if found not in repeated:
                        continue
                    place = first.setdefault(found, (label, line))
                    if place != (label, line):
                        where = f"{origin.unit} {place[1]}" if place[0] == label else f"{place[0]}:{place[1]}"
                        self.problems.add(origin.problem(line, f"{found.of_topic} already stands at {where}"))
        if not self.problems:
            raise QueryError(f"{len(repeated)} repeated documents were found that no line could be named for")

    def _documents(self, run: NewRun, file: StagedFile) -> Iterator[tuple[int, Repeated]]:
        """Line, topic, document and perhaps call of each row of a file."""
        named = ("topic", "document", "call") if self.options.has_calls else ("topic", "document")
        as_text = run_rows(file.source, Notes(), lambda problem: None, rank_is_used=self.options.goes_by_rank)
        for line, values in file.table.rows(*named) if file.table else as_text:
            yield line, Repeated(run.run_id, *values[: len(named)])


def _opposed(database: Database, first_rows: str, options: RunOptions) -> set[int]:
    """Numbers of the files whose ranks oppose their scores."""
    inputs, lower_is_better = {"first_rows": first_rows}, options.lower_is_better
    opposed = database.query("opposed_files", inputs, lower_is_better=lower_is_better)
    return {*database.column(opposed)} if options.ranks_by_score else set()


def run_tables(database: Database, options: RunOptions, problems: ProblemList) -> Tables:
    rank_is_used, ignores_calls = options.goes_by_rank, options.call == NO_CALL
    return Tables(database, "run", options.given, problems, rank_is_used=rank_is_used, ignores_calls=ignores_calls)


@contextmanager
def staged_file(
    database: Database, path: Path, name: str, options: RunOptions
) -> Iterator[tuple[NewRun, LoadWarnings]]:
    """Have the rows of one file in the table ``staged_run_rows``; yields the run that it would be, and its warnings.

    Nothing is loaded. Raises InputError for all that is wrong with the file.
    """
    problems = ProblemList()
    with (
        open_sources(path, problems, "run", options.given) as sources,
        run_tables(database, options, problems) as tables,
    ):
        for other in sources[1:]:
            problems.add(other.problem(0, "is one run of several in its file; load that file by itself"))
        problems.check()
        tables.read(sources)
        loader = RunLoader(database, options, tables, problems, silent)
        runs = loader._new_runs({name: sources}, {name: ()})
        problems.check()
        database.make_empty("staged_run_rows", STAGED_COLUMNS)
        loader.stage(runs)
        problems.check()
        yield runs[0], loader.warnings


def load_run_data(database: Database, name: str, data: Any, options: RunOptions, qrels: Names) -> tuple[int, int]:
    """Load one run from memory within the caller's transaction; returns its run_id and how many rows were read."""
    qrels_ids = make_room_for_runs(database, [name], qrels, options.replace)[name]
    run = NewRun(name, next_id(database, "runs", "run_id"), qrels_ids)
    batch, warnings = RunBatch(database, [run], options), LoadWarnings()
    num_rows = stage_run_data(database, run, data, options, warnings)
    for line in batch.rank():
        if options.warns:
            warn(f"{name}: {line}")
    if repeated := batch.repeated():
        raise repeated_error(name, repeated)
    batch.store(warnings)
    if options.warns:
        warnings.warn(lower_is_better=options.lower_is_better)
    return run.run_id, num_rows


def stage_run_data(
    database: Database, run: NewRun, data: Any, options: RunOptions, warnings: LoadWarnings | None = None
) -> int:
    """Put the rows of a run into the empty table ``staged_run_rows``, as one file of ``run``; returns their number.

    ``data`` is as for ``Loader.load_run``; its score is minus the rank where it has ranks alone.
    """
    with run_tables(database, options, ProblemList()) as tables:
        table = tables.read_data(data, run.name)
        if options.warns:
            note_left_out([table], "run")
        run.files = [StagedFile(table.source, table)]
        check_spans(table.source, table, options)
        tables.stage_runs([table], SPANS_OF_TABLE if options.holds_spans else "")
        has_both = "rank" in table.columns and run.kind == SCORED
        if warnings and has_both and _opposed(database, tables.first_run_rows, options):
            warnings.opposed.append(run.name)
        return table.num_rows


def repeated_error(name: str, repeated: Iterable[Repeated]) -> InputError:
    return InputError(Problem(name, 0, f"{each.of_topic} stands more than once") for each in sorted(repeated))


_COLUMNS = {
    **{"line": "integer", "file": "varchar", "stem": "varchar", "is_there": "boolean"},
    **{"keys": "varchar[]", "texts": "varchar[]"},
}
_SAID = {"run": "varchar", "keys": "varchar[]", "texts": "varchar[]"}


def stage_manifest(database: Database, path: str | Path, meta: Mapping[str, str]) -> list[Any]:
    """The runs that a file lists: CSV, TSV, JSON lines or TOML with the columns file, system, collection and others.

    Paths start from the manifest's own folder. ``meta`` is kept with all runs where it says nothing else. Also
    puts the runs into the table ``told_runs``. Raises InputError with all lines that are at fault.
    """
    rows = []
    for line, row in _rows(path):
        said = dict(meta) | {key: text for key, value in row.items() if (text := _text(value))}
        file = _file(path, row)
        rows.append((line, file, stem(file), os.path.isfile(file), [*said], [*said.values()]))
    if not rows:
        raise input_error(path, "lists no run")
    listed = _told_runs(database, "manifest_runs", "manifest", _COLUMNS, rows)
    if faulty := [Problem(str(path), run.line, run.reason) for run in listed if run.reason]:
        raise InputError(faulty)
    return listed


def run_name(facts: Mapping[str, str]) -> str:
    """``system@version/collection``, as far as it is known."""
    version = f"@{facts['version']}" if facts.get("system") and facts.get("version") else ""
    return "/".join(filter(None, [facts.get("system", "") + version, facts.get("collection")]))


def stage_said(database: Database, runs: Mapping[str, Sequence[Source]], meta: Mapping[str, str]) -> list[Any]:
    """What the first file of each run says of it and ``meta`` adds, with the judgment sets to evaluate it with.

    Also puts it into the table ``told_runs``. Most files say nothing.
    """
    said = {run: {**some[0].said, **meta} for run, some in runs.items() if some[0].said}
    if not said:
        return []
    rows = [(run, [*facts], [*facts.values()]) for run, facts in said.items()]
    return _told_runs(database, "sets_of_collections", "said_runs", _SAID, rows)


def _told_runs(
    database: Database, relation: str, name: str, columns: Mapping[str, str], rows: Sequence[Sequence[object]]
) -> list[Any]:
    """What a relation makes of rows that are staged under a name; also in the table ``told_runs``."""
    database.make_empty(name, columns)
    add_rows(database, name, [*columns], rows)
    staged = {name: f"select * exclude (keys, texts), map(keys, texts) as meta from temp.{name}"}
    database.make("told_runs", database.query(relation, staged))
    database.drop(name)
    return database.records("select * from temp.told_runs")


def manifest_files(path: str | Path) -> list[str]:
    """Paths of the files that a manifest lists, whether they are there or not."""
    return [_file(path, row) for _, row in _rows(path)]


def _file(path: str | Path, row: Mapping[str, Any]) -> str:
    return os.path.join(os.path.dirname(path), _text(row.get("file")))


def _text(value: Any) -> str:
    return "" if value is None else str(value).strip()


def _rows(path: str | Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Line and columns of each run; raises InputError for what cannot be read."""
    line, reason = 0, ""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        if not str(path).endswith(".toml"):
            yield from ((line, {name.lower(): each for name, each in row.items()}) for line, row in table_rows(text))
            return
        starts = [at for at, each in enumerate(text.splitlines(), start=1) if each.strip().startswith("[[")]
        listed = [row for rows in tomllib.loads(text).values() for row in rows]
        if not all(isinstance(row, dict) for row in listed):
            raise ValueError("something stands there that is no table")
        yield from zip(starts, listed, strict=True)
    except ResultError as error:
        line, reason = error.line, error.reason
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
    except UnicodeDecodeError:
        reason = NOT_UTF8
    except (ValueError, TypeError, RecursionError) as error:
        reason = f"is no TOML of runs, such as [[run]]: {error}"
    if reason:
        raise input_error(path, reason, line)
