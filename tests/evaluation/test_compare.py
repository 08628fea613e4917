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
from evalsql.catalog.measure_names import parse_measures
from evalsql.evaluation.evaluation import FAMILIES
from evalsql.evaluation.gate_decision import decide
from evalsql.evaluation.gate_rules import parse_rule
from evalsql.report.page.report_data import gather_report
from evalsql.report.paper import paper_comparison, read_paper
from evalsql.report.site.site_data import gather
from tests.conftest import SAMPLE, Command, write
from tests.long_cases import few_of

pytestmark = pytest.mark.fast


@pytest.mark.parametrize("all_pairs", [False, True])
def test_pairs_are_those_of_scipy_with_holm_over_each_measure(sample: Warehouse, all_pairs: bool) -> None:
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
        assert pair["num_tests"] == len(pairs) // 2
    for measure in ("AP", "nDCG@10"):
        own = [pair for pair in pairs if pair["measure"] == measure]
        corrected = multipletests([pair["p"] for pair in own], method="holm")[1]
        assert [pair["p_corrected"] for pair in own] == pytest.approx(list(corrected), abs=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("family", few_of([None, "all"], 1))
def test_a_comparison_has_one_p_and_one_verdict_wherever_it_is_asked(
    sample: Warehouse, sample_file: Path, tmp_path: Path, command: Command, family: str | None
) -> None:
    measures, base, runs = ["AP", "nDCG@10", "P@10"], "bm25", ["bm25-rm3", "dense", "tfidf"]
    values: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for _, run, topic, measure, value in sample.evaluate(measures, per_topic=True).fetchall():
        values[measure, run][topic] = value
    plain = {
        (measure, run): scipy.stats.ttest_rel(
            *([values[measure, each][topic] for topic in values[measure, base]] for each in (run, base))
        ).pvalue
        for measure in measures
        for run in runs
    }

    def corrected(p: dict[tuple[str, str], float]) -> dict[tuple[str, str], float]:
        together = [[*p]] if family == "all" else [[key for key in p if key[0] == each] for each in measures]
        found = [zip(keys, multipletests([p[key] for key in keys], method="holm")[1], strict=True) for keys in together]
        return {key: value for keys in found for key, value in keys}

    expected = corrected(plain)
    sure = {key: value < 0.05 for key, value in expected.items()}
    option: Any = {"family": family} if family else {}
    words = ("--family", family) if family else ()
    asked = ("-m", ",".join(measures), "--db", sample_file, *words)
    named = parse_measures(measures, sample.catalog)
    with sample.evaluation.with_scores(named, runs=[base, *runs]):
        argument = f", family := '{family}'" if family else ""
        sql = sample.database.records(f"from comparisons(baseline := '{base}'{argument})")
    compared = json.loads(command("compare", base, *runs, *asked, "--format", "json").stdout)
    assert command("report", base, *runs, *asked, "--baseline", base, "-o", "report.json").returncode == 0
    reported = json.loads((tmp_path / "report.json").read_text())["comparisons"]
    key = f'family = "{family}"\n' if family else ""
    write(tmp_path / "paper.toml", f'{key}baseline = "{base}"\nsystems = {[base, *runs]}\nmeasures = {measures}\n')
    described = paper_comparison(sample, read_paper(tmp_path / "paper.toml")).pairs
    files = [SAMPLE / "runs" / f"{run}.run" for run in (base, *runs)]
    experiment = evalsql.experiment(files, SAMPLE / "qrels.txt", measures, baseline=base, **option)
    assert experiment.comparison is not None
    relations: Any = (sample.compare(base, runs, measures=measures, **option), experiment.comparison)
    listed = [[dict(zip(each.columns, row, strict=True)) for row in each.fetchall()] for each in relations]
    experiment.warehouse.close()
    for pairs in ([row._asdict() for row in sql], compared, reported, described, *listed):
        found = {(pair["measure"], pair["run"]): pair["p_corrected"] for pair in pairs}
        assert found == pytest.approx(expected, abs=1e-9)
    given: Any = {"runs": [base, *runs], "baseline": base, **option}
    for page in (gather_report(sample, measures, for_page=True, **given), *gather(sample, measures, **given)):
        assert {key: page.pairs[key[0], base, key[1]].is_sure for key in sure} == sure
    # A gate tests one run, and one side: half of p for a run that is worse.
    rules = [parse_rule(f"{measure} not worse at p < 0.05") for measure in measures]
    verdicts = decide(sample.evaluation, "tfidf", rules, baseline=base, **option).verdicts
    one = corrected({key: p / 2 for key, p in plain.items() if key[1] == "tfidf"})
    gated = {each.rule.measure.name: each.value for each in verdicts if each.rule.kind == "test" and each.rule.measure}
    assert gated == pytest.approx({measure: p for (measure, _), p in one.items()}, abs=1e-9)
    gate = command(
        "gate",
        "tfidf",
        "--db",
        sample_file,
        "--baseline",
        base,
        *words,
        *(w for each in rules for w in ("--rule", each.text)),
    )
    assert f"3 tests corrected by Holm, {FAMILIES[family or 'measure']}" in gate.stderr


def test_what_is_no_comparison_is_refused(sample_file: Path) -> None:
    refused: list[tuple[str, dict[str, Any], str]] = [
        ("bm2?", {}, "stands for bm25; a baseline is named in full"),
        ("bm25", {"test": "z"}, "test"),
        ("bm25", {"tests": "t"}, "comparisons take no tests; there are: measures, "),
    ]
    with evalsql.open(sample_file, read_only=True) as warehouse:
        for base, options, complaint in refused:
            with pytest.raises(UsageError, match=complaint):
                warehouse.compare(base, measures="AP", **options)
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
