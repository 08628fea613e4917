"""Spark on this machine, beside the C program and plain evalsql; and what it costs to split runs of some size."""

import json
import shutil
from collections.abc import Iterator
from functools import partial

from tests.bench.collection import Collection, generated
from tests.bench.processes import Outcome
from tests.bench.report import Measured, Result
from tests.bench.stage import Stage
from tests.bench.works import eval_words
from tests.engines.runs import missing

_MASTER = ("--master", "local[2]", "--conf", "spark.ui.enabled=false")
_TASKS = 10


def spark(stage: Stage) -> Iterator[Result]:
    """Runs of many topics in two tasks at a time, and by what else two cores evaluate them, in turn."""
    lacking = f"not measured: Spark needs {missing('spark')}" if missing("spark") else stage.lacks_trec_eval
    topics, systems = stage.sizes.spark
    work = f"spark eval, local[2], -m all_trec, {systems} runs of {topics * 1000:,} rows"
    shown = "xargs -P2 trec_eval -q -m all_trec, the C program"
    if lacking:
        yield Result("spark", work, None, shown, None, note=lacking)
        return
    stage.say("generating runs of many topics")
    collection = generated(stage.folder / "spark", range(systems), topics=topics, judged=100)
    on_spark, plain, program = stage.in_turn(
        "spark eval, eval and trec_eval",
        partial(_on_spark, stage, collection),
        partial(stage.evalsql, *eval_words(collection, ["all_trec"]), "--per-topic"),
        partial(stage.trec_eval, collection, "all_trec"),
    )
    yield Result("spark", work, on_spark, shown, program)
    yield Result("spark", work.replace("spark eval, local[2]", "eval --per-topic"), plain, shown, program)
    shutil.rmtree(collection.qrels.parent)


def portions(stage: Stage) -> Iterator[Result]:
    """What it costs to split runs of some size by topic, so that a few large ones keep all of a cluster busy."""
    for topics, documents in ((10, 10), (50, 20), (50, 200), (100, 1000)):
        runs = max(1, stage.sizes.portioned // (topics * documents))
        stage.say(f"evaluating portions of {runs:,} runs")
        output = stage.timed("portions", topics, documents, runs, _TASKS).output
        seconds = {key: Measured([value]) for key, value in json.loads(output).items()}
        shape = f"{runs:,} runs of {topics * documents:,} rows"
        work = f"{shape}, their topics spread over {_TASKS} tasks, seconds of the processor"
        yield Result("portions", work, seconds["run, topic"], "kept together", seconds["run"])


def _on_spark(stage: Stage, collection: Collection) -> Outcome:
    """The values of every topic, into a folder that holds none yet."""
    out = stage.folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    runs = collection.qrels.with_name("*.run")
    words = ("--qrels", collection.qrels, "--runs", runs, "-m", "all_trec", "--out", out)
    return stage.evalsql("spark", "eval", *words, *_MASTER)
