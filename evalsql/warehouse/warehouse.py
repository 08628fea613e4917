"""A warehouse: one file, what loads it and what asks it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar, cast

from evalsql.catalog.measure_names import parse_measures
from evalsql.catalog.relations import Catalog
from evalsql.database.database import Database
from evalsql.database.names import Names, as_list
from evalsql.errors import EvalsqlError, UsageError
from evalsql.evaluation import stored_scores
from evalsql.evaluation.evaluation import Evaluation
from evalsql.evaluation.listings import groups_query, history_query
from evalsql.evaluation.notices import check_new_runs
from evalsql.evaluation.selection import Calls, Choice, calls_shown, choose_runs, parse_date
from evalsql.ingest.base_rows import annotate, drop
from evalsql.ingest.loader import Loader
from evalsql.literals import Value
from evalsql.phrases import Progress, counted, silent
from evalsql.warehouse import own_measures
from evalsql.warehouse.schema import remake_own
from evalsql.warehouse.writer import look_at

if TYPE_CHECKING:
    import duckdb

    from evalsql.ingest.document_texts import LoadedTexts
    from evalsql.ingest.run_values import LoadedAnswers, LoadedCosts
    from evalsql.ingest.topic_values import LoadedTopics

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _by(part: str, method: Callable[Concatenate[Any, _P], _R]) -> Callable[Concatenate[Warehouse, _P], _R]:
    """The method of a part of the warehouse, under the same name."""

    @wraps(method)
    def pass_on(self: Warehouse, *arguments: _P.args, **options: _P.kwargs) -> Any:
        return getattr(getattr(self, part), method.__name__)(*arguments, **options)

    return cast("Callable[Concatenate[Warehouse, _P], _R]", pass_on)


class Warehouse:
    """A database, what loads it and what asks it, perhaps few measures alone; users have the class of ``notebook``."""

    def __init__(self, database: Database, *, asked: Sequence[str] | None = None) -> None:
        self.database, self._has_all = database, asked is None
        named = () if asked is None else [each.relation for each in parse_measures(asked, database.catalog)]
        # Most measures need no documents without judgments, which are not stored then.
        keeps_unjudged = asked is None or database.catalog.reads_unjudged(named)
        self.loader = Loader(database, self._check_load, keeps_unjudged=keeps_unjudged)
        self.evaluation = Evaluation(database)

    def _check_load(self) -> None:
        if self.loader.keeps_unjudged:  # else there are no whole rankings to audit
            check_new_runs(self.database)
        if self.database.catalog.own and self._has_all:  # who asks for few measures checks them when they are asked
            # To stop a measure that takes too long would undo the load before its commit.
            self.database.once_committed.append(partial(own_measures.check_own, self.database, only_warn=True))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        try:
            ((num_qrels, num_runs),) = self.rows("select (select count(*) from qrels), (select count(*) from runs)")
        except EvalsqlError:
            return f"<evalsql warehouse {self.path}, closed>"
        return f"<evalsql warehouse {self.path}: {counted(num_qrels, 'judgment set')}, {counted(num_runs, 'run')}>"

    @property
    def path(self) -> str:
        """The file, or ":memory:"."""
        return self.database.path

    @property
    def read_only(self) -> bool:
        """Whether the file is left as it is."""
        return self.database.read_only

    @property
    def catalog(self) -> Catalog:
        """The relations it has, with the user's own."""
        return self.database.catalog

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """The DuckDB connection, with all that its package has."""
        return self.database.connection

    close = _by("database", Database.close)
    execute = _by("database", Database.execute)
    rows = _by("database", Database.rows)
    load_qrels = _by("loader", Loader.load_qrels)
    load_weights = _by("loader", Loader.load_weights)
    load_lists = _by("loader", Loader.load_lists)
    load_runs = _by("loader", Loader.load_runs)
    load_run = _by("loader", Loader.load_run)

    def sql(self, query: str) -> duckdb.DuckDBPyRelation:
        """A relation to go on with: ``.df()``, ``.pl()``, ``.to_arrow_table()``, ``.fetchall()``."""
        look_at(query, self.database)
        return self.database.sql(query)

    def calls(self, kind: Calls, runs: Names = ()) -> AbstractContextManager[None]:
        """Have rankings made of calls in the place of these runs, by default of all, for whatever is asked meanwhile.

        Args:
            kind: first or last (one call of each topic), each (every call is a run, such as "agent, call 2"),
                cumulative (what was found up to each call), best (all, by their best ranks), union (all, as runs are).
        """
        return calls_shown(self.database, kind, runs)

    def load_topics(
        self,
        source: Any,
        *,
        qrels: str | None = None,
        replace: bool = False,
        columns: Mapping[str, str] | None = None,
        **options: Any,
    ) -> LoadedTopics:
        """Keep texts and groups of a judgment set's topics; for more options see ``ingest.topic_values``.

        Args:
            source: a file, {topic: text}, {topic: {field: value}}, or rows as dicts or a frame.
            qrels: whose topics they are; may be left out where there is one judgment set.
            replace: put them in the place of texts and groups of the same names.
            columns: names of columns for topic, text, description and narrative, where they are not known.
        """
        from evalsql.ingest.topic_values import load_topics

        return load_topics(self.database, source, qrels=qrels, replace=replace, columns=columns, **options)

    def load_documents(self, source: Any, **options: Any) -> LoadedTexts:
        """Keep titles and texts of the documents that are held; options are those of ``ingest.document_texts``."""
        from evalsql.ingest.document_texts import load_documents

        return load_documents(self.database, source, **options)

    def load_costs(self, source: Any, **options: Any) -> LoadedCosts:
        """Keep costs of runs that are held, such as latency_ms; options are those of ``ingest.run_values``."""
        from evalsql.ingest.run_values import load_costs

        return load_costs(self.database, source, **options)

    def load_scores(
        self,
        sources: Any,
        *,
        qrels: str | None = None,
        replace: bool = False,
        meta: Mapping[str, str] | None = None,
        **options: Any,
    ) -> list[str]:
        """Load values of measures that were computed elsewhere, files or in memory; returns the names of the runs.

        Arguments and errors are those of ``ingest.scores`` for Parquet, and of ``ingest.results`` for all else.
        """
        from evalsql.ingest.files.input_files import paths_in
        from evalsql.ingest.python_rows import are_rows
        from evalsql.ingest.results import load_results
        from evalsql.ingest.scores import is_parquet, load_scores

        listed = list(sources) if are_rows(sources) else sources
        paths = paths_in(listed)
        tables = list(filter(is_parquet, paths or ()))
        results = listed if paths is None else [each for each in paths if each not in tables]
        how: dict[str, Any] = {"qrels": qrels, "replace": replace, "meta": meta}
        names, self.loader.notices = list[str](), []
        with self.database.transaction():
            loaded = [name for each in tables for name in load_scores(self.database, each, **how)]
            if paths is None or results:
                names, self.loader.notices = load_results(self.database, results, **how, **options)
        return loaded + names

    def load_assignments(self, source: Any, **options: Any) -> LoadedAnswers:
        """Load which nuggets answers hold, of files or rows; options are those of ``ingest.run_values``."""
        from evalsql.ingest.run_values import load_answers

        return load_answers(self.database, "assignments", source, **options)

    def load_citations(self, source: Any, **options: Any) -> LoadedAnswers:
        """Load whether documents support the sentences that cite them; options are those of ``ingest.run_values``."""
        from evalsql.ingest.run_values import load_answers

        return load_answers(self.database, "citations", source, **options)

    def fuse(self, method: str, runs: Names, name: str, **options: Any) -> str:
        """Fuse runs into a new one; options and errors are those of ``evalsql.warehouse.fusion.fuse``."""
        from evalsql.warehouse import fusion

        fusion.fuse(self.loader, method, runs, name, **options)
        return name

    def drop_runs(self, names: Names) -> list[str]:
        """Take runs out of the file, all or none: names or globs. Returns the names of those that went.

        Documents and topics that nothing refers to any more go as well. The file gets smaller by ``evalsql vacuum``.
        """
        return drop(self.database, "run", names)

    def drop_qrels(self, names: Names) -> list[str]:
        """Take judgment sets out of the file, with their weights, all or none; as ``drop_runs``. Runs stay."""
        return drop(self.database, "qrels", names)

    def annotate(
        self,
        names: Names,
        *,
        meta: Mapping[str, str] | None = None,
        remove: Names = (),
        qrels: bool = False,
        **facts: str,
    ) -> list[str]:
        """Change what is kept with runs, or with judgment sets: names or globs. Returns the names of those changed.

        The values before stay in ``meta_changes``; the view ``meta_history`` has them by name.

        Args:
            meta: new values by key.
            remove: keys to take out.
            qrels: whether the names are those of judgment sets.
            facts: more keys and values, such as system, version and date, or collection and cluster.
        """
        given = {**(meta or {}), **facts}
        if empty := [key for key, value in given.items() if not key.strip() or not value.strip()]:
            raise UsageError(f'"{empty[0]}" has no name or no value; remove takes keys out')
        if "date" in given:
            given["date"] = parse_date(given["date"], "date")
        changes = {**given, **dict.fromkeys(as_list(remove))}
        if not changes:
            raise UsageError("name what is to change: meta, or keys to remove")
        return annotate(self.database, "qrels" if qrels else "run", names, changes)

    def load_measures(self, sources: own_measures.Sources, *, replace: bool = False) -> list[str]:
        """Keep a user's own measures in the file: relation files, or folders of them. Returns the measures' names.

        Raises CatalogError with file and line where one does not hold to the contract; nothing is kept then.
        """
        relations = own_measures.read_sources(sources)
        self.database.before_view()
        with self._other_relations(are_checked=True):
            own_measures.add(self.database, relations, replace=replace)
        return [relation.header.measure for relation in relations if relation.is_measure]

    def drop_measures(self, names: Names) -> None:
        """Take measures that users added out of the file again."""
        with self._other_relations():
            own_measures.drop(self.database, as_list(names))

    @contextmanager
    def _other_relations(self, *, are_checked: bool = False) -> Iterator[None]:
        """Views and macros are made anew after what happens inside, or all stays as it was."""
        before = self.database.catalog
        try:
            with self.database.transaction():
                yield
                remake_own(self.database, before)
                if are_checked:
                    own_measures.check_own(self.database)
                self.database.announce(self.database.catalog.own)
            self.database.outdate_others()
            self.database.checkpoint()
        except BaseException:
            self.database.catalog = before
            raise

    def evaluate(
        self, measures: Names, *, per_topic: bool = False, qrels: Names = (), runs: Names = (), by: str | None = None
    ) -> duckdb.DuckDBPyRelation:
        """Values of measures: ``qrels, run, <measure>...``, a row a run, best by the first measure on top.

        Args:
            measures: names such as "nDCG@10", "AP(rel=2)", "P_5"; one string may hold several.
            per_topic: a row for each run, topic and measure instead: ``qrels, run, topic, measure, value``.
            qrels, runs: names or globs to keep to; all by default.
            by: groups of topics to average apart: ``qrels, group, run, topics, <measure>...``.
        """
        if by is not None:
            return self.sql(groups_query(self.evaluation, by, measures, qrels=qrels, runs=runs))
        return self.sql(self.evaluation.scores_query(measures, per_topic=per_topic, qrels=qrels, runs=runs))

    def curve(
        self, kind: str, *, runs: Names = (), qrels: Names = (), topics: Names = (), **arguments: Value
    ) -> duckdb.DuckDBPyRelation:
        """Points of a curve, in order.

        Args:
            kind: pr (interpolated precision at eleven levels of recall, mean over topics; with ``topics`` down each
                ranking), roc (topics pooled by score; with ``topics`` each by itself) or tap (false positives by
                score).
            topics: names of topics.
            arguments: parameters of the relation: rel, and for tap k and quantile.
        """
        return self.sql(self.evaluation.curve_query(kind, runs=runs, qrels=qrels, topics=topics, **arguments))

    def ties(
        self, measures: Names, *, qrels: Names = (), runs: Names = (), progress: Progress = silent
    ) -> tuple[duckdb.DuckDBPyRelation, duckdb.DuckDBPyRelation]:
        """How much hangs on the order of tied documents: two relations.

        The first has the means: ``qrels, run, measure, value, worst, expected, best``, null where not known for
        every topic; measures that do not depend on that order are left out. The second has the pairs of runs whose
        order could be another, the higher one's least mean being below the other's greatest: ``qrels, measure, run,
        value, least, other_run, other, greatest``. Arguments are those of ``evaluate``.
        """
        stored_scores.check_rankings(self.database, "the order of tied documents", runs)
        effects, swaps = self.evaluation.tie_queries(measures, qrels=qrels, runs=runs, progress=progress)
        return self.sql(effects), self.sql(swaps)

    def export(self, folder: str | Path, *, replace: bool = False) -> None:
        """Write everything into a folder, whole or not at all, of which ``evalsql.import_warehouse`` makes a file."""
        from evalsql.warehouse.archive import export_warehouse

        export_warehouse(self.database, Path(folder), overwrite=replace)

    def holdings(self) -> duckdb.DuckDBPyRelation:
        """What is held: judgment sets, then runs, with topics missing and extra."""
        return self.sql("select * from holdings order by kind, name, qrels")

    def choose_runs(self, names: Names = (), **options: Any) -> list[str]:
        """Names of runs in the order of date; options are those of ``Choice``: where, since, last and systems."""
        return list(choose_runs(self.database, Choice(as_list(names), **options)))

    def history(self, measures: Names, *, qrels: Names = (), **options: Any) -> duckdb.DuckDBPyRelation:
        """Systems over time, a row for each run and measure; options choose runs, as those of ``choose_runs`` do."""
        return self.sql(history_query(self.evaluation, measures, choice=Choice(**options), qrels=qrels))

    def coverage(self, *, qrels: Names = (), runs: Names = ()) -> duckdb.DuckDBPyRelation:
        """How the topics of runs and judgments match: ``qrels, run, num_topics, missing_topics, extra_topics``."""
        return self.sql(self.evaluation.coverage_query(qrels, runs))
