"""``compare``: pairs, corrections and tables for papers, against scipy and by hand."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import scipy.stats

import evalsql
from evalsql import UsageError
from evalsql.report.comparison import Comparison, label
from evalsql.report.writers import write_latex, write_markdown
from tests.conftest import Command, csv_rows

pytestmark = pytest.mark.fast


@pytest.fixture
def values(sample_file: Path) -> dict[tuple[str, str], dict[str, float]]:
    with evalsql.open(sample_file, read_only=True) as warehouse:
        rows = warehouse.evaluate(["AP", "nDCG@10"], per_topic=True).fetchall()
    found: dict[tuple[str, str], dict[str, float]] = {}
    for _, run, topic, measure, value in rows:
        found.setdefault((run, measure), {})[topic] = value
    return found


@pytest.mark.parametrize("all_pairs", [False, True])
def test_pairs_are_those_of_scipy_with_holm_over_all_shown(
    sample_file: Path, values: dict[tuple[str, str], dict[str, float]], all_pairs: bool
) -> None:
    with evalsql.open(sample_file, read_only=True) as warehouse:
        relation = warehouse.compare(None if all_pairs else "bm25", measures=["AP", "nDCG@10"])
        pairs = [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]
        assert not warehouse.rows("select 1 from duckdb_tables() where temporary and table_name = 'scores'")
    systems = {run for run, _ in values}
    expected = len(systems) * (len(systems) - 1) // 2 if all_pairs else len(systems) - 1
    assert len(pairs) == 2 * expected
    for pair in pairs:
        ours, base = (values[pair[key], pair["measure"]] for key in ("run", "baseline"))
        topics = sorted(base)
        test = scipy.stats.ttest_rel([ours[topic] for topic in topics], [base[topic] for topic in topics])
        assert pair["p"] == pytest.approx(test.pvalue, abs=1e-9)
        interval = test.confidence_interval()
        assert (pair["low"], pair["high"]) == pytest.approx((interval.low, interval.high), abs=1e-9)
        assert pair["wins"] == sum(ours[topic] > base[topic] for topic in topics)
        assert pair["num_tests"] == len(pairs)
    greatest = 0.0
    for place, pair in enumerate(sorted(pairs, key=lambda pair: pair["p"])):
        greatest = max(greatest, min(1.0, (len(pairs) - place) * pair["p"]))
        assert pair["p_corrected"] == pytest.approx(greatest, abs=1e-9)


def test_a_run_beside_itself_and_other_refusals(sample_file: Path) -> None:
    with evalsql.open(sample_file, read_only=True) as warehouse:
        refused: list[tuple[tuple[str, ...], dict[str, Any], str]] = [
            (("bm25", "bm25"), {}, "two runs"),
            (("bm52",), {}, 'no run is called "bm52"'),
            (("bm2?",), {}, "stands for bm25; a baseline is named in full"),
            (("bm25",), {"test": "z"}, "test"),
            (("bm25",), {"tests": "t"}, "comparisons take no tests"),
        ]
        for arguments, options, complaint in refused:
            with pytest.raises(UsageError, match=complaint):
                warehouse.compare(*arguments, measures="AP", **options)
        warehouse.execute("create temp table scores as select 1 as x")
        with pytest.raises(UsageError, match="in the way"):
            warehouse.compare("bm25", measures="AP")


def test_the_command(command: Command, sample_file: Path) -> None:
    db = ("--db", sample_file)
    answer = command("compare", "bm25", "dense", "-m", "AP P@10", "--test", "wilcoxon", "--format", "csv", *db)
    rows = csv_rows(answer.stdout)
    assert [(row["measure"], row["baseline"], row["run"]) for row in rows] == [
        ("AP", "bm25", "dense"),
        ("P@10", "bm25", "dense"),
    ]
    assert "Wilcoxon signed rank test, p corrected by Holm for 2 tests, alpha = 0.05" in answer.stderr
    table = command("compare", "bm25", "--all-pairs", "-m", "AP", "--format", "latex", *db).stdout
    assert table.startswith("% Needs \\usepackage{booktabs}.\n\\begin{table}\n\\centering\n\\caption{Means over")
    assert command("compare", "bm25", "-m", "AP", "-o", "pairs.md", *db).returncode == 0
    assert command("compare", "nosuch", *db).returncode == 2


def pair(baseline: str, run: str, means: tuple[float, float], p: float, **others: Any) -> dict[str, Any]:
    return {
        "baseline": baseline,
        "run": run,
        "measure": "AP",
        "num_topics": 5,
        "baseline_mean": means[0],
        "mean": means[1],
        "difference": means[1] - means[0],
        "p_corrected": p,
        "num_tests": 3,
        **others,
    }


def written(write: Callable[..., None], pairs: list[dict[str, Any]], qrels: str = "q") -> str:
    stream = io.StringIO()
    write([Comparison(qrels, pairs, ["AP"], "t", "holm", 0.05).table(2)], stream, 2)
    return stream.getvalue()


PAIRS = [
    pair("one_&", "<two>", (0.5, 0.9), 0.01),
    pair("one_&", "three", (0.5, 0.901), 0.04),
    pair("<two>", "three", (0.9, 0.901), 0.8),
]


def test_best_is_bold_also_when_it_reads_the_same() -> None:
    lines = written(write_markdown, PAIRS).splitlines()
    assert lines[2:5] == [
        "| a | three | **0.90**<sup>c</sup> |",
        "| b | \\<two\\> | **0.90**<sup>c</sup> |",
        "| c | one\\_& | 0.50 |",
    ]
    rows = [line for line in written(write_latex, PAIRS).splitlines() if line.endswith("\\\\")]
    assert rows[1:] == [
        "a & three & \\textbf{0} & \\textbf{.90}$^{\\mathrm{c}}$ \\\\",
        "b & \\textless{}two\\textgreater{} & \\textbf{0} & \\textbf{.90}$^{\\mathrm{c}}$ \\\\",
        "c & one\\_\\& & 0 & .50 \\\\",
    ]


def test_the_caption_names_test_correction_alpha_and_topics() -> None:
    text = written(write_latex, PAIRS, "qrels_1")
    assert "Means over 5 topics of qrels\\_1; the best in bold." in text
    assert "(paired t test, p corrected by Holm for 3 tests, alpha = 0.05)" in text


def test_more_systems_than_letters() -> None:
    assert [label(number) for number in (0, 25, 26, 51, 52, 701, 702)] == ["a", "z", "aa", "az", "ba", "zz", "aaa"]
    pairs = [pair("base", f"r{number:02}", (0.1, 0.9 - number / 100), 0.001) for number in range(30)]
    lines = written(write_markdown, pairs).splitlines()
    assert lines[2] == "| a | r00 | **0.90**<sup>ae</sup> |"
    assert lines[32] == "| ae | base | 0.10 |"


def test_where_less_is_better_the_least_is_best(sample_file: Path, command: Command) -> None:
    board = json.loads(command("leaderboard", "-m", "ESL", "--format", "json", "--db", sample_file).stdout)
    values = [row["ESL"] for row in board]
    assert values == sorted(values)
    written = command("compare", "bm25", "--all-pairs", "-m", "ESL", "--format", "markdown", "--db", sample_file).stdout
    rows = [line.split(" | ") for line in written.splitlines() if line.startswith("| ")][2:]
    assert [row[1] for row in rows] == [row["run"] for row in board]
    assert rows[0][2].startswith(f"**{values[0]:.4f}**")
    assert "<sup>" not in rows[-1][2]
