"""Measures evalsql beside its peers, all in one run on one machine, and says which goals are met.

Whole commands run as processes of their own, `python -m evalsql ...`, from start to end; a query alone is timed in an
open warehouse, after a first one. Texts are plain and in the page cache. What a peer is compared with is said in each
line. The runs are TREC-COVID round 5 if EVALSQL_REAL_DATA (or ../shared/data) has them, else generated ones of the
same shape. TREC_EVAL may name the C program. Peers come with `pip install '.[bench]'`.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path

from tests.bench.growing import adding, growth, many_topics, one_system
from tests.bench.machine import in_words, machine, versions
from tests.bench.peers import Peers
from tests.bench.processes import ROOT, CommandError
from tests.bench.report import MarkersError, Result, plain, replaced, section
from tests.bench.stage import Sizes, Stage
from tests.bench.works import default_measures, evaluating, loading, more_peers, one_measure, one_run, size

BENCHMARKS: Mapping[str, Callable[[Stage, Peers], Iterator[Result]]] = {
    "eval": evaluating,
    "load": loading,
    "one-measure": one_measure,
    "defaults": default_measures,
    "size": size,
    "one-run": one_run,
    "growth": growth,
    "many-topics": many_topics,
    "adding": adding,
    "one-system": one_system,
    "peers": more_peers,
}


def main() -> int:
    options = _options().parse_args()
    if options.readme:
        try:
            replaced(options.readme.read_text(encoding="utf-8"), "")
        except (OSError, MarkersError) as error:
            print(f"{options.readme}: {error}", file=sys.stderr)
            return 2
    names = options.benchmarks or list(BENCHMARKS)
    sizes = _sizes(options)
    with tempfile.TemporaryDirectory(prefix="evalsql-bench-", dir=options.folder) as folder:
        stage = Stage(Path(folder), sizes)
        peers = Peers(stage)
        try:
            results = list(_measured(names, stage, peers))
        except CommandError as error:
            stage.say("")
            print(error, file=sys.stderr)
            return 1
        stage.say("")
        report = _report(results, stage, peers)
    print(report["heading"], end="\n\n")
    print(plain(results), end="")
    if options.output:
        options.output.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    if options.readme:
        text = options.readme.read_text(encoding="utf-8")
        new = section(results, report["command"], report["heading"])
        options.readme.write_text(replaced(text, new), encoding="utf-8")
    return 0


def _measured(names: Sequence[str], stage: Stage, peers: Peers) -> Iterator[Result]:
    for name, work in BENCHMARKS.items():
        if name in names:
            yield from work(stage, peers)


def _report(results: Sequence[Result], stage: Stage, peers: Peers) -> dict[str, object]:
    where, what, today = machine(), versions(), date.today().isoformat()
    used = "covid" in vars(stage)
    runs = f"{len(stage.covid.runs)} systems, {stage.covid.rows:,} rows, {stage.covid.kind}; " if used else ""
    return {
        "heading": (
            f"{runs}median of {stage.sizes.repeat}, {today}; {in_words(where, what)}.{_parts(stage, peers, used)}"
        ),
        "date": today,
        "command": shlex.join(["python", "-m", "tests.bench", *_repeatable(sys.argv[1:])]),
        "machine": where,
        "versions": what,
        "sizes": vars(stage.sizes),
        "collection": runs and {"kind": stage.covid.kind, "systems": len(stage.covid.runs), "rows": stage.covid.rows},
        "results": [result.as_json() for result in results],
        "peers": [
            {"peer": peer, "collection": Path(qrels).parent.name, **times.as_json()}
            for (peer, qrels), times in peers.measured.items()
        ],
    }


def _parts(stage: Stage, peers: Peers, used: bool) -> str:
    """How the main peer's seconds divide, since it is compared as a whole."""
    times = peers.measured.get(("pytrec_eval", str(stage.covid.qrels))) if used else None
    reading, scoring = (times.part("judgments", "reading"), times.part("scoring")) if times else (None, None)
    if reading is None or scoring is None:
        return ""
    return f" pytrec_eval-terrier reads for {reading.median:.2f} s and scores for {scoring.median:.2f} s."


def _repeatable(arguments: Sequence[str]) -> list[str]:
    """The arguments without those that say where the result goes."""
    kept = []
    parser = _options()
    given = parser.parse_args(arguments)
    kept += given.benchmarks
    for name in ("repeat", "systems", "growth"):
        if getattr(given, name) is not None:
            kept += [f"--{name}", f"{getattr(given, name):g}"]
    return [*kept, "--quick"] if given.quick else kept


def _sizes(options: argparse.Namespace) -> Sizes:
    usual = Sizes(repeat=2, systems=4, growth=(0.1, 0.2), topics=200, warehouses=(3, 12)) if options.quick else Sizes()
    if options.growth is not None:
        growth = [millions for millions in (0.1, 1, 10, 100) if millions <= options.growth]
        growth = growth[1:] if options.growth >= 10 else growth
    else:
        growth = list(usual.growth)
    repeat, systems = options.repeat or usual.repeat, options.systems or usual.systems
    return Sizes(repeat, systems, growth, usual.topics, usual.warehouses)


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("benchmarks", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)}; all by default")
    parser.add_argument("--repeat", type=_positive, help="how often each is timed; 5")
    parser.add_argument("--systems", type=_positive, help="how many runs of the track; 126")
    parser.add_argument("--growth", type=float, metavar="MILLIONS", help="rows generated at most: 10, 100 or less; 10")
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the tool; its figures mean nothing")
    parser.add_argument("--folder", type=Path, help="where the files are made; the system's temporary folder")
    parser.add_argument("--output", type=Path, metavar="FILE.json", help="write everything measured")
    parser.add_argument(
        "--readme", type=Path, nargs="?", const=ROOT / "README.md", help="write the section between its two markers"
    )
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


if __name__ == "__main__":
    sys.exit(main())
