"""The benchmarks on the runs of one track and on a single run, and of tests between systems."""

import gzip
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from tests.bench.collection import Collection, generated
from tests.bench.machine import installed_version
from tests.bench.processes import PYTHON, run
from tests.bench.report import Goal, Measured, Result, within
from tests.bench.stage import DEFAULTS, PEER, Stage, options_of, trec_eval_measures

WHOLE = f"{PEER}, all its measures, whole process"
INSIDE = f"{PEER}, all its measures, reading and scoring"


def eval_(stage: Stage) -> Iterator[Result]:
    """Text to figures in one command, cold and in memory."""
    names = list(trec_eval_measures().values())
    yield evaluated(stage, "eval", stage.covid, f"all {len(names)} trec_eval measures, {_systems(stage)}")
    for measure, most in (("all_trec", 1.15), ("map", 1)):
        shown = f"xargs -P2 trec_eval -q -m {measure}, the C program"
        work = f"eval in memory, -m {measure}, {_systems(stage)}"
        line = partial(Result, "eval", work, peer=shown, goal=Goal("at most", most), note=stage.lacks_trec_eval)
        if stage.lacks_trec_eval:
            yield line(here=None, there=None)
            continue
        program = partial(stage.trec_eval, stage.covid, measure)
        here, there = stage.in_turn(work, partial(stage.evalsql, *eval_words(stage.covid, [measure])), program)
        yield line(here=here, there=there)


def evaluated(stage: Stage, benchmark: str, collection: Collection, words: str) -> Result:
    """All measures of pytrec_eval, beside it."""
    peer = stage.pytrec_eval(collection)
    here = None if peer.missing else _eval(stage, collection, list(trec_eval_measures().values()))
    work = f"eval in memory, {words}"
    return Result(benchmark, work, here, WHOLE, peer.whole, Goal("faster", 2), note=peer.missing)


def load(stage: Stage) -> Iterator[Result]:
    """The runs into a file that has the judgments, with everything that is kept ready."""
    here = stage.repeated("load runs", stage.load_covid)
    peer = stage.pytrec_eval(stage.covid)
    work = f"load runs into a file, {_systems(stage)}"
    note = peer.missing or "judgments loaded before"
    yield Result("load", work, here, WHOLE, peer.whole, Goal("faster", 2), note=note)


def one_measure(stage: Stage) -> Iterator[Result]:
    yield _board(stage, "one-measure", ["AP"], "AP", 10)
    for measure, goal in (("AP", 150), ("nDCG@10", 150), ("P@10", 150), ("TAP@5", 60)):
        yield _query(stage, "one-measure", [measure], measure, goal)


def defaults(stage: Stage) -> Iterator[Result]:
    shown = f"the {len(DEFAULTS)} default measures"
    yield _board(stage, "defaults", DEFAULTS, shown, 5)
    yield _query(stage, "defaults", DEFAULTS, shown, 10)
    names = list(trec_eval_measures().values())
    yield _query(stage, "defaults", names, f"all {len(names)} trec_eval measures", 15)


def cutoffs(stage: Stage) -> Iterator[Result]:
    """Six measures at trec_eval's nine cutoffs."""
    names = ["P@{}", "P(relative=true)@{}", "R@{}", "AP@{}", "nDCG@{}", "Success@{}"]
    measures = [name.format(cutoff) for name in names for cutoff in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]
    yield _query(stage, "cutoffs", measures, f"{len(measures)} values, six measures at nine cutoffs", 15)


def size(stage: Stage) -> Iterator[Result]:
    """Bytes of the warehouse, every row kept, against the runs zipped as they are usually kept."""
    here = stage.need_warehouse().stat().st_size
    stage.say("zipping the runs")
    with ThreadPoolExecutor(2) as pool:
        zipped = sum(pool.map(lambda path: len(gzip.compress(path.read_bytes(), 9)), stage.covid.runs))
    work = f"size of the warehouse, {_systems(stage)}"
    yield Result("size", work, Measured([here]), "the runs, gzip -9", Measured([zipped]), Goal("at most", 0.85), "MB")


def one_run(stage: Stage) -> Iterator[Result]:
    """What a user waits for who has one run."""
    collection = generated(stage.folder / "one", [1])
    here = _eval(stage, collection, ["AP"])
    there = stage.repeated("import duckdb", partial(run, [*PYTHON, "-c", "import duckdb"]))
    work = f"eval -m AP of one run of {collection.rows:,} rows"
    yield Result("one-run", work, here, 'python -c "import duckdb"', there, Goal("below", 2.5))


def memory(stage: Stage) -> Iterator[Result]:
    """One run asked of an evaluator that is prepared, as in a training loop, and of the peer's, by turns."""
    for topics, documents in stage.sizes.memory:
        shape = f"{topics:,} topics x {documents:,} documents"
        stage.say(f"evaluating from memory, {shape}")
        output = stage.timed("memory", stage.sizes.repeat, topics, documents).output
        seconds = {name: Measured(values) for name, values in json.loads(output).items()}
        is_small = topics * documents < 100_000
        peer = Measured([0.025]) if is_small else seconds["pytrec_eval"]
        shown = "25 ms" if is_small else f"{PEER}, the same dicts and measures"
        for kind, most in (("dicts", 1 if is_small else 2.5), ("Arrow", 1 if is_small else 1.5)):
            work = f"Evaluator.evaluate, three measures, {kind}, {shape}"
            yield Result("memory", work, seconds[kind], shown, peer, Goal("at most", most))


def provider(stage: Stage) -> Iterator[Result]:
    """One run asked of ir_measures through evalsql's provider and through pytrec_eval's, by turns."""
    for topics, documents in stage.sizes.memory:
        shape = f"{topics:,} topics x {documents:,} documents"
        stage.say(f"evaluating through ir_measures, {shape}")
        output = stage.timed("provider", stage.sizes.repeat, topics, documents).output
        seconds = {name: Measured(values) for name, values in json.loads(output).items()}
        work = f"ir_measures, three measures, {shape}, seconds of the processor"
        shown = "ir_measures' provider pytrec_eval, by turns"
        goal = None if topics * documents < 100_000 else Goal("at most", 6)
        yield Result("provider", work, seconds["evalsql"], shown, seconds["pytrec_eval"], goal)


def report(stage: Stage) -> Iterator[Result]:
    """Seconds that the processor works on a report's page, and its size, of all systems and of ten."""
    page = stage.folder / "report.html"
    database = stage.need_warehouse()
    for systems, goal in ((126, 8.0), (10, 2.0)):
        chosen = [path.stem for path in stage.covid.runs][:systems]
        shown = f"{len(chosen)} systems"
        command = partial(stage.evalsql, "report", *chosen, "-o", page, "--db", database)
        found = stage.repeated(f"report, {shown}", command)
        work = f"report -o report.html, {shown}"
        yield within("report", f"{work}, seconds of the processor", found.of_processor, goal)
        yield within("report", f"size of {work}", Measured([page.stat().st_size]), 5_000_000, "MB")


def statistics(stage: Stage) -> Iterator[Result]:
    """Tukey's HSD of all pairs and paired t beside a baseline; scipy has the values ready in memory."""
    systems, samples = len(stage.covid.runs), stage.sizes.samples
    command = ["compare", stage.covid.runs[0].stem, "--all-pairs", "-m", "AP", "--test", "tukey", "--samples", samples]
    command += ["--db", stage.need_warehouse(), "--format", "csv"]
    here = stage.repeated("compare --all-pairs --test tukey", partial(stage.evalsql, *command))
    work = f"compare --all-pairs --test tukey, whole command, {systems} systems, {samples:,} permutations"
    pairs = systems * (systems - 1) // 2
    yield _beside(stage, "pairs", work, here, f"scipy, permutation_test of {pairs:,} pairs in one call; once")
    peak, limit = Measured([here.peak or 0]), Measured([4 * 10**9])
    yield Result("statistics", f"peak memory of {work}", peak, "4 GB", limit, Goal("below", 1), "MB")
    work = f"the query alone, AP and paired t, {systems - 1} systems beside a baseline"
    here = _asked(stage, "evalsql", "t")
    yield _beside(stage, "t", work, here, "scipy, ttest_rel, all in one call, AP ready")


def boards(stage: Stage) -> Iterator[Result]:
    """Places on a board, with intervals by 10,000 samples of its collections."""
    for systems, collections, goal in ((132, 10, 2.0), (600, 60, 20.0)):
        work = f"places of {systems} systems on {collections} collections"
        stage.say(work)
        outcome = stage.timed("board", stage.sizes.repeat, systems, collections)
        found = Measured(json.loads(outcome.output), peak=outcome.peak)
        yield within("boards", f"{work}, seconds of the processor", found, goal)


def _eval(stage: Stage, collection: Collection, measures: Sequence[str]) -> Measured:
    command = partial(stage.evalsql, *eval_words(collection, measures))
    return stage.repeated(f"eval, {len(measures)} measures", command)


def eval_words(collection: Collection, measures: Sequence[str]) -> list[object]:
    return ["eval", collection.qrels, *collection.runs, *options_of(measures), "--format", "csv"]


def _board(stage: Stage, benchmark: str, measures: Sequence[str], shown: str, goal: float) -> Result:
    peer = stage.pytrec_eval(stage.covid)
    command = ["leaderboard", *options_of(measures), "--db", stage.need_warehouse()]
    here = stage.repeated(f"leaderboard, {shown}", partial(stage.evalsql, *command))
    work = f"leaderboard of a warehouse, {shown}, {_systems(stage)}"
    return Result(benchmark, work, here, WHOLE, peer.whole, Goal("faster", goal), note=peer.missing)


def _query(stage: Stage, benchmark: str, measures: Sequence[str], shown: str, goal: float) -> Result:
    peer = stage.pytrec_eval(stage.covid)
    here = stage.queried(stage.need_warehouse(), measures)
    work = f"the query alone, {shown}, {_systems(stage)}"
    return Result(benchmark, work, here, INSIDE, peer.work, Goal("faster", goal), note=peer.missing)


def _systems(stage: Stage) -> str:
    return f"{len(stage.covid.runs)} systems"


def _beside(stage: Stage, test: str, work: str, here: Measured, shown: str) -> Result:
    missing = installed_version("scipy") is None
    note = "not measured: scipy is not installed (pip install '.[bench]')" if missing else ""
    return Result("statistics", work, here, shown, None if missing else _asked(stage, "scipy", test), note=note)


def _asked(stage: Stage, who: str, test: str) -> Measured:
    stage.say(f"{who} tests the systems")
    repeat = 1 if test == "pairs" else stage.sizes.repeat
    outcome = stage.timed("tests", who, test, repeat, stage.sizes.samples, stage.warehouse)
    return Measured(json.loads(outcome.output), peak=outcome.peak)
