"""Evaluates runs from memory, one after another, as a training loop does: prepared once, asked again and again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from threading import Lock
from typing import Any

from evalsql.catalog import ddl
from evalsql.catalog.ddl import relation_query
from evalsql.catalog.measure_names import Measure, literal, parse_measures, split_names
from evalsql.catalog.relations import Catalog
from evalsql.database.database import MEMORY
from evalsql.database.judgment_overlap import scarce_overlaps
from evalsql.database.names import Names, as_list
from evalsql.errors import UsageError, warn
from evalsql.evaluation import shared_steps
from evalsql.ingest import base_rows
from evalsql.ingest.loader import Loader
from evalsql.ingest.ranking import STAGED_COLUMNS, NewRun, ranked_rows
from evalsql.ingest.run_loading import repeated_error, stage_run_data
from evalsql.ingest.run_options import RunOptions
from evalsql.phrases import counted
from evalsql.warehouse.open import open_database

_QRELS = "qrels"
_RUN = "run"
_RUN_ID = 1
_OF_RUNS = {"judged_ranks", "run_topics", "retrieved"}  # tables that are filled anew for each run
_RANKED = "select * from all_ranks"
_DOCUMENTS = """
select document_id, document from main.documents
union all
select document_id, document from document_ids where is_new"""
_OWNER = f"select 0 as file_id, {_RUN_ID} as owner_id"
_PAIRS = f"select qrels_id, {_RUN_ID} as run_id from qrels"


class Evaluator(AbstractContextManager["Evaluator"]):
    """The values of measures for one run at a time, with judgments that stay.

    Threads can share one: each waits until the run of another is done.

    Args:
        qrels: {topic: {document: grade}}, a frame with columns for topic, document and grade, or a TREC qrels file.
        measures: names such as "nDCG@10", "AP(rel=2)", "P_5"; one string may hold several.
        tie_rule, lower_is_better: how documents are ordered, as in ``Warehouse.load_runs``.
        form: grades or groups, as in ``Warehouse.load_qrels``.

    Raises:
        InputError, UsageError: as ``Warehouse.load_qrels``, and for measures that are not known.
    """

    def __init__(
        self,
        qrels: Any,
        measures: Names,
        *,
        tie_rule: str | None = None,
        lower_is_better: bool = False,
        form: str = "grades",
    ) -> None:
        self._options = RunOptions(tie_rule=tie_rule, lower_is_better=lower_is_better).for_rows()
        self._asking = Lock()  # the run that is asked of is in tables
        asked = split_measures(measures)
        self._database = open_database(MEMORY)
        catalog = self._database.catalog
        self._names = canonical_names(catalog, asked)
        Loader(self._database).load_qrels(qrels, _QRELS, form=form)
        self._rows = self._prepare()
        inputs = {"scores": "select * from answers", "answered": ddl.ANSWERS}
        self._means = ddl.with_inputs(ddl.averaged(catalog), inputs)

    def evaluate(self, run: Any) -> dict[str, float]:
        """The mean of each measure over the topics of the judgments, by the name it was asked for.

        A name that stands for several measures gives each under its own. A topic that the run leaves out counts as
        the measure says, which is 0 for most; a warning tells how many there are.

        Args:
            run: {topic: {document: score}}, or a frame (pandas, polars, Arrow, DuckDB) with columns for topic,
                document and score, and rank if the tie rule goes by it; or rows of these as tuples, dicts or named
                tuples, or {topic: [document, ...]}.

        Raises:
            InputError: rows without a name or a number, documents that stand twice for a topic.
            UsageError: a frame without the columns.
        """
        with self._asking:
            self._evaluate(run)
            found = dict(self._database.rows(f"select measure, value from ({self._means})"))
        return {label: found[name] for label, name in self._names.items()}

    def per_topic(self, run: Any) -> dict[str, dict[str, float]]:
        """The value of each measure by topic of the judgments, then by name; arguments and errors as ``evaluate``."""
        with self._asking:
            self._evaluate(run)
            rows = self._database.rows("select topic, measure, value from answers order by topic")
        found: dict[str, dict[str, float]] = {}
        for topic, name, value in rows:
            found.setdefault(topic, {})[name] = value
        return {topic: {label: values[name] for label, name in self._names.items()} for topic, values in found.items()}

    def close(self) -> None:
        """Give back the memory; the evaluator cannot be asked any more."""
        self._database.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _prepare(self) -> dict[str, str]:
        """Make the tables that each run fills and empties; returns what fills them, in order.

        The statements are planned for each run: DuckDB 1.5 plans a prepared one once, by what tables held then, and
        gives wrong rows when they hold others.
        """
        database, catalog = self._database, self._database.catalog
        rule, lower_is_better = self._options.tie_rule, self._options.lower_is_better
        database.execute(f"create table staged_run_rows ({STAGED_COLUMNS})")
        database.execute(
            f"insert into runs by name select {_RUN_ID} as run_id, '{_RUN}' as run, 0 as num_tags, "
            f"{literal(rule)} as tie_rule, {lower_is_better} as lower_is_better, 0 as duplicates, "
            "'' as comments, map() as meta, now()::timestamp as loaded_at, '' as evalsql_version"
        )
        base_rows.add_evaluations(database, database.rows(_PAIRS))
        staged, ranked = {"staged": "select * from staged_run_rows"}, {"ranked": _RANKED}
        judged = {"new_pairs": _PAIRS, "retrieved": "select * from judged_or_tied"}
        rows = {
            "staged_topics": relation_query(catalog, "staged_topics", staged),
            "document_ids": relation_query(catalog, "document_ids", staged),
            "all_ranks": ranked_rows(database, _OWNER, self._options),
            "judged_or_tied": relation_query(catalog, "judged_or_tied", ranked),
            "run_topics": relation_query(catalog, "new_run_topics", ranked | {"staged_files": _OWNER}),
            "judged_ranks": relation_query(catalog, "judged_ranks_rows", judged),
        }
        for table, sql in rows.items():
            if table not in _OF_RUNS:
                database.execute(f"create table {table} as select * from (\n{sql}\n) limit 0")
        measures = parse_measures(self._names.values(), catalog)
        if catalog.reads_unjudged(measure.relation for measure in measures):
            rows["retrieved"] = _RANKED
        return rows | self._value_rows(measures)

    def _value_rows(self, measures: Sequence[Measure]) -> dict[str, str]:
        """The same for the values: steps that several measures take have tables too, filled once if no run matters."""
        database, catalog = self._database, self._database.catalog
        plan = shared_steps.planned(catalog, measures)
        rows: dict[str, str] = {}
        for step in plan.steps:
            table, sql = f"evalsql_{step.name}", shared_steps.step_rows(catalog, step)
            database.execute(f"create temp table {table} as {sql}")
            if any(_OF_RUNS & relation.reads for relation in catalog.build_order([step.name])):
                rows[table] = sql
            database.execute(f"create temp {shared_steps.reading(step)}")
            catalog = catalog.for_connection([step.name])
        labelled = [(measure.name, measure) for measure in measures]
        alone = ddl.labelled_scores([each for each in labelled if each[0] not in plan.measures])
        together = shared_steps.together(catalog, [each for each in labelled if each[0] in plan.measures])
        database.execute(f"create table answers as {ddl.NO_SCORES}")
        return rows | {"answers": "\nunion all\n".join(filter(None, (alone, together)))}

    def _evaluate(self, run: Any) -> None:
        """Have the run's ranks and the measures' values in the tables."""
        database = self._database
        for table in ("staged_run_rows", *self._rows):
            database.execute(f"delete from {table}")
        staged = NewRun(_RUN, _RUN_ID, ())
        stage_run_data(database, staged, run, self._options)
        if staged.holds_evalues and not self._options.lower_is_better:
            raise UsageError("these scores are E-values (lower is better); pass lower_is_better=True")
        if staged.is_ranking and self._options.lower_is_better:
            raise UsageError("a ranking without scores is in order already; leave out lower_is_better")
        for table, rows in self._rows.items():
            database.insert(table, rows)
            if table == "all_ranks" and (not isinstance(run, Mapping) or staged.is_ranking):
                repeated = relation_query(database.catalog, "repeated_documents", {"ranked": _RANKED})
                names = "join topics using (topic_id) join document_ids using (document_id)"
                if found := database.rows(f"select run_id, topic, document from ({repeated}) {names}"):
                    raise repeated_error(_RUN, found)
        self._warn_of_topics()

    def _warn_of_topics(self) -> None:
        ((missing, total, extra, num_judged, num_retrieved, total_judged),) = self._database.rows("""
            select count(*) filter (run_topics.topic_id is null), count(*), (
                select count(*) from staged_topics where topic not in (select topic from topics)
            ), (select count(*) from judged_ranks), (select count(*) from all_ranks),
            (select count(*) from judged_documents)
            from evaluations left join run_topics using (run_id, topic_id)
        """)
        if num_judged * 100 <= min(num_retrieved, total_judged):
            for line in scarce_overlaps(self._database, _PAIRS, _RANKED, {"documents": _DOCUMENTS}):
                warn(line)
        if missing:
            warn(f"the run leaves out {missing} of {total} topics of the judgments; they are averaged too")
        if extra:
            warn(f"the run has {counted(extra, 'topic')} without judgments, left out of the figures")


def split_measures(measures: Names) -> list[str]:
    """The names that are asked for, one by one; raises UsageError where there are none."""
    found = [name for text in as_list(measures) for name in split_names(text)]
    if not found:
        raise UsageError("no measure is named; expected one or several, such as nDCG@10")
    return found


def canonical_names(catalog: Catalog, asked: Iterable[str]) -> dict[str, str]:
    """Canonical names of measures by the names that the answers give them."""
    labels: dict[str, str] = {}
    for name in asked:
        found = [measure.name for measure in parse_measures([name], catalog)]
        labels |= {name: found[0]} if len(found) == 1 else {each: each for each in found}
    return labels
