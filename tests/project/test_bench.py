"""The benchmark tool is right about what it generates, judges and writes; how fast anything is, nothing here says."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
import pytrec_eval

from evalsql.catalog.measure_names import parse_measures
from evalsql.catalog.relations import read_catalog
from tests.bench import growing, machine, stage
from tests.bench.collection import MOST_DOCUMENTS, Collection, generated
from tests.bench.processes import PYTHON, CommandError, run
from tests.bench.report import Goal, Measured, Result, plain, section
from tests.bench.stage import Sizes, Stage, trec_eval_measures
from tests.conftest import ROOT, new_warehouse, write
from tests.tools.marked import MarkersError, replaced

FASTER = Goal("faster", 4)
BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"
README = f"# Title\n\n{BEGIN}\nold\n{END}\n\ntail\n"


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return generated(tmp_path_factory.mktemp("generated"), [1, 2, 5], topics=4)


def test_generated_rankings_are_full_in_order_and_tied_in_part(collection: Collection) -> None:
    assert collection.rows == 3 * 4 * 1000
    tied = {}
    for path in collection.runs:
        lines = [line.split(" ") for line in path.read_text().splitlines()]
        assert [(int(topic), int(rank)) for topic, _, _, rank, _, _ in lines] == [
            (topic, rank) for topic in range(1, 5) for rank in range(1, 1001)
        ]
        assert {tag for *_, tag in lines} == {path.stem}
        assert len({(topic, document) for topic, _, document, *_ in lines}) == len(lines)
        assert {len(document) for _, _, document, *_ in lines} <= set(range(8, 26))
        scores = [(topic, float(score)) for topic, _, _, _, score, _ in lines]
        assert all(one[0] != next[0] or one[1] >= next[1] for one, next in pairwise(scores))
        counts = Counter(scores)
        tied[path.stem] = sum(count for count in counts.values() if count > 1) / counts.total()
    assert 0.1 < tied["system0001"] < 0.3
    assert tied["system0005"] > 0.7


def test_generated_files_find_part_of_the_judged_documents_and_are_the_same_each_time(
    collection: Collection, tmp_path: Path
) -> None:
    with new_warehouse() as warehouse:
        warehouse.load_qrels(collection.qrels, "generated")
        warehouse.load_runs(collection.runs)
        held = warehouse.rows("select count(distinct topic), count(*), count(distinct grade) from judgments")
        assert held == [(4, 4 * 460, 3)]
        recalls = {recall for *_, recall in warehouse.evaluate("R").fetchall()}
    assert len(recalls) == 3
    assert all(0.35 < recall < 0.65 for recall in recalls)
    again = generated(tmp_path, [2], topics=4)
    assert again.qrels.read_bytes() == collection.qrels.read_bytes()
    assert again.runs[0].read_bytes() == collection.runs[1].read_bytes()
    assert collection.runs[0].read_bytes() != collection.runs[1].read_bytes()
    with pytest.raises(ValueError, match="at most"):
        generated(tmp_path, [1], documents=MOST_DOCUMENTS + 1)


@pytest.mark.parametrize(
    ("goal", "here", "there", "ratio", "met"),
    [
        (FASTER, [1.0, 9.0, 2.0], 8.0, 4.0, True),
        (FASTER, [2.0], 7.9, 3.95, False),
        (Goal("at most", 2), [4.0], 2.0, 2.0, True),
        (Goal("at most", 2), [4.2], 2.0, 2.1, False),
        (Goal("below", 3), [6.0], 2.0, 3.0, False),
        (Goal("below", 3), [5.0], 2.0, 2.5, True),
        (None, [2.0], 8.0, 4.0, None),
    ],
)
def test_goals_are_judged(goal: Goal | None, here: list[float], there: float, ratio: float, met: bool | None) -> None:
    result = Result("name", "work", Measured(here), "peer", Measured([there]), goal)
    assert result.ratio == pytest.approx(ratio)
    assert result.met is met
    missing = Result("name", "work", Measured(here), "peer", None, goal, note="not installed")
    assert missing.met is None
    assert "peer; not installed" in plain([missing])


def test_the_section_between_the_markers_is_replaced_and_nothing_else() -> None:
    result = Result("load", "a | b", Measured([1.0]), "peer", Measured([8.0]), FASTER)
    new = replaced(README, "bench", section([result], "python -m tests.bench load", "where\nwhen"))
    assert (new.split(BEGIN)[0], new.split(END)[1]) == (README.split(BEGIN)[0], README.split(END)[1])
    assert "old" not in new
    assert "| load | a \\| b | 1.000 s | 8.000 s | 8.00 | 4 x faster | yes | peer |" in new
    assert replaced(new, "bench", "other") == replaced(README, "bench", "other")
    assert replaced((ROOT / "tests" / "bench" / "README.md").read_text(encoding="utf-8"), "bench", "new")
    for text in ("", BEGIN, END, END + BEGIN, README + BEGIN, README + END, END + README):
        with pytest.raises(MarkersError):
            replaced(text, "bench", "new")


def test_all_measures_of_the_peer_are_compared() -> None:
    named = trec_eval_measures()
    evaluator = pytrec_eval.RelevanceEvaluator({"1": {"a": 1}}, pytrec_eval.supported_measures)
    assert named.keys() == evaluator.evaluate({"1": {"a": 1.0}})["1"].keys() - {"runid", "relstring"}
    assert {measure.name for measure in parse_measures(named.values(), read_catalog())} == set(named.values())
    assert (named["P_5"], named["iprec_at_recall_0.10"], named["ndcg_cut_10"]) == ("P@5", "IPrec@0.1", "nDCG@10")


def test_a_process_is_measured_apart_from_who_starts_it() -> None:
    held = bytearray(300_000_000)
    held[::4096] = b"x" * len(held[::4096])
    small = run([*PYTHON, "-c", "import time; time.sleep(0.2); print('done')"])
    large = run([*PYTHON, "-c", "held = b'x' * 200_000_000"])
    assert small.output == "done\n"
    assert small.wall > 0.2 > small.user
    assert small.peak < 100_000_000 < 200_000_000 < large.peak
    with pytest.raises(CommandError, match=r"ended with 3: no luck"):
        run([*PYTHON, "-c", "import sys; sys.exit(print('no luck', file=sys.stderr) or 3)"])


def test_peers_are_timed_by_parts(collection: Collection, tmp_path: Path) -> None:
    times = Stage(tmp_path, Sizes(repeat=2)).pytrec_eval(collection)
    parts = [part.values for part in (times.part("scoring"), times.work, times.whole) if part is not None]
    assert list(map(len, parts)) == [2, 2, 2]
    assert all(0 < scoring < work < whole for scoring, work, whole in zip(*parts, strict=True))


def test_peers_that_are_not_here_are_told(
    collection: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage, "installed_version", lambda package: None)
    monkeypatch.delenv("TREC_EVAL", raising=False)
    there = Stage(tmp_path, Sizes(repeat=1))
    assert "pytrec-eval-terrier is not installed" in there.pytrec_eval(collection).missing
    assert there.pytrec_eval(collection).work is None
    assert "TREC_EVAL" in there.lacks_trec_eval
    monkeypatch.setenv("TREC_EVAL", shutil.which("true") or "")
    assert there.lacks_trec_eval == ""
    assert there.trec_eval(collection, "map").wall > 0


def test_what_does_not_fit_the_machine_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert growing.lacking(tmp_path, 1000) == ""
    assert "of disk" in growing.lacking(tmp_path, 10**15)
    monkeypatch.setattr(growing, "available_memory", lambda: 10**8)
    assert "of memory" in growing.lacking(tmp_path, 1000)
    assert machine.available_memory() > 0


@pytest.mark.long
def test_the_tool_writes_table_and_section(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(README)
    ended = bench("one-run", "--quick", "--repeat", "1", "--readme", readme, "--folder", tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    (line,) = (line for line in ended.stdout.splitlines() if line.startswith("one-run"))
    work, here, there, ratio, goal, met, *_ = re.split(r" {2,}", line)[1:]
    assert (work, goal) == ("eval -m AP of one run of 50,000 rows", "below 2.5")
    assert min(float(here.removesuffix(" s")), float(there.removesuffix(" s"))) > 0
    assert (met == "yes") == (float(ratio) < 2.5)
    assert "python -m tests.bench one-run --repeat 1 --quick" in readme.read_text()
    assert f"| {work} | {here} | {there} |" in readme.read_text()
    assert os.listdir(tmp_path) == ["README.md"]


@pytest.mark.long
def test_the_statistics_stand_beside_those_of_peers(tmp_path: Path) -> None:
    ended = bench("statistics", "--quick", "--folder", tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    lines = [re.split(r" {2,}", line) for line in ended.stdout.splitlines() if line.startswith("statistics")]
    assert [line[-1].partition(",")[0] for line in lines] == ["scipy", "4 GB", "scipy"]
    assert "4 systems, 200 permutations" in lines[0][1]
    assert "yes" in lines[1]
    assert "3 systems beside a baseline" in lines[2][1]


@pytest.mark.long
def test_the_tool_refuses_before_it_measures(tmp_path: Path) -> None:
    readme = write(tmp_path / "README.md", "nothing")
    for words, told in ((("--readme", readme), BEGIN), (("fast",), "no benchmark fast; there are eval, load")):
        ended = bench(*words)
        assert (ended.returncode, ended.stdout, told in ended.stderr) == (2, "", True)


@pytest.mark.long
def test_nothing_is_left_when_the_tool_is_ended(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.bench", "one-run", "--quick", "--folder", str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while process.poll() is None and not list(tmp_path.glob("*/template.run")):
            time.sleep(0.05)
        time.sleep(0.5)
        process.terminate()
    assert process.returncode == 143
    assert os.listdir(tmp_path) == []


def bench(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.bench", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900, check=False)
