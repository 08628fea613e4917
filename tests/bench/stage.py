"""What benchmarks share: sizes, files made when first asked for, the ways of timing, and the times of peers."""

import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from evalsql.catalog.measure_names import default_measure, trec_measures, trec_names
from evalsql.catalog.relations import read_catalog
from tests.bench.collection import Collection, covid
from tests.bench.machine import installed_version
from tests.bench.processes import EVALSQL, PYTHON, Outcome, run
from tests.bench.report import Measured

PEER = "pytrec-eval-terrier"
PARTS = ("judgments", "reading", "scoring")
DEFAULTS = [default_measure(relation).name for relation in read_catalog().measures if relation.header.in_scores]


def trec_eval_measures() -> dict[str, str]:
    """All measures of pytrec_eval as trec_eval prints them, at its cutoffs, each with its name here.

    Without what is no measure: the run's name and the grades as a string.
    """
    import pytrec_eval

    names = trec_names(read_catalog())
    return {
        printed: measure.name
        for name in sorted(pytrec_eval.supported_measures & names.keys())
        for printed, measure in trec_measures(name, names[name], None)
    }


@dataclass(frozen=True)
class Sizes:
    """How much of each thing there is."""

    repeat: int = 5
    systems: int = 126
    growth: Sequence[float] = (1, 10)  # million rows
    short_runs: Sequence[int] = (200, 2000)  # systems of a hundred documents a topic
    topics: int = 7000
    spark: tuple[int, int] = (250, 20)  # topics of a thousand documents, and runs
    portioned: int = 2_000_000  # rows of all runs
    warehouses: tuple[int, int] = (10, 1000)
    samples: int = 10_000  # of randomised tests
    copies: Sequence[int] = (1, 10, 100)  # how often each run is in
    memory: Sequence[tuple[int, int]] = ((50, 100), (500, 1000))  # topics, and documents of each


@dataclass(frozen=True)
class PeerTimes:
    """A peer's times on a collection; without outcomes where it could not be run, for a reason."""

    missing: str = ""
    outcomes: Sequence[Outcome] = ()

    @property
    def whole(self) -> Measured | None:
        """From the start of its process to the end."""
        return measured(self.outcomes) if self.outcomes else None

    def part(self, *names: str) -> Measured | None:
        """Seconds of some of its parts, added up."""
        times = [json.loads(outcome.output) for outcome in self.outcomes]
        return Measured([sum(seconds[name] for name in names) for seconds in times]) if times else None

    @property
    def work(self) -> Measured | None:
        """Reading and scoring, without starting Python and importing."""
        return self.part(*PARTS)


class Stage:
    """The folder of one benchmarking, with what more than one benchmark needs."""

    def __init__(self, folder: Path, sizes: Sizes) -> None:
        self.folder = folder
        self.sizes = sizes
        self.warehouse = folder / "covid.duckdb"
        self.judgments_only = folder / "judgments.duckdb"
        self.peer_times: dict[Collection, PeerTimes] = {}

    def say(self, text: str) -> None:
        if sys.stderr.isatty():
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    @cached_property
    def covid(self) -> Collection:
        self.say("preparing the runs")
        return covid(self.folder / "covid", self.sizes.systems)

    @property
    def covid_is_used(self) -> bool:
        return "covid" in vars(self)

    @cached_property
    def environment(self) -> dict[str, str]:
        """For evalsql: a cache of its own, with the template of warehouses.

        A version's first warehouse takes seconds, once; it is made here, untimed, and not in the user's cache.
        """
        self.say("making the first warehouse")
        environment = {"XDG_CACHE_HOME": str(self.folder / "cache")}
        qrels, one = self.folder / "template.qrels", self.folder / "template.run"
        qrels.write_text("1 0 a 1\n")
        one.write_text("1 Q0 a 1 1 one\n")
        run([*EVALSQL, "eval", qrels, one], environment)
        run([*EVALSQL, "load", "qrels", qrels, "--db", self.folder / "template.duckdb"], environment)
        return environment

    def evalsql(self, *arguments: object) -> Outcome:
        return run([*EVALSQL, *arguments], self.environment)

    def timed(self, work: str, *arguments: object) -> Outcome:
        """What ``tests.bench.timed`` has, whose seconds are its output."""
        return run([*PYTHON, "-m", "tests.bench.timed", work, *arguments], self.environment)

    def outcomes(self, what: str, command: Callable[[], Outcome], repeat: int | None = None) -> list[Outcome]:
        return [outcome for (outcome,) in self._turns(what, [command], repeat)]

    def _turns(
        self, what: str, commands: Sequence[Callable[[], Outcome]], repeat: int | None
    ) -> Iterator[list[Outcome]]:
        times = repeat or self.sizes.repeat
        for number in range(1, times + 1):
            self.say(f"{what} ({number} of {times})")
            yield [command() for command in commands]

    def repeated(self, what: str, command: Callable[[], Outcome], repeat: int | None = None) -> Measured:
        """Whole commands: time by the clock, the processes' own seconds, the most memory of all repeats."""
        return measured(self.outcomes(what, command, repeat))

    def in_turn(self, what: str, *commands: Callable[[], Outcome], repeat: int | None = None) -> list[Measured]:
        """Commands one after the other, again and again, so that all meet the same hours of the machine."""
        return [measured(outcomes) for outcomes in zip(*self._turns(what, commands, repeat), strict=True)]

    def loaded(self, database: Path, collection: Collection, *options: object, fresh: bool = True) -> Outcome:
        """Load all runs of a collection by one command; the judgments before it, by another."""
        if fresh:
            database.unlink(missing_ok=True)
            self.evalsql("load", "qrels", collection.qrels, "--db", database)
        return self.evalsql("load", "runs", *collection.runs, "--db", database, *options)

    def load_covid(self) -> Outcome:
        """Load the runs into a copy of a warehouse that has the judgments only."""
        if not self.judgments_only.exists():
            self.evalsql("load", "qrels", self.covid.qrels, "--db", self.judgments_only)
        shutil.copy(self.judgments_only, self.warehouse)
        return self.loaded(self.warehouse, self.covid, fresh=False)

    def need_warehouse(self) -> Path:
        if not self.warehouse.exists():
            self.say("loading the runs")
            self.load_covid()
        return self.warehouse

    def queried(self, database: Path, measures: Sequence[str], system: str = "-") -> Measured:
        """Seconds of a query in an open warehouse after a first one, which also reads from the file."""
        self.say(f"asking for {measures[0] if len(measures) == 1 else f'{len(measures)} measures'}")
        outcome = self.timed("query", database, self.sizes.repeat, system, *measures)
        return Measured(json.loads(outcome.output), peak=outcome.peak)

    def pytrec_eval(self, collection: Collection) -> PeerTimes:
        """Its times on a collection, measured when first asked for."""
        if collection not in self.peer_times:
            self.peer_times[collection] = self._pytrec_eval(collection)
        return self.peer_times[collection]

    def _pytrec_eval(self, collection: Collection) -> PeerTimes:
        if installed_version(PEER) is None:
            return PeerTimes(f"not measured: {PEER} is not installed (pip install '.[bench]')")
        command = [*PYTHON, "-m", "tests.bench.timed", "pytrec_eval", collection.qrels, *collection.runs]
        return PeerTimes(outcomes=self.outcomes(f"pytrec_eval on {collection.kind}", partial(run, command)))

    @property
    def lacks_trec_eval(self) -> str:
        """Why the C program cannot be timed; empty where the environment names it."""
        program = os.environ.get("TREC_EVAL")
        if not program:
            return "not measured: TREC_EVAL names no program"
        is_there = os.access(program, os.X_OK)
        return "" if is_there else f"not measured: TREC_EVAL names no program that runs: {Path(program).resolve()}"

    def trec_eval(self, collection: Collection, measure: str) -> Outcome:
        """The C program that the environment names, once for each run, two at a time, as a shell starts it."""
        listed = self.folder / "runs.list"
        listed.write_text("".join(f"{path}\n" for path in collection.runs))
        program = Path(os.environ["TREC_EVAL"]).resolve()
        words = shlex.join(map(str, [program, "-q", "-m", measure, collection.qrels]))
        return run(["/bin/sh", "-c", f"xargs -a {listed} -P2 -I RUN {words} RUN > /dev/null"])


def measured(outcomes: Sequence[Outcome]) -> Measured:
    return Measured(
        [outcome.wall for outcome in outcomes],
        [outcome.user for outcome in outcomes],
        max(outcome.peak for outcome in outcomes),
    )


def options_of(measures: Sequence[str]) -> list[str]:
    return [word for measure in measures for word in ("-m", measure)]
