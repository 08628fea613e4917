"""``compare``: pairs and corrections, against scipy."""

import json
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

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
from evalsql.report.site.site_parts import gather
from tests.conftest import SAMPLE, Command, new_file, write
from tests.long_cases import few_of

pytestmark = pytest.mark.fast


@pytest.mark.parametrize("all_pairs", few_of([True, False], 1))
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


class Compared(NamedTuple):
    """Runs beside a baseline, their files, a warehouse of them, and the run that a gate decides about."""

    base: str
    runs: list[str]
    gated: str
    qrels: Path
    files: list[Path]
    path: Path


def sample_compared(sample_file: Path) -> Compared:
    base, runs = "bm25", ["bm25-rm3", "dense", "tfidf"]
    files = [SAMPLE / "runs" / f"{run}.run" for run in (base, *runs)]
    return Compared(base, runs, "tfidf", SAMPLE / "qrels.txt", files, sample_file)


def covid_compared(real: Path, path: Path) -> Compared:
    """Fifteen systems of TREC-COVID of which one is significant by nDCG@10 in a family of 14, and not in one of 28."""
    folder = real / "trec-covid-r5"
    names = sorted(file.name.removesuffix(".run.gz") for file in (folder / "runs").iterdir())
    base, runs = "BRPHJ_BM25", [name for name in names if name.startswith(("UPrrf", "covidex"))]
    files = [folder / "runs" / f"{run}.run.gz" for run in (base, *runs)]
    with evalsql.open(path) as warehouse:
        warehouse.load_qrels(folder / "qrels.txt", "r5")
        warehouse.load_runs(files)
    return Compared(base, runs, "covidex.r5.2s", folder / "qrels.txt", files, path)


@pytest.mark.long
@pytest.mark.parametrize(("data", "family"), [("sample", None), ("sample", "all"), ("real", None)])
def test_a_comparison_has_one_p_and_one_verdict_wherever_it_is_asked(
    request: pytest.FixtureRequest, sample_file: Path, tmp_path: Path, command: Command, data: str, family: str | None
) -> None:
    if data == "real":
        compared = covid_compared(request.getfixturevalue("real"), new_file(tmp_path))
    else:
        compared = sample_compared(sample_file)
    with evalsql.open(compared.path, read_only=True) as warehouse:
        check_one_verdict(warehouse, compared, command, tmp_path, family)


def check_one_verdict(
    warehouse: Warehouse, compared: Compared, command: Command, folder: Path, family: str | None
) -> None:
    measures, (base, runs, gated, qrels, files, path) = ["AP", "nDCG@10", "P@10"], compared
    values: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for _, run, topic, measure, value in warehouse.evaluate(measures, per_topic=True).fetchall():
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
    if gated == "covidex.r5.2s":
        assert round(expected["nDCG@10", gated], 4) == 0.0342
    option: Any = {"family": family} if family else {}
    words = ("--family", family) if family else ()
    asked = ("-m", ",".join(measures), "--db", path, *words)
    named = parse_measures(measures, warehouse.catalog)
    with warehouse.evaluation.with_scores(named, runs=[base, *runs]):
        argument = f", family := '{family}'" if family else ""
        sql = warehouse.database.records(f"from comparisons(baseline := '{base}'{argument})")
    printed = json.loads(command("compare", base, *runs, *asked, "--format", "json").stdout)
    assert command("report", base, *runs, *asked, "--baseline", base, "-o", "report.json").returncode == 0
    reported = json.loads((folder / "report.json").read_text())["comparisons"]
    key = f'family = "{family}"\n' if family else ""
    write(folder / "paper.toml", f'{key}baseline = "{base}"\nsystems = {[base, *runs]}\nmeasures = {measures}\n')
    described = paper_comparison(warehouse, read_paper(folder / "paper.toml")).pairs
    experiment = evalsql.experiment(files, qrels, measures, baseline=base, **option)
    assert experiment.comparison is not None
    relations: Any = (warehouse.compare(base, runs, measures=measures, **option), experiment.comparison)
    listed = [[dict(zip(each.columns, row, strict=True)) for row in each.fetchall()] for each in relations]
    experiment.warehouse.close()
    for pairs in ([row._asdict() for row in sql], printed, reported, described, *listed):
        found = {(pair["measure"], pair["run"]): pair["p_corrected"] for pair in pairs}
        assert found == pytest.approx(expected, abs=1e-9)
    given: Any = {"runs": [base, *runs], "baseline": base, **option}
    for page in (gather_report(warehouse, measures, for_page=True, **given), *gather(warehouse, measures, **given)):
        assert {key: page.pairs[key[0], base, key[1]].is_sure for key in sure} == sure
    # A gate tests one run, and one side: half of p for a run that is worse, the rest for one that is better.
    rules = [parse_rule(f"{measure} not worse at p < 0.05") for measure in measures]
    verdicts = decide(warehouse.evaluation, gated, rules, baseline=base, **option).verdicts
    worse = {
        measure: fmean(values[measure, gated].values()) < fmean(values[measure, base].values()) for measure in measures
    }
    one = corrected({key: p / 2 if worse[key[0]] else 1 - p / 2 for key, p in plain.items() if key[1] == gated})
    decided = {
        each.rule.measure.name: each.value for each in verdicts if each.rule.kind == "test" and each.rule.measure
    }
    assert decided == pytest.approx({measure: p for (measure, _), p in one.items()}, abs=1e-9)
    gate = command(
        "gate",
        gated,
        "--db",
        path,
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
