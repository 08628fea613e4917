"""Tables for a paper: what the caption says was tested, and the form that LaTeX needs."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from evalsql.report.comparison import Comparison, label
from evalsql.report.table import Table
from evalsql.report.writers import latex, markdown
from tests.conftest import Command, csv_rows
from tests.long_cases import few_of

MEASURES = "AP,ESL,Utility"  # of ESL less is better, Utility is below 0


def written(write: Callable[..., str], comparison: Comparison) -> str:
    return write([comparison.table(2)], 2)


def pair(run: str, measure: str, baseline_mean: float, mean: float, p: float, beside: str = "bm25") -> dict[str, Any]:
    of = {"baseline": beside, "run": run, "measure": measure, "num_topics": 5, "num_tests": 4}
    return of | {"baseline_mean": baseline_mean, "mean": mean, "difference": mean - baseline_mean, "p_corrected": p}


PAIRS = [
    pair("good", "AP", 0.5, 0.75, 0.01),
    pair("bad", "AP", 0.5, 0.25, 0.01),
    pair("good", "ESL", 3.0, 2.0, 0.01),
    pair("bad", "ESL", 3.0, 2.5, 0.2),
]
BESIDE_BM25 = Comparison("my_qrels", PAIRS, ["AP", "ESL"], "t", "holm", 0.05, lower=frozenset({"ESL"}), baseline="bm25")


def test_a_caption_says_what_was_tested_and_daggers_tell_better_from_worse() -> None:
    for write, better, worse in ((markdown, "\u2020", "\u2021"), (latex, r"$\dagger$", r"$\ddagger$")):
        text = written(write, BESIDE_BM25)
        assert f"{better} is significantly better than bm25, {worse} significantly worse" in text
        assert "superscript names the systems" not in text
        assert "The tests compare bm25 with 2 systems, each measure by itself." in text
    assert written(markdown, BESIDE_BM25).splitlines()[:5] == [
        "| run | AP | ESL |",
        "| --- | ---: | ---: |",
        "| good | **0.75**<sup>\u2020</sup> | **2.00**<sup>\u2020</sup> |",
        "| bm25 | 0.50 | 3.00 |",
        "| bad | 0.25<sup>\u2021</sup> | 2.50 |",
    ]


def test_best_is_bold_also_when_it_reads_the_same() -> None:
    pairs = [
        pair("<two>", "AP", 0.5, 0.9, 0.01, "one_&"),
        pair("three", "AP", 0.5, 0.901, 0.04, "one_&"),
        pair("three", "AP", 0.9, 0.901, 0.8, "<two>"),
    ]
    compared = Comparison("qrels_1", pairs, ["AP"], "t", "holm", 0.05)
    assert written(markdown, compared).splitlines()[2:5] == [
        "| a | three | **0.90**<sup>c</sup> |",
        "| b | \\<two\\> | **0.90**<sup>c</sup> |",
        "| c | one\\_\\& | 0.50 |",
    ]
    text = written(latex, compared)
    assert "Means over 5 topics of qrels\\_1; the best in bold." in text
    assert "(paired t test, p corrected by Holm for 4 tests, alpha = 0.05)" in text
    assert [line for line in text.splitlines() if line.endswith("\\\\")][1:] == [
        r"a & three & \textbf{0.90}$^{\mathrm{c}}$ \\",
        r"b & \textless{}two\textgreater{} & \textbf{0.90}$^{\mathrm{c}}$ \\",
        r"c & one\_\& & 0.50\phantom{$^{\mathrm{c}}$} \\",
    ]


def test_more_systems_than_letters() -> None:
    assert [label(number) for number in (0, 25, 26, 51, 52, 701, 702)] == ["a", "z", "aa", "az", "ba", "zz", "aaa"]
    pairs = [pair(f"r{number:02}", "AP", 0.1, 0.9 - number / 100, 0.001, "base") for number in range(30)]
    lines = written(markdown, Comparison("q", pairs, ["AP"], "t", "holm", 0.05)).splitlines()
    assert (lines[2], lines[32]) == ("| a | r00 | **0.90**<sup>ae</sup> |", "| ae | base | 0.10 |")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, "The tests compare bm25 with 2 systems, each measure by itself."),
        ({"baseline": None}, "The tests compare all pairs of 3 systems, each measure by itself."),
        ({"measures": ["AP"]}, "The tests compare bm25 with 2 systems."),
        ({"family": "all"}, "The tests compare bm25 with 2 systems, all measures together."),
        (
            {"has_others": True, "family": "all"},
            "The tests compare bm25 with 2 systems, all measures together, and those of the other judgment sets.",
        ),
        ({"test": "tukey"}, ""),
        ({"correction": "none"}, ""),
        ({"pairs": BESIDE_BM25.pairs[:1]}, ""),
        ({"names": {"bm25": "BM25"}}, "The tests compare BM25 with 2 systems, each measure by itself."),
    ],
)
def test_what_was_corrected_together(changed: Mapping[str, Any], said: str) -> None:
    assert BESIDE_BM25._replace(**changed).tested == said


def test_latex_is_a_whole_float() -> None:
    lines = written(latex, BESIDE_BM25).splitlines()
    caption = lines.pop(3)
    assert caption.startswith(r"\caption{Means over 5 topics of my\_qrels; the best in bold.")
    assert lines == [
        r"% Needs \usepackage{booktabs}.",
        r"\begin{table}",
        r"\centering",
        r"\label{tab:my-qrels}",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"run & \multicolumn{1}{c}{AP} & \multicolumn{1}{c}{ESL} \\",
        r"\midrule",
        r"good & \textbf{0.75}$^{\dagger}$ & \textbf{2.00}$^{\dagger}$ \\",
        r"bm25 & 0.50\phantom{$^{\dagger}$} & 3.00\phantom{$^{\dagger}$} \\",
        r"bad & 0.25\rlap{$^{\ddagger}$}\phantom{$^{\dagger}$} & 2.50\phantom{$^{\dagger}$} \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def columns_of(row: str) -> int:
    spanned = sum(int(number) - 1 for number in re.findall(r"\\multicolumn\{(\d+)\}", row))
    return len(re.findall(r"(?<!\\)&", row)) + 1 + spanned


@pytest.mark.parametrize("extra", few_of([("--all-pairs",), ()], 1, one_value=True))
def test_rows_have_the_columns_of_the_tabular(demo: Command, extra: tuple[str, ...]) -> None:
    asked = ("compare", "bm25", "-m", MEASURES, "--rename", "bm25=BM25 & RM3", *extra)
    text = demo(*asked, "--format", "latex").stdout
    form = text.partition(r"\begin{tabular}{")[2].partition("}\n")[0].replace("@{}", "")
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 9
    assert {columns_of(row) for row in rows} == {len(form)}
    assert text.count("{") == text.count("}")
    assert text.count("$") % 2 == 0
    assert not re.search(r"[& {]-\d", text)
    # Every mean is one cell, with as many decimals as the others.
    assert len(re.findall(r"& (\\textbf\{)?(\$-\$)?\d+\.\d{4}\b", text)) == 8 * 3


CHANGES = {("good", "AP"): 50.0, ("bad", "AP"): -50.0, ("good", "ESL"): -100 / 3, ("bad", "ESL"): None}


def test_letters_and_daggers_stand_beside_each_other() -> None:
    compared = BESIDE_BM25._replace(baseline=None, beside="bm25")
    text = written(latex, compared)
    room = r"\phantom{$^{\dagger\mathrm{b}}$}"
    assert r"a & good & \textbf{0.75}$^{\dagger\mathrm{b}}$ &" in text
    assert rf"b & bm25 & 0.50\rlap{{$^{{\mathrm{{c}}}}$}}{room} &" in text
    assert rf"c & bad & 0.25\rlap{{$^{{\ddagger}}$}}{room} &" in text
    assert "A superscript names the systems that are significantly worse (" in compared.caption
    assert "\u2020 is significantly better than bm25, \u2021 significantly worse." in compared.caption


def test_relative_changes_in_percent() -> None:
    changed = BESIDE_BM25._replace(changes=CHANGES, changed_from="bm25", names={"ESL": "E_SL"})
    lines = written(latex, changed).splitlines()
    room = r"\phantom{$^{\dagger}$}"
    assert r"\begin{tabular}{lr@{\ }rr@{\ }r}" in lines
    assert r"run & \multicolumn{2}{c}{AP} & \multicolumn{2}{c}{E\_SL} \\" in lines
    assert rf"bm25 & 0.50{room} & & 3.00{room} & \\" in lines
    assert rf"bad & 0.25\rlap{{$^{{\ddagger}}$}}{room} & ($-$50.0\%) & 2.50{room} & \\" in lines
    assert "In parentheses the change of the mean relative to bm25." in lines[3]
    assert "| good | **0.75**<sup>\u2020</sup> (+50.0%) | **2.00**<sup>\u2020</sup> (-33.3%) |" in written(
        markdown, changed
    )


@pytest.mark.long
@pytest.mark.parametrize("extra", few_of([("--all-pairs", "--daggers"), ()], 1, one_value=True))
def test_changes_are_those_of_the_means(demo: Command, extra: tuple[str, ...]) -> None:
    asked = ("compare", "dense", "bm25", "tfidf", "-m", "AP,Utility")
    pairs = csv_rows(demo(*asked, "--format", "csv").stdout)
    text = demo(*asked, "--relative", "--format", "latex", *extra).stdout
    found = [float(f"{sign}{number}") for sign, number in re.findall(r"\(\$([+-])\$([\d.]+)\\%\)", text)]
    # Below 0 a mean that is greater is a change upwards.
    means = [(float(pair["baseline_mean"]), float(pair["mean"])) for pair in pairs]
    assert sorted(found) == sorted(round(100 * (after - before) / abs(before), 1) for before, after in means)
    assert {pair["run"] for pair in pairs} == {"bm25", "tfidf"}
    assert "relative to dense." in text


def test_order_and_names_of_a_paper(demo: Command) -> None:
    asked = ("compare", "bm25", "dense", "hybrid", "tfidf", "-m", "AP")
    names = ("--order", "tfidf", "--order", "bm25", "--rename", "bm25=BM25 + RM3 = x", "--rename", "dense=Dense")
    text = demo(*asked, *names, "--format", "markdown").stdout
    shown = [line.split(" | ")[0].removeprefix("| ") for line in text.splitlines() if line.startswith("| ")][2:]
    assert shown == ["tfidf", r"BM25 \+ RM3 = x", "hybrid", "Dense"]
    assert r"is significantly better than BM25 \+ RM3 = x, " in text


def test_a_leaderboard_has_its_best_in_bold(demo: Command) -> None:
    asked = ("leaderboard", "-m", MEASURES)
    rows = csv_rows(demo(*asked, "--format", "csv").stdout)
    text = demo(*asked, "--format", "latex").stdout
    assert text.startswith("% Needs \\usepackage{booktabs}.\n\\begin{tabular}{rllrrr}\n")
    bold = re.findall(r"\\textbf\{(\S+?)\}(?= )", text)
    best = [choose(float(row[name]) for row in rows) for choose, name in ((max, "AP"), (min, "ESL"), (max, "Utility"))]
    assert sorted(bold) == sorted(f"{value:.4f}".replace("-", "$-$") for value in best)


def test_bold_in_each_judgment_set_and_what_reads_the_same() -> None:
    rows = [("one", "a", 0.51, None), ("one", "b", 0.52, 1.0), ("one", "c", 0.25, 2.0), ("two", "a", 0.125, 1.0)]
    assert Table(["qrels", "run", "AP", "ESL"], rows).with_best({"ESL"}, 1).best == {(0, 2), (1, 2), (1, 3)}


def test_a_p_value_is_not_shown_as_none_at_all() -> None:
    table = Table(["p", "p_corrected", "difference"], [(0.00004, 0.00005, 0.00004), (0.0, 1.0, 0.0)])
    shown = [[table.text(row, at, 4) for at in range(3)] for row in table.rows]
    assert shown == [["<0.0001", "0.0001", "0.0000"], ["0.0000", "1.0000", "0.0000"]]
