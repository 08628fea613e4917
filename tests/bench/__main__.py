"""Measures evalsql beside its peers, all in one run on one machine, and says which goals are met.

Whole commands run as processes of their own, `python -m evalsql ...`, from start to end; a query alone is timed in an
open warehouse, after a first one. Texts are plain and in the page cache. What a peer is compared with is said in each
line. The runs are TREC-COVID round 5 if EVALSQL_REAL_DATA (or ../shared/data) has them, else generated ones of the
same shape. TREC_EVAL may name the C program. Peers come with `pip install '.[bench]'`.
"""

import argparse
import shlex
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from tests.bench import growing, works
from tests.bench.cluster import portions, spark
from tests.bench.doors import doors
from tests.bench.life import life
from tests.bench.machine import in_words
from tests.bench.processes import ROOT, CommandError
from tests.bench.report import Result, plain, section
from tests.bench.site_work import site
from tests.bench.stage import PEER, Sizes, Stage
from tests.bench.team import team
from tests.tools.marked import MarkersError, replaced

# Each is called as its function.
BENCHMARKS: Mapping[str, Callable[[Stage], Iterator[Result]]] = {
    work.__name__.strip("_").replace("_", "-"): work
    for work in (
        *(works.eval_, works.load, doors, works.one_measure, works.cutoffs, works.defaults, works.size),
        *(works.one_run, works.memory, works.provider),
        *(
            growing.growth,
            life,
            growing.many_topics,
            growing.adding,
            growing.one_system,
            growing.one_of_many,
            works.statistics,
            works.boards,
            works.report,
        ),
        *(team, site, spark, portions),
    )
}
_GROWTH = (1, 10, 50, 100)  # million rows


def main() -> int:
    options = _options()
    if options.readme:
        try:
            replaced(options.readme.read_text(encoding="utf-8"), "bench", "")
        except (OSError, MarkersError) as error:
            print(f"{options.readme}: {error}", file=sys.stderr)
            return 2
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was made is removed
    with tempfile.TemporaryDirectory(prefix="evalsql-bench-", dir=options.folder) as folder:
        stage = Stage(Path(folder), _sizes(options))
        results = list(_measured(options.benchmarks or list(BENCHMARKS), stage))
        stage.say("")
        heading = _heading(stage)
    print(heading, end="\n\n")
    print(plain(results), end="")
    if options.readme:
        text = options.readme.read_text(encoding="utf-8")
        new = section(results, _command(options), heading)
        options.readme.write_text(replaced(text, "bench", new), encoding="utf-8")
    return int(any(result.failed for result in results))


def _measured(names: Sequence[str], stage: Stage) -> Iterator[Result]:
    """All lines of the benchmarks named; one that fails does not take the others with it."""
    for name, work in BENCHMARKS.items():
        if name in names:
            try:
                yield from work(stage)
            except CommandError as error:
                stage.say("")
                print(error, file=sys.stderr)
                yield Result(name, "failed", None, "", None, failed=True)


def _heading(stage: Stage) -> str:
    heading = f"median of {stage.sizes.repeat}, {date.today().isoformat()}\n{in_words()}"
    if stage.covid_is_used:
        used = stage.covid
        heading = f"{len(used.runs)} systems, {used.rows:,} rows, {used.kind}; {heading}"
        times = stage.peer_times.get(used)
        reading, scoring = (times.part("judgments", "reading"), times.part("scoring")) if times else (None, None)
        if reading and scoring:  # the peer is compared as a whole
            heading += f"\n{PEER} reads these runs in {reading.median:.2f} s and scores them in {scoring.median:.2f} s"
    return heading


def _command(options: argparse.Namespace) -> str:
    """The command that measures the same again; without where the result goes."""
    words = ["python", "-m", "tests.bench", *options.benchmarks]
    for name in ("repeat", "systems", "growth"):
        if getattr(options, name) is not None:
            words += [f"--{name}", str(getattr(options, name))]
    return shlex.join([*words, "--quick"] if options.quick else words)


def _sizes(options: argparse.Namespace) -> Sizes:
    small = Sizes(
        repeat=1,
        systems=4,
        growth=(0.1, 0.2),
        short_runs=(21, 42),
        topics=200,
        warehouses=(3, 12),
        samples=200,
        copies=(1, 3),
        memory=((5, 10),),
        spark=(4, 2),
        portioned=20_000,
    )
    usual = small if options.quick else Sizes()
    repeat, systems = options.repeat or usual.repeat, options.systems or usual.systems
    growth = [millions for millions in _GROWTH if millions <= options.growth] if options.growth else usual.growth
    return replace(usual, repeat=repeat, systems=systems, growth=growth)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("benchmarks", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)}; all by default")
    parser.add_argument("--repeat", type=_positive, help="how often each is timed; 5")
    parser.add_argument("--systems", type=_positive, help="how many runs of the track; 126")
    parser.add_argument("--growth", type=int, choices=_GROWTH, help="so many million generated rows at most; 10")
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the tool; the figures mean nothing")
    parser.add_argument("--folder", type=Path, help="where files are made for a while; the system's temporary folder")
    parser.add_argument(
        "--readme",
        type=Path,
        nargs="?",
        metavar="FILE.md",
        const=ROOT / "tests" / "bench" / "README.md",
        help="write the section between the two markers; tests/bench/README.md",
    )
    options = parser.parse_args()
    if unknown := [name for name in options.benchmarks if name not in BENCHMARKS]:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")
    return options


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


if __name__ == "__main__":
    sys.exit(main())
