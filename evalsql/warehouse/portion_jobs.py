"""Jobs whose runs are evaluated a portion at a time: what is sent to processes, and the judgments that each keeps."""

import atexit
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb

from evalsql.catalog.measure_names import parse_measures
from evalsql.catalog.relations import read_catalog
from evalsql.database.database import MEMORY
from evalsql.database.disk import scratch_folder
from evalsql.errors import InputError
from evalsql.ingest.load_options import RunOptions
from evalsql.ingest.parts import file_name, noted
from evalsql.version import __version__
from evalsql.warehouse.open import open_database
from evalsql.warehouse.own_measures import read_sources
from evalsql.warehouse.warehouse import Warehouse

OTHER_VERSION = "the executors have another version"


@dataclass(frozen=True)
class Job:
    """What is evaluated and how, as it is sent to every process."""

    qrels: str
    qrels_file: str
    qrels_bytes: bytes
    measures: Sequence[str]  # canonical names
    digest: str  # SHA-256 over the relation files of the program that sends it
    form: str = "grades"
    run_options: RunOptions = field(default_factory=RunOptions)
    qrels_columns: Mapping[str, str] | None = None
    own: Mapping[str, bytes] = field(default_factory=dict)  # relation files of measures by their names
    engine: str = duckdb.__version__
    memory_limit: str = "2GB"
    threads: int = 1
    portion: int = 1_000_000  # rows that are evaluated together; a topic is never split
    whole_runs: bool = False  # whether a run is never split either: a user's measures may cross topics

    @property
    def qrels_sha256(self) -> str:
        return hashlib.sha256(self.qrels_bytes).hexdigest()

    @cached_property
    def key(self) -> str:
        """What tells it from jobs that tasks of another warehouse do."""
        return repr([*self.identity.values(), self.digest, self.engine, self.memory_limit, self.threads])

    @cached_property
    def crossing(self) -> Sequence[str]:
        """Measures that take a threshold over all topics of a run, where runs are split."""
        catalog = warehouse_of(self).database.catalog
        named = () if self.whole_runs else parse_measures(self.measures, catalog)
        steps = {each.name: catalog.build_order([each.relation.name]) for each in named}
        return [name for name, read in steps.items() if any(step.header.crosses_topics for step in read)]

    @property
    def identity(self) -> dict[str, str]:
        """All that figures hang on beside the runs."""
        rows = self.run_options.for_rows()
        options: list[object] = [rows.tie_rule, rows.lower_is_better, rows.keep_best, self.form]
        options += [given and sorted(given.items()) for given in (rows.columns, self.qrels_columns)]
        return {
            "judgments": f"{self.qrels}, SHA-256 {self.qrels_sha256[:12]}",
            "measures": ", ".join(sorted(self.measures)),
            "options": json.dumps(options),
            "SQL": self.digest[:12],
        }


def judged_topics(job: Job) -> list[str]:
    """The topics that every run is evaluated on; raises InputError for all that is wrong with the judgments."""
    query = "select distinct topic from judged_documents join topics using (topic_id) order by topic"
    return [topic for (topic,) in warehouse_of(job).rows(query)]


_held: dict[str, Warehouse] = {}
_at_end = ExitStack()
atexit.register(_at_end.close)


def warehouse_of(job: Job) -> Warehouse:
    """A warehouse with the judgments, which this process keeps for the portions that follow."""
    if job.key not in _held:
        _at_end.close()
        _at_end.callback(_held.clear)
        places = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")  # on this machine's disk
        local = next((Path(place) for place in places if os.path.isdir(place)), None)
        folder = Path(_at_end.enter_context(scratch_folder(local, holds_others=True)))
        judged = folder / "qrels" / file_name(job.qrels_file)
        for path, content in [(judged, job.qrels_bytes), *((folder / "own" / name, job.own[name]) for name in job.own)]:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        own = folder / "own" if job.own else ()
        catalog = read_catalog().extended(read_sources(own))
        for what, here, there in (("SQL", catalog.digest, job.digest), ("DuckDB", duckdb.__version__, job.engine)):
            if here != there:
                raise RuntimeError(
                    f"{OTHER_VERSION} of {what}: evalsql {__version__} there has {here[:12]}, the program that sends "
                    f"the job has {there[:12]}; install the same versions of evalsql and duckdb on all machines"
                )
        database = open_database(MEMORY, measures=own, memory_limit=job.memory_limit)
        warehouse = _at_end.enter_context(Warehouse(database, asked=job.measures))
        warehouse.execute(f"set threads = {job.threads}")
        with noted():
            how: dict[str, Any] = {"keep_best": job.run_options.keep_best, "columns": job.qrels_columns}
            try:
                warehouse.load_qrels(judged, job.qrels, form=job.form, **how)
            except InputError as error:
                problems = [problem._replace(file=job.qrels_file) for problem in error.problems]
                raise InputError(problems, error.count) from error
        _held[job.key] = warehouse
    return _held[job.key]
