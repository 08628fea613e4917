"""``evalsql trec_eval`` prints the bytes of trec_eval, for values that pytrec_eval gives and by hand for 10.0."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalsql.catalog import read_catalog
from evalsql.trec_eval import Options, lines, rows_wanted
from tests.conftest import write
from tests.random_collections import Qrels, Run, collection
from tests.test_real_data import ODDITIES, read_qrels, read_run
from tests.trec_eval_output import ALL_TREC, Settings, output

CATALOG = read_catalog()
SETTINGS = (
    Settings(),
    Settings(complete=True),
    Settings(complete=True, level=2),
    Settings(level=3, depth=5),
    Settings(complete=True, depth=10),
    Settings(complete=True, judged_only=True),
    Settings(judged_only=True, level=2, depth=20),
    Settings(complete=True, level=2, depth=1, judged_only=True),
)
# What trec_eval is asked for, and the lines it then prints.
SINGLE = sorted({"_".join(name.split("_")[:-1]) if name[-1].isdigit() else name for name in ALL_TREC})


def files(folder: Path, qrels: Qrels, run: Run) -> tuple[str, str]:
    judged = [
        f"{topic} 0 {document} {grade}\n" for topic, grades in qrels.items() for document, grade in grades.items()
    ]
    ranked = [
        f"{topic} Q0 {document} 1 {score!r} the-tag\n"
        for topic, scores in run.items()
        for document, score in scores.items()
    ]
    return str(write(folder / "qrels.txt", "".join(judged))), str(write(folder / "a.run", "".join(ranked)))


def merged(seeds: range) -> tuple[Qrels, Run]:
    """Many random collections as one, the topics of each under names of their own."""
    qrels: Qrels = {}
    run: Run = {}
    for seed in seeds:
        one = collection(seed)
        qrels |= {f"c{seed}-{topic}": grades for topic, grades in one.qrels.items()}
        run |= {f"c{seed}-{topic}": scores for topic, scores in one.run.items()}
    return qrels, run


def printed(qrels: str, run: str, settings: Settings, measures: list[str]) -> str:
    options = Options(
        measures=measures,
        per_topic=True,
        complete=settings.complete,
        level=settings.level,
        depth=settings.depth,
        judged_only=settings.judged_only,
    )
    return "".join(f"{line}\n" for line in lines(qrels, run, CATALOG, options))


@pytest.mark.parametrize("nth", range(len(SETTINGS)))
def test_a_thousand_random_collections_to_the_byte(tmp_path: Path, nth: int) -> None:
    qrels, run = merged(range(125 * nth, 125 * (nth + 1)))
    expected = output(qrels, run, SETTINGS[nth], tag="the-tag")
    assert expected.count("\n") > 100 * 125
    assert printed(*files(tmp_path, qrels, run), SETTINGS[nth], ["all_trec"]) == expected


@pytest.mark.parametrize("seed", range(1000, 1012))
def test_averages_of_small_collections_to_the_byte(tmp_path: Path, seed: int) -> None:
    one = collection(seed)
    settings = SETTINGS[seed % len(SETTINGS)]
    expected = output(one.qrels, one.run, settings, tag="the-tag")
    assert printed(*files(tmp_path, one.qrels, one.run), settings, ["all_trec"]) == expected


def test_each_single_measure_to_the_byte(tmp_path: Path) -> None:
    one = collection(7)
    paths = files(tmp_path, one.qrels, one.run)
    whole = output(one.qrels, one.run, Settings(), tag="the-tag").splitlines(keepends=True)
    for name in SINGLE:
        rows = {row.name for row in rows_wanted([name], CATALOG, Options())}
        expected = "".join(line for line in whole if line.partition("\t")[0].strip() in rows)
        assert expected, name
        assert printed(*paths, Settings(), [name]) == expected, name


@pytest.mark.parametrize("folder", ODDITIES)
def test_real_runs_to_the_byte(real: Path, folder: str) -> None:
    qrels_path = real / "oddities" / folder / "qrels.txt"
    path = sorted((real / "oddities" / folder / "runs").iterdir())[0]
    qrels, run = read_qrels(qrels_path), read_run(path)
    if not set(qrels) & set(run):
        pytest.skip("the first run of this folder has no topic of the judgments")
    tag = _last_tag(path)
    expected = output(qrels, run, Settings(complete=True), tag=tag)
    assert printed(str(qrels_path), str(path), Settings(complete=True), ["all_trec"]) == expected


def _last_tag(path: Path) -> str:
    from tests.test_real_data import lines as lines_of

    return [columns[5] if len(columns) > 5 else "" for columns in lines_of(path)][-1]


@pytest.mark.parametrize("run_name", ["covidex.r5.2s.lr", "sab20.5.1.meta.docs", "UPrrf102-r5"])
def test_trec_covid_to_the_byte(real: Path, run_name: str) -> None:
    folder = real / "trec-covid-r5"
    paths = sorted((folder / "runs").glob("*.run.gz"))
    path = next((path for path in paths if path.name.startswith(run_name)), paths[len(run_name)])
    qrels, run = read_qrels(folder / "qrels.txt"), read_run(path)
    expected = output(qrels, run, Settings(complete=True), tag=_last_tag(path))
    assert printed(str(folder / "qrels.txt"), str(path), Settings(complete=True), ["all_trec"]) == expected
