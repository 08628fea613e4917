"""A warehouse: loaded and asked."""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Any

import duckdb

from evalsql import build
from evalsql.added import Sources
from evalsql.catalog import Catalog
from evalsql.connection import Connection
from evalsql.errors import InputError, Problem, UsageError
from evalsql.naming import literal, parse_measures

SCHEMA_VERSION = 3
STORAGE_VERSION = "v1.5.0"  # read by DuckDB 1.5 and 2.0, and it holds typed macro parameters
MEMORY = ":memory:"
Progress = Callable[[str, int, int], None]
Names = Sequence[str] | str


def _silent(stage: str, done: int, total: int) -> None:
    """Progress nobody looks at."""


class Warehouse(Connection):
    """Runs, judgments and measures in one DuckDB file. Use ``evalsql.open`` to get one.

    Every method that takes names raises UsageError for unknown ones; every query raises QueryError with the
    engine's words. ``connection`` is the DuckDB connection, for whatever else SQL can do.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: str, *, read_only: bool, catalog: Catalog) -> None:
        super().__init__(connection, read_only=read_only)
        self.path = path
        self.catalog = catalog

    def __enter__(self) -> Warehouse:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @cached_property
    def program_version(self) -> str:
        return version("evalsql")

    # Loading

    def load_qrels(
        self,
        source: Any,
        name: str | None = None,
        *,
        form: str = "grades",
        runs: Names = (),
        keep_best: bool = False,
        replace: bool = False,
        meta: Mapping[str, str] | None = None,
    ) -> str:
        """Load judgments: a TREC qrels file, a frame, or {topic: {document: grade}}. Returns the set's name.

        Args:
            source: path ("-" is standard input), or data with columns for topic, document, grade.
            form: grades (a document has one grade for a topic), groups (it may have one in each group, which the
                iteration names) or preferences (topic, group, subgroup, document, level; the subgroup may be left
                out: documents are preferred to those of lower levels in their subgroup, and what follows from that
                within a group; groups need not agree).
            name: by default the file's stem.
            runs: names or globs of runs already loaded that are to be evaluated with these judgments too.
            keep_best: of several judgments of a document for a topic (or by a group) keep the one with the highest
                grade.
            replace: put the judgments in the place of a set of the same name, for the runs it had as well.
            meta: key and value to keep with the set.

        Raises:
            InputError: every line that was refused, with file, line and reason; nothing was loaded.
        """
        from evalsql.ingest.frames import load_qrels_data
        from evalsql.ingest.qrels import QrelsOptions, load_qrels_file
        from evalsql.ingest.sources import open_sources, stem

        options = QrelsOptions(form, keep_best, meta or {})
        if not isinstance(source, str | Path):
            if name is None:
                raise UsageError("judgments in memory need a name")
            with self._new_qrels(_named(name), _listed(runs), replace) as adopt:
                adopt(load_qrels_data(self, name, source, options))
            return name
        with open_sources([source]) as opened:
            if opened.problems:
                raise InputError(opened.problems)
            if len(opened.sources) != 1:
                raise UsageError(f"{source} stands for {len(opened.sources)} files; judgments are loaded from one")
            (file,) = opened.sources
            name = _named(stem(file.label) if name is None else name)
            with self._new_qrels(name, _listed(runs), replace) as adopt:
                adopt(load_qrels_file(self, name, file, options))
        return name

    @contextmanager
    def _new_qrels(self, name: str, runs: Sequence[str], replace: bool) -> Iterator[Callable[[int], None]]:
        from evalsql.ingest import keys

        wanted = {run_id for pattern in runs for run_id in self._ids("run", pattern)}
        with self.transaction():
            taken = self.rows("select qrels_id from qrels where qrels = ?", [name])
            if taken and not replace:
                raise UsageError(f"judgments {name} are already loaded; --replace puts others in their place")
            for (qrels_id,) in taken:
                paired = self.rows("select distinct run_id from evaluations where qrels_id = ?", [qrels_id])
                wanted |= {run_id for (run_id,) in paired}
                self._delete("qrels", qrels_id)
            yield lambda qrels_id: keys.pair(self, [(qrels_id, run_id) for run_id in sorted(wanted)])

    def load_runs(
        self,
        files: str | Path | Iterable[str | Path],
        *,
        name: str | None = None,
        qrels: Names = (),
        tie_rule: str = "trec_eval",
        lower_is_better: bool = False,
        keep_best: bool = False,
        depth: int | None = None,
        judged_by: str | None = None,
        replace: bool = False,
        meta: Mapping[str, str] | None = None,
        progress: Progress = _silent,
    ) -> list[str]:
        """Load TREC run files, one run each, or all as one run if a name is given. Returns the names.

        Args:
            files: paths or globs, "-" being standard input; plain, gzip or zstd.
            name: by default each file's stem.
            qrels: judgment sets to evaluate the runs with; by default the one there is.
            tie_rule: trec_eval (score as 32-bit float, then document descending), trec_eval_10 (the same with
                64-bit scores), rank (the file's rank column) or input (the order of the lines).
            lower_is_better: whether smaller scores are better, as with E-values.
            keep_best: keep a document that stands more than once for a topic at the best of its ranks.
            depth: keep so many documents of each topic.
            judged_by: keep only documents that this judgment set judges, with a grade of 0 or more; after depth.
            replace: put the runs in the place of those of the same names.
            meta: key and value to keep with the runs.

        Raises:
            InputError: every line of every file that was refused, with its reason; nothing was loaded.
        """
        from evalsql.ingest.runs import EngineStoppedError, RunLoader, RunOptions
        from evalsql.ingest.sources import Source, open_sources, stem

        options = RunOptions(
            _tie_rule(tie_rule), lower_is_better, keep_best, depth, self._judging(judged_by), meta or {}
        )
        with open_sources([files] if isinstance(files, str | Path) else files) as opened:
            named: dict[str, list[Source]] = {}
            problems = list(opened.problems)
            for source in opened.sources:
                own = _named(stem(source.label) if name is None else name)
                if own in named and name is None:
                    first = named[own][0].label
                    problems.append(Problem(source.label, 0, f"run {own} comes from {first} as well; name one of them"))
                named.setdefault(own, []).append(source)
            inexact: set[Path] = set()
            while True:
                try:
                    with self.transaction():
                        qrels_ids = self._prepare(list(named), _listed(qrels), replace)
                        loader = RunLoader(self, options, progress, problems=problems, inexact=inexact)
                        loaded = loader.load(named)
                        progress("preparing measures", 0, 1)
                        self._pair(qrels_ids, {run.name: run.run_id for run in loaded})
                        progress("preparing measures", 1, 1)
                    return list(named)
                except EngineStoppedError as stopped:
                    inexact |= set(stopped.paths)

    def load_run(
        self,
        data: Any,
        name: str,
        *,
        qrels: Names = (),
        tie_rule: str = "trec_eval",
        lower_is_better: bool = False,
        keep_best: bool = False,
        depth: int | None = None,
        judged_by: str | None = None,
        replace: bool = False,
        meta: Mapping[str, str] | None = None,
    ) -> str:
        """Load one run from memory: a pandas, polars or Arrow table, a DuckDB relation, or {topic: {document: score}}.

        Other arguments and errors are those of ``load_runs``.
        """
        from evalsql.ingest.frames import load_run_data
        from evalsql.ingest.runs import RunOptions

        options = RunOptions(
            _tie_rule(tie_rule), lower_is_better, keep_best, depth, self._judging(judged_by), meta or {}
        )
        with self.transaction():
            qrels_ids = self._prepare([_named(name)], _listed(qrels), replace)
            self._pair(qrels_ids, {name: load_run_data(self, name, data, options)})
        return name

    def load_measures(self, sources: Sources, *, replace: bool = False) -> list[str]:
        """Keep a user's own measures in the file: relation files, or folders of them. Returns the measures' names.

        Raises:
            CatalogError: one does not hold to the contract; the message names file and line, and nothing is kept.
        """
        from evalsql import added

        relations = added.read_sources(sources)
        with self._other_relations():
            added.add(self, relations, replace=replace)
        return [relation.header.measure for relation in relations if relation.is_measure]

    def drop_measures(self, names: Names) -> None:
        """Take measures that users added out of the file again."""
        from evalsql import added

        with self._other_relations():
            added.drop(self, _listed(names))

    @contextmanager
    def _other_relations(self) -> Iterator[None]:
        """Views and macros are made anew after what happens inside, or all stays as it was."""
        from evalsql.opening import rebuild

        before = self.catalog
        try:
            with self.transaction():
                yield
                rebuild(self)
        except BaseException:
            self.catalog = before
            raise

    def _judging(self, name: str | None) -> str | None:
        if name is not None and not self.rows("select 1 from qrels where qrels = ?", [name]):
            raise UsageError(f'no judgment set is called "{name}"')
        return name

    def _prepare(self, names: Sequence[str], qrels: Sequence[str], replace: bool) -> dict[str, set[int]]:
        """Make room for runs; returns by name the ids of the judgment sets to evaluate each with.

        Those are the sets asked for, else the only one there is, and those of the run that it replaces.
        """
        held = dict(self.rows("select run, run_id from runs"))
        taken = [name for name in names if name in held]
        if taken and not replace:
            listed = ", ".join(taken[:5]) + (", ..." if len(taken) > 5 else "")
            raise UsageError(f"already loaded: {listed}; --replace puts others in their place")
        pairs: dict[str, set[int]] = {name: set() for name in names}
        for name in taken:
            paired = self.rows(f"select distinct qrels_id from evaluations where run_id = {held[name]}")
            pairs[name] |= {qrels_id for (qrels_id,) in paired}
            self._delete("run", held[name])
        present = self.rows("select qrels_id, qrels from qrels order by qrels")
        wanted = {qrels_id for pattern in qrels for qrels_id in self._ids("qrels", pattern)}
        if not qrels and len(present) == 1:
            wanted = {present[0][0]}
        if not qrels and len(present) > 1 and not all(pairs.values()):
            listed = ", ".join(name for _, name in present)
            raise UsageError(f"there are several judgment sets, say which to evaluate with: {listed}")
        return {name: own | wanted for name, own in pairs.items()}

    def _pair(self, qrels_ids: Mapping[str, set[int]], run_ids: Mapping[str, int]) -> None:
        from evalsql.ingest import keys

        pairs = [(qrels_id, run_id) for name, run_id in run_ids.items() for qrels_id in qrels_ids[name]]
        keys.pair(self, sorted(pairs))

    def _delete(self, kind: str, key: int) -> None:
        tables: Sequence[str] = ("runs", "retrieved", "run_topics")
        if kind == "qrels":
            tables = ("qrels", "assessments", "preferences", "judged_documents")
        self.execute(
            f"delete from judged_ranks where evaluation_id in "
            f"(select evaluation_id from evaluations where {kind}_id = {key})"
        )
        for table in (*tables, "evaluations"):
            self.execute(f"delete from {table} where {kind}_id = {key}")
        self.execute(f"delete from files where kind = '{kind}' and id = {key}")

    def _ids(self, kind: str, pattern: str) -> list[int]:
        """Keys of the runs or judgment sets that a name or glob stands for."""
        held = dict(self.rows(f"select {kind}, {kind}_id from {'runs' if kind == 'run' else 'qrels'}"))
        found = [held[pattern]] if pattern in held else [held[name] for name in fnmatch.filter(held, pattern)]
        if not found:
            near = difflib.get_close_matches(pattern, held, n=3) or sorted(held)[:5]
            what = "run" if kind == "run" else "judgment set"
            hint = f"; there are: {', '.join(near)}" if near else "; none is loaded"
            raise UsageError(f'no {what} is called "{pattern}"{hint}')
        return found

    # Asking

    def evaluate(
        self,
        measures: Names,
        *,
        per_topic: bool = False,
        qrels: Names = (),
        runs: Names = (),
    ) -> duckdb.DuckDBPyRelation:
        """Values of measures: ``qrels, run, <measure>...``, a row a run, best by the first measure on top.

        Args:
            measures: names such as "nDCG@10", "AP(rel=2)", "P_5"; one string may hold several.
            per_topic: a row for each run, topic and measure instead: ``qrels, run, topic, measure, value``.
            qrels, runs: names or globs to keep to; all by default.
        """
        named = parse_measures(_listed(measures), self.catalog)
        if not named:
            raise UsageError("name at least one measure, such as nDCG@10")
        scores = f"select * from (\n{build.scores(named)}\n){self._filter(qrels, runs)}"
        if per_topic:
            return self.sql(build.per_topic(named, scores))
        return self.sql(build.leaderboard(self.catalog, named, scores))

    def ties(
        self, measures: Names, *, qrels: Names = (), runs: Names = (), progress: Progress = _silent
    ) -> tuple[duckdb.DuckDBPyRelation, duckdb.DuckDBPyRelation]:
        """How much hangs on the order of tied documents: two relations.

        The first has the means: ``qrels, run, measure, value, worst, expected, best``, null where no closed form is
        known; measures that do not depend on that order are left out. The second has the pairs of runs whose order
        could be another, the higher one's least mean being below the other's greatest: ``qrels, measure, run, value,
        least, other_run, other, greatest``. Arguments are those of ``evaluate``.
        """
        named = parse_measures(_listed(measures), self.catalog)
        chosen = self._filter(qrels, runs)
        self.execute(f"create or replace temp table tied_answers as {build.NO_TIED_ANSWERS}")
        for done, measure in enumerate(named):
            progress("trying orders of ties", done, len(named))
            # One at a time: the plan of all together would take longer than its execution.
            self.execute(f"insert into tied_answers select * from (\n{build.tied_answers(measure)}\n){chosen}")
        effects = build.tie_report(self.catalog, "tie_effects", "select * from temp.tied_answers")
        swaps = build.tie_report(self.catalog, "tie_swaps", "select * from temp.tied_answers")
        return (
            self.sql(f"{effects}\norder by qrels, measure, value desc, run"),
            self.sql(f"{swaps}\norder by qrels, measure, value desc, other desc"),
        )

    def _filter(self, qrels: Names, runs: Names) -> str:
        conditions = []
        for kind, patterns in (("qrels", _listed(qrels)), ("run", _listed(runs))):
            if patterns:
                ids = sorted({key for pattern in patterns for key in self._ids(kind, pattern)})
                table = "runs" if kind == "run" else "qrels"
                listed = ", ".join(map(str, ids))
                names = self.rows(f"select {kind} from {table} where {kind}_id in ({listed})")
                conditions.append(f"{kind} in ({', '.join(literal(name) for (name,) in names)})")
        return f"\nwhere {' and '.join(conditions)}" if conditions else ""

    def holdings(self) -> duckdb.DuckDBPyRelation:
        """What is held: judgment sets, then runs, with topics missing and extra."""
        return self.sql("select * from holdings order by kind, name, qrels")

    def coverage(self, *, qrels: Names = (), runs: Names = ()) -> duckdb.DuckDBPyRelation:
        """How the topics of runs and judgments match: ``qrels, run, num_topics, missing_topics, extra_topics``."""
        return self.sql(f"select * from coverage{self._filter(qrels, runs)}\norder by qrels, run")


def _tie_rule(rule: str) -> str:
    from evalsql.ingest.runs import TIE_RULES

    if rule not in TIE_RULES:
        raise UsageError(f"tie rule {rule} is unknown; there are: {', '.join(TIE_RULES)}")
    return rule


def _named(name: str) -> str:
    if name in ("", "-"):
        raise UsageError("a name is needed; data from standard input has none of its own")
    return name


def _listed(names: Names) -> Sequence[str]:
    return [names] if isinstance(names, str) else names
