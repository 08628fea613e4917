"""What is timed within a process of its own: ``python -m tests.bench.timed WORK ARGUMENT...`` prints seconds as JSON.

Modules are imported where they are used, so that a peer's process starts without evalsql.
"""

import json
import random
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any


def timed(work: Callable[[], object], repeat: int) -> list[float]:
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return seconds


def query(database: str, repeat: str, run: str, *measures: str) -> list[float]:
    """Measures of one run or of all (``-``), after a first time, which also reads from the file."""
    import evalsql

    runs = [] if run == "-" else [run]
    with evalsql.open(database, read_only=True) as warehouse:
        return timed(lambda: warehouse.evaluate(measures, runs=runs).fetchall(), int(repeat) + 1)[1:]


def one_of_copies(database: str, repeat: str, first: str, last: str, run: str, *relations: str) -> list[list[float]]:
    """Relations of one run, which the session variable only_runs names, each after a first time.

    Before that the file gets copies of all its runs, by their numbers from the first to the last.
    """
    import duckdb

    copying = Path(__file__).with_name("copies.sql").read_text(encoding="utf-8")
    with duckdb.connect(database) as connection:
        for number in range(int(first), int(last) + 1):
            connection.execute(f"set variable copy = {number}")
            connection.execute(copying)
        connection.execute("checkpoint")
        connection.execute("set variable only_runs = [?]", [run])

        def seconds(relation: str) -> list[float]:
            query = f"select sum(value) from {relation}"
            return timed(lambda: connection.execute(query).fetchall(), int(repeat) + 1)[1:]

        return [seconds(relation) for relation in relations]


def pytrec_eval(qrels: str, *runs: str) -> dict[str, float]:
    """All measures that it has: seconds to read the judgments, to read the runs and to score them."""
    import pytrec_eval as peer

    judged: dict[str, dict[str, int]] = {}
    start = time.perf_counter()
    with open(qrels) as stream:
        for line in stream:
            topic, _, document, grade = line.split()
            judged.setdefault(topic, {})[document] = int(grade)
    evaluator = peer.RelevanceEvaluator(judged, peer.supported_measures)
    seconds = {"judgments": time.perf_counter() - start, "reading": 0.0, "scoring": 0.0}
    for path in runs:
        start = time.perf_counter()
        run: dict[str, dict[str, float]] = {}
        with open(path) as stream:
            for line in stream:
                topic, _, document, _, value = line.split()[:5]
                run.setdefault(topic, {})[document] = float(value)
        middle = time.perf_counter()
        evaluator.evaluate(run)
        seconds["reading"] += middle - start
        seconds["scoring"] += time.perf_counter() - middle
    return seconds


def drawn(topics: int, documents: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgments and a run of so many topics, and of so many documents for each."""
    chance = random.Random(1)
    run = {
        f"q{topic}": {f"d{chance.randrange(10**7)}": chance.gauss(0, 5) for _ in range(documents)}
        for topic in range(topics)
    }
    qrels = {
        topic: {document: chance.randrange(3) for document in [*list(retrieved)[:20], *map(str, range(10))]}
        for topic, retrieved in run.items()
    }
    return qrels, run


def memory(repeat: str, topics: str, documents: str) -> dict[str, list[float]]:
    """A run in memory, by turns here and by pytrec_eval, each after a first time."""
    import pyarrow
    import pytrec_eval as peer

    import evalsql

    qrels, run = drawn(int(topics), int(documents))
    rows = [(topic, document, score) for topic, scores in run.items() for document, score in scores.items()]
    table = pyarrow.table(dict(zip(("qid", "docno", "score"), zip(*rows, strict=True), strict=True)))
    other = peer.RelevanceEvaluator(qrels, {"map", "ndcg_cut_10", "P_10"})
    seconds: dict[str, list[float]] = {"dicts": [], "Arrow": [], "pytrec_eval": []}
    with evalsql.Evaluator(qrels, "AP nDCG@10 P@10") as evaluator:
        for _ in range(int(repeat) + 1):
            seconds["dicts"] += timed(lambda: evaluator.evaluate(run), 1)
            seconds["Arrow"] += timed(lambda: evaluator.evaluate(table), 1)
            seconds["pytrec_eval"] += timed(lambda: other.evaluate(run), 1)
    return {name: values[1:] for name, values in seconds.items()}


def provider(repeat: str, topics: str, documents: str) -> dict[str, list[float]]:
    """Seconds of the processor for a run that providers of ir_measures evaluate by turns, each after a first time."""
    import ir_measures
    from ir_measures import AP, P, nDCG

    import evalsql.ir_measures

    def seconds(evaluator: Any) -> float:
        start = time.process_time()
        evaluator.calc_aggregate(run)
        return time.process_time() - start

    qrels, run = drawn(int(topics), int(documents))
    providers = {"evalsql": evalsql.ir_measures.provider, "pytrec_eval": ir_measures.pytrec_eval}
    evaluators = {name: each.evaluator([AP, nDCG @ 10, P @ 10], qrels) for name, each in providers.items()}
    turns = [{name: seconds(each) for name, each in evaluators.items()} for _ in range(int(repeat) + 1)]
    return {name: [turn[name] for turn in turns[1:]] for name in evaluators}


def portions(topics: str, documents: str, runs: str, tasks: str) -> dict[str, float]:
    """Seconds of the processor that tasks of a cluster take for runs that are kept together, or split by topic."""
    import duckdb
    import pyarrow

    from evalsql.catalog.measure_names import parse_measures
    from evalsql.catalog.relations import read_catalog
    from evalsql.ingest.parts import READ, arrow_schema
    from evalsql.warehouse.portions import Job, in_portions, portion_values, warehouse_of

    qrels, run = drawn(int(topics), int(documents))
    judged = "".join(f"{topic} 0 {each} {grade}\n" for topic in qrels for each, grade in qrels[topic].items())
    measures = [measure.name for measure in parse_measures(["AP nDCG@10 P@10"], read_catalog())]
    job = Job("drawn", "drawn.txt", judged.encode(), measures, read_catalog().digest)
    warehouse_of(job)
    listed = [(topic, document, score) for topic, scores in run.items() for document, score in scores.items()]
    columns = dict(zip(("topic", "document", "score"), zip(*listed, strict=True), strict=True))
    with duckdb.connect() as connection:
        connection.register("drawn", pyarrow.table(columns))
        connection.execute(f"create table names as select 'run' || number as run from range({int(runs)}) as t(number)")
        # Each topic is asked for by a row without a document.
        connection.execute("""
            create table rows as
            select run, drawn.*, null::integer as given_rank, 0 as kind, 0 as place, null::varchar as facts
            from names, drawn
            union all by name
            select distinct run, topic from names, drawn
        """)

        def seconds(key: str) -> float:
            spent = 0.0
            for task in range(int(tasks)):
                rows = connection.sql(f"from rows where hash({key}) % {tasks} = {task} order by run, topic, place")
                batches = rows.to_arrow_table().cast(arrow_schema(READ)).to_batches(max_chunksize=10_000)
                start = time.process_time()
                list(in_portions(job, portion_values, batches))
                spent += time.process_time() - start
            return spent

        seconds("run")
        return {key: seconds(key) for key in ("run", "run, topic")}


def tests(who: str, test: str, repeat: str, samples: str, database: str) -> list[float]:
    """Paired t tests beside the first system (``t``), or a sampled test of all pairs (``pairs``), by AP.

    evalsql asks an open warehouse; scipy is given the values that it holds, and takes all pairs in one call.
    """
    import numpy
    import scipy.stats

    import evalsql

    values: dict[str, list[float]] = {}
    with evalsql.open(database, read_only=True) as warehouse:
        for _, run, _, _, value in warehouse.evaluate("AP", per_topic=True).fetchall():
            values.setdefault(run, []).append(value)
        if who == "evalsql":
            baseline = next(iter(values))
            return timed(lambda: warehouse.compare(baseline, measures="AP").fetchall(), int(repeat) + 1)[1:]
    table = numpy.array(list(values.values()))
    if test == "t":
        return timed(lambda: scipy.stats.ttest_rel(table[1:], table[:1], axis=1), int(repeat))
    first, second = numpy.triu_indices(len(table), 1)
    how = {"permutation_type": "samples", "vectorized": True, "axis": 1, "n_resamples": int(samples), "batch": 10}
    how["rng"] = numpy.random.default_rng(1)
    return timed(lambda: scipy.stats.permutation_test((table[first] - table[second],), numpy.mean, **how), int(repeat))


def board(repeat: str, systems: str, collections: str) -> list[float]:
    """Seconds of the processor for places with intervals of random figures, after a first time."""
    import evalsql

    def seconds() -> float:
        start = time.process_time()
        warehouse.rows("select count(*) from board_places()")
        return time.process_time() - start

    with evalsql.open(":memory:") as warehouse:
        warehouse.execute(f"""
            create temp table board_values as
            select
                'nDCG@10' as measure, 'c' || place as collection, 's' || system as system, null::varchar as version,
                0.3 + 0.001 * system + 0.4 * hash32(system, place) / 4294967295 as value, null::bigint as num_topics,
                null::varchar[] as topics, null::double[] as topic_values, timestamp '2026-01-01' as dated_at
            from range({int(systems)}) as systems(system), range({int(collections)}) as places(place)
        """)
        return [seconds() for _ in range(int(repeat) + 1)][1:]


def main(words: Iterable[str]) -> None:
    name, *arguments = words
    works: dict[str, Callable[..., object]] = {
        work.__name__: work for work in (query, one_of_copies, pytrec_eval, memory, provider, portions, tests, board)
    }
    print(json.dumps(works[name](*arguments)))


if __name__ == "__main__":
    main(sys.argv[1:])
