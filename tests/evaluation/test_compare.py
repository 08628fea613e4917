"""``compare``: pairs and corrections, against scipy."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import scipy.stats
from statsmodels.stats.multitest import multipletests

import evalsql
from evalsql import UsageError, Warehouse
from tests.conftest import Command

pytestmark = pytest.mark.fast


@pytest.mark.parametrize("all_pairs", [False, True])
def test_pairs_are_those_of_scipy_with_holm_over_all_shown(sample: Warehouse, all_pairs: bool) -> None:
    values: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for _, run, topic, measure, value in sample.evaluate(["AP", "nDCG@10"], per_topic=True).fetchall():
        values[run, measure][topic] = value
    relation = sample.compare(None if all_pairs else "bm25", measures=["AP", "nDCG@10"])
    pairs = [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]
    assert not sample.rows("select 1 from duckdb_tables() where temporary and table_name = 'scores'")
    assert len(pairs) == 2 * (8 * 7 // 2 if all_pairs else 7)
    for pair in pairs:
        ours, base = (values[pair[key], pair["measure"]] for key in ("run", "baseline"))
        test = scipy.stats.ttest_rel([ours[topic] for topic in sorted(base)], [base[topic] for topic in sorted(base)])
        interval = test.confidence_interval()
        expected = (test.pvalue, interval.low, interval.high)
        assert (pair["p"], pair["low"], pair["high"]) == pytest.approx(expected, abs=1e-9)
        assert pair["wins"] == sum(ours[topic] > base[topic] for topic in base)
        assert pair["num_tests"] == len(pairs)
    corrected = multipletests([pair["p"] for pair in pairs], method="holm")[1]
    assert [pair["p_corrected"] for pair in pairs] == pytest.approx(list(corrected), abs=1e-9)


def test_what_is_no_comparison_is_refused(sample_file: Path) -> None:
    refused: list[tuple[tuple[str, ...], dict[str, Any], str]] = [
        (("bm2?",), {}, "stands for bm25; a baseline is named in full"),
        (("bm25",), {"test": "z"}, "test"),
        (("bm25",), {"tests": "t"}, "comparisons take no tests"),
    ]
    with evalsql.open(sample_file, read_only=True) as warehouse:
        for arguments, options, complaint in refused:
            with pytest.raises(UsageError, match=complaint):
                warehouse.compare(*arguments, measures="AP", **options)
        warehouse.execute("create temp table scores as select 1 as x")
        with pytest.raises(UsageError, match="in the way"):
            warehouse.compare("bm25", measures="AP")


def test_where_less_is_better_the_least_is_best(sample_file: Path, command: Command) -> None:
    board = json.loads(command("leaderboard", "-m", "ESL", "--format", "json", "--db", sample_file).stdout)
    values = [row["ESL"] for row in board]
    assert values == sorted(values)
    text = command("compare", "bm25", "--all-pairs", "-m", "ESL", "--format", "markdown", "--db", sample_file).stdout
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")][2:]
    assert [row[1] for row in rows] == [row["run"] for row in board]
    assert rows[0][2].startswith(f"**{values[0]:.4f}**")
    assert "<sup>" not in rows[-1][2]
