"""``evalsql trec_eval`` prints the bytes of trec_eval, for values that pytrec_eval gives and by hand for 10.0."""

import random
import subprocess
import sys
from itertools import product
from math import fsum
from pathlib import Path
from typing import Literal

import pytest

import evalsql
from evalsql import Warehouse
from evalsql.catalog.relations import read_catalog
from evalsql.cli import trec_eval_command
from evalsql.cli.trec_eval_command import Options, lines, rows_wanted
from evalsql.errors import UsageError
from tests.conftest import FIXTURES, Command, assert_refused, new_file, new_warehouse, write
from tests.long_cases import few_of
from tests.measures.test_real_data import ODDITIES, read_qrels, read_run
from tests.measures.test_real_data import lines as columns_of
from tests.oracles.trec_eval_output import ALL_TREC, Settings, output
from tests.random_collections import Qrels, Run, collection, together

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


def written(folder: Path, qrels: str, run: str) -> tuple[str, str]:
    return str(write(folder / "qrels.txt", qrels)), str(write(folder / "a.run", run))


def files(folder: Path, qrels: Qrels, run: Run) -> tuple[str, str]:
    judged = (f"{topic} 0 {name} {grade}\n" for topic, grades in qrels.items() for name, grade in grades.items())
    ranked = (
        f"{topic} Q0 {name} 1 {score!r} the-tag\n" for topic, scores in run.items() for name, score in scores.items()
    )
    return written(folder, "".join(judged), "".join(ranked))


def lines_of(paths: tuple[str, str], options: Options, opened: Warehouse | None = None) -> list[str]:
    """What is printed; a warehouse that tests use again and again is open sooner than one of its own."""
    with opened or new_warehouse() as warehouse:
        return list(lines(warehouse, *paths, options))


def printed(paths: tuple[str, str], settings: Settings, measures: list[str], opened: Warehouse | None = None) -> str:
    options = Options(measures=measures, per_topic=True, **vars(settings))
    return "".join(f"{line}\n" for line in lines_of(paths, options, opened))


@pytest.mark.parametrize("nth", few_of(range(len(SETTINGS)), 1))
def test_a_thousand_random_collections_to_the_byte(tmp_path: Path, nth: int) -> None:
    many = together(range(125 * nth, 125 * (nth + 1)))
    expected = output(many.qrels, many.run, SETTINGS[nth], tag="the-tag")
    assert expected.count("\n") > 100 * 125
    assert printed(files(tmp_path, many.qrels, many.run), SETTINGS[nth], ["all_trec"]) == expected


def test_halves_of_the_last_digit_go_where_a_sum_in_the_order_of_ranks_takes_them(tmp_path: Path) -> None:
    """Bpref of 40 relevant among 80: often a half of .0001, of which an exact sum prints another digit."""
    order = random.Random(40)
    names = [f"d{n}" for n in range(80)]
    rankings = {str(topic): order.sample(names, 80) for topic in range(50)}
    qrels = {topic: {name: n % 2 for n, name in enumerate(names)} for topic in rankings}
    run = {topic: {name: 80.0 - n for n, name in enumerate(ranking)} for topic, ranking in rankings.items()}
    expected = expected_lines(["bpref"], output(qrels, run, Settings(), tag="the-tag"))
    grades = ([qrels[topic][name] for name in rankings[topic]] for topic in sorted(rankings))
    exact = [fsum(1 - row[:at].count(0) / 40 for at in range(80) if row[at]) / 40 for row in grades]
    assert [f"{value:.4f}" for value in exact] != [line.split("\t")[2] for line in expected.splitlines()[:-1]]
    assert printed(files(tmp_path, qrels, run), Settings(), ["bpref"]) == expected


@pytest.mark.parametrize("unjudged", [(1, 0, 0, 0), (0, 1, 1, 0)])
def test_residuals_of_a_few_documents_are_rounded_as_products_are(tmp_path: Path, unjudged: tuple[int, ...]) -> None:
    """A mean of two topics is often half a .0001: 0.9 * 0.9 * 0.9 lies above it where the power lies below."""
    reached, total = 1.0, 0.0
    for each in unjudged:
        total += reached * each
        reached *= 0.9
    residual = reached + (1 - 0.9) * total
    power = 0.9**4 + (1 - 0.9) * fsum(0.9**at for at, each in enumerate(unjudged) if each)
    assert f"{residual / 2:.4f}" != f"{power / 2:.4f}"
    qrels = {"1": {"d0": 1}, "2": {f"d{at}": 1 for at, each in enumerate(unjudged) if not each}}
    run = {"1": {"d0": 1.0}, "2": {f"d{at}": 4.0 - at for at in range(4)}}
    found = lines_of(files(tmp_path, qrels, run), Options(measures=["rbp_resid"], version="10.0"))
    assert found == [f"rbp_resid             \tall\t{residual / 2:.4f}"]


# A third of the measures under each setting comes first; that is the default.
THIRDS = sorted(product(range(3), range(len(SETTINGS))), key=lambda pair: pair[0] != pair[1] % 3)


@pytest.mark.parametrize(("third", "at"), few_of(THIRDS, 1))
def test_averages_of_small_collections_to_the_byte(tmp_path: Path, third: int, at: int) -> None:
    one = collection(1000 + third * len(SETTINGS) + at)
    asked = SINGLE[third::3]
    assert len({row.name for row in rows_wanted(asked, CATALOG, Options())}) > 20
    expected = expected_lines(asked, output(one.qrels, one.run, SETTINGS[at], tag="the-tag"))
    assert printed(files(tmp_path, one.qrels, one.run), SETTINGS[at], asked) == expected


def expected_lines(asked: list[str], whole: str) -> str:
    """The lines of a printout that these names stand for, each of which has a mean but relstring."""
    rows = {row.name for row in rows_wanted(asked, CATALOG, Options())}
    lines = [line for line in whole.splitlines(keepends=True) if line.partition("\t")[0].strip() in rows]
    assert sum("\tall\t" in line for line in lines) == len(rows - {"relstring"})
    return "".join(lines)


@pytest.mark.parametrize("names", [SINGLE[::40], pytest.param(SINGLE, marks=pytest.mark.long)], ids=["some", "all"])
def test_each_single_measure_to_the_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: list[str]) -> None:
    """The files are loaded once, as for any measure; each measure is asked of a warehouse of its own."""
    one = collection(7)
    paths = files(tmp_path, one.qrels, one.run)
    loaded = new_file(tmp_path)
    with evalsql.open(loaded) as warehouse:
        trec_eval_command._load(warehouse, *paths, Options())
    monkeypatch.setattr(trec_eval_command, "_load", lambda *_: None)
    whole = output(one.qrels, one.run, Settings(), tag="the-tag")
    for name in names:
        found = printed(paths, Settings(), [name], evalsql.open(new_file(tmp_path, loaded)))
        assert found == expected_lines([name], whole) != "", name


@pytest.mark.parametrize("folder", few_of(ODDITIES, 1))
def test_real_runs_to_the_byte(real: Path, folder: str) -> None:
    place = real / "oddities" / folder
    if not check_real(place / "qrels.txt", sorted((place / "runs").iterdir())[0]):
        pytest.skip("the first run of this folder has no topic of the judgments")


@pytest.mark.long
@pytest.mark.parametrize("run_name", ["covidex.r5.2s.lr", "sab20.5.1.meta.docs", "UPrrf102-r5"])
def test_trec_covid_to_the_byte(real: Path, run_name: str) -> None:
    folder = real / "trec-covid-r5"
    paths = sorted((folder / "runs").glob("*.run.gz"))
    path = next((path for path in paths if path.name.startswith(run_name)), paths[len(run_name)])
    assert check_real(folder / "qrels.txt", path)


def check_real(qrels_path: Path, path: Path) -> bool:
    """Compare what is printed of a run; whether it has a topic of the judgments."""
    qrels, run = read_qrels(qrels_path), read_run(path)
    tag = [columns[5] if len(columns) > 5 else "" for columns in columns_of(path)][-1]
    expected = output(qrels, run, Settings(complete=True), tag=tag)
    if set(qrels) & set(run):
        assert printed((str(qrels_path), str(path)), Settings(complete=True), ["all_trec"]) == expected
    return bool(set(qrels) & set(run))


@pytest.mark.long
def test_a_missing_topic_counts_as_each_version_has_it(tmp_path: Path) -> None:
    """By hand: t1 has AP 1 and one document, t2 is left out with one relevant document."""
    paths = written(tmp_path, "t1 0 a 1\nt2 0 b 1\n", "t1 Q0 a 1 1 x\nt9 Q0 a 1 1 x\n")
    measures = ["num_q", "map", "gm_map", "num_rel", "utility", "yaap"]
    odds = "0.3466"  # ln(2 / 1) / 2
    expected: dict[tuple[Literal["9.0.8", "10.0"], bool], list[str]] = {
        ("9.0.8", False): ["1", "1", "1.0000", "1.0000", "1.0000", "0.6931"],
        ("9.0.8", True): ["2", "2", "0.5000", "0.0032", "0.5000", odds],
        ("10.0", False): ["1", "1", "1.0000", "1.0000", "1.0000", "0.6931"],
        ("10.0", True): ["2", "2", "0.5000", "0.0032", "0.5000", "0.0000"],
    }
    for (version, complete), values in expected.items():
        found = lines_of(paths, Options(measures=measures, version=version, complete=complete))
        assert [line.split("\t")[2] for line in found] == values, (version, complete)
    options = Options(measures=["map"], version="10.0", per_topic=True, complete=True)
    topics = [line.split("\t")[1] for line in lines_of(paths, options)]
    assert topics == ["t1", "t2", "all"]


def test_a_run_without_a_topic_of_the_judgments_ends_with_7(tmp_path: Path, command: Command) -> None:
    paths = written(tmp_path, "t1 0 a 1\n", "t2 Q0 a 1 1 x\n")
    outcome = command("trec_eval", *paths)
    assert (outcome.returncode, outcome.stdout) == (7, "")
    complete = lines_of(paths, Options(measures=["map"], version="10.0", complete=True))
    assert complete == ["map                   \tall\t0.0000"]


@pytest.mark.parametrize("version", ["9.0.8", "10.0"])
def test_the_worked_case_of_what_10_changes_is_printed_as_by_hand(version: str, command: Command) -> None:
    case = FIXTURES / "trec-eval-10"
    measures = ["map", "recip_rank", "iprec_at_recall.0.4,0.8", "11pt_avg"]
    measures += ["rbp", "rbp_resid.p=0.5", "unj.5"] if version == "10.0" else []
    flags = [flag for measure in measures for flag in ("-m", measure)]
    outcome = command(
        "trec_eval", "-q", *flags, "--version-profile", version, case / "qrels.txt", case / "runs" / "system.run"
    )
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert outcome.stdout == (case / f"printed.{version}.txt").read_text()


@pytest.mark.long
def test_options_are_spelt_as_in_trec_eval(tmp_path: Path, command: Command) -> None:
    one = collection(3)
    qrels, run = files(tmp_path, one.qrels, one.run)
    settings = Settings(complete=True, level=2, depth=7)
    # Of cutoffs the first given for a name hold.
    spelt = ("-qc", "--level_for_rel=2", "--Max_retrieved_per_topic", "7", "--measure", "P.5", "-mmap", "-m", "P.10")
    plain = printed((qrels, run), settings, ["map", "P.5"])
    assert command("trec_eval", qrels, run, *spelt).stdout == plain != ""
    short = ("-q", "-c", "-n", "-l", "2", "-M", "7", "-m", "map", "-m", "P.5", qrels, run)
    topics = [line for line in plain.splitlines() if "\tall\t" not in line]
    assert command("trec_eval", *short).stdout.splitlines() == topics
    assert "--version-profile" in command("trec_eval", "-h").stdout
    page = command("trec_eval", "-h", "-m", "bpref").stdout
    for word in ("Buckley and Voorhees 2004", "differs", "parameter", "select"):
        assert word in page


def test_z_scores_are_distances_in_standard_deviations(tmp_path: Path) -> None:
    """By hand: AP is 1/2 in t1 and 1 in t2; t2 has no reference for P_5."""
    paths = written(tmp_path, "t1 0 a 1\nt2 0 a 1\n", "t1 Q0 b 1 2 x\nt1 Q0 a 2 1 x\nt2 Q0 a 1 1 x\n")
    zscores = str(write(tmp_path / "z", "t1 map 0.25 0.5\nt2 map 0.5 0.25\nt1 P_5 0.2 0\n"))
    options = Options(measures=["map", "P.5", "num_q"], per_topic=True, zscores=zscores)
    assert lines_of(paths, options) == [
        "Zmap                   \tt1\t0.5000",
        "ZP_5                   \tt1\t0.0000",
        "Zmap                   \tt2\t2.0000",
        "ZP_5                   \tt2\t-1000000.0000",
        "Znum_q                 \tall\t2.0000",
        "Zmap                   \tall\t1.2500",
        "ZP_5                   \tall\t-500000.0000",
    ]


def test_unknown_measures_are_told_all_at_once(command: Command) -> None:
    with pytest.raises(UsageError) as caught:
        rows_wanted(["map", "nap", "P.x", "all_terc", "rbp", "utility.1", "ndcg.-1=2"], CATALOG, Options())
    told = str(caught.value).splitlines()
    assert len(told) == 6
    words = ("nearest: map", "nearest: all_trec", '"P.x": cutoffs are numbers', 'unknown measure "rbp"', "takes 4")
    for word in (*words, "a grade below 0 has no gain"):
        assert any(word in line for line in told), word
    outcome = command("trec_eval", "-m", "nap", "no-such-file", "no-such-file")
    assert (outcome.returncode, outcome.stdout) == (1, "")


def test_no_document_is_no_depth(command: Command) -> None:
    assert_refused(command("trec_eval", "-M", "0", "qrels", "run"), "'-M'", "greater than or equal to 1")


@pytest.mark.long
def test_formats_go_with_their_measures(command: Command) -> None:
    case = FIXTURES / "preferences"
    run = next((case / "runs").iterdir())
    outcome = command("trec_eval", "-R", "prefs", "-m", "prefs", case / "prefs.txt", run)
    assert outcome.returncode == 0, outcome.stderr
    names = ["prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret"]
    assert [line.split()[0] for line in outcome.stdout.splitlines()][2:5] == names
    paths = str(case / "prefs.txt"), str(run)
    assert len(lines_of(paths, Options(measures=["all_prefs"], judgments_format="prefs"))) == 16
    paths = str(FIXTURES / "mixed" / "qrels.txt"), str(next((FIXTURES / "mixed" / "runs").iterdir()))
    assert len(lines_of(paths, Options(measures=["qrels_jg"], judgments_format="qrels_jg", judged_only=True))) == 22
    refused = command("trec_eval", "-R", "prefs", "-m", "map", case / "prefs.txt", run)
    assert refused.returncode == 1
    assert "map cannot be calculated from judgments of format prefs" in refused.stderr


def small(tmp_path: Path, qrels: str, run: str, measures: list[str], **options: object) -> list[str]:
    """Names and values printed for files of a few lines."""
    found = lines_of(written(tmp_path, qrels, run), Options(measures=measures, **options))  # type: ignore[arg-type]
    return [" ".join(" ".join(line.split("\t")[::2]).split()) for line in found]


BEYOND = "t Q0 d2 1 3.4028235e38 x\nt Q0 d1 2 1e39 x\nt Q0 d3 3 -1e39 x\nt Q0 d4 4 -3.4028235e38 x\n"
FOUR = "".join(f"t 0 d{at} 1\n" for at in (4, 5, 8, 10))
TEN = "".join(f"t Q0 d{at} 1 {-at} x\n" for at in range(1, 11))
FORTY = "".join(f"t 0 d{at} 1\n" for at in range(40))


@pytest.mark.long
def test_odd_cases_by_hand(tmp_path: Path) -> None:
    ranked = "t Q0 d0 1 9 x\nt Q0 u 2 8 x\nt Q0 v 3 7 x\nt Q0 d1 4 6 x\n"
    tied = "t Q0 d1 1 5 x\nt Q0 d2 2 5 x\n"
    in_prefs = {"depth": 1, "judgments_format": "prefs"}
    cases: list[tuple[str, str, str, dict[str, object], str]] = [
        # Cutoffs that print alike stay two: floor(1.0 + 0.9) is one document, floor(1.2 + 0.9) are two.
        (FORTY, ranked, "iprec_at_recall.0.025,0.03", {}, "1.0000 0.5000"),
        # Scores beyond 32 bits stand above the greatest.
        ("t 0 d1 1\nt 0 d2 0\n", BEYOND, "recip_rank", {}, "1.0000"),
        ("t 0 d4 1\nt 0 d2 0\n", BEYOND, "recip_rank", {}, "0.3333"),
        # Preference measures break ties by the lesser document, so of two tied ones d1 is kept.
        ("t a s d1 1\nt a s d2 0\n", tied, "prefs_simp", in_prefs, "1.0000"),
        # Added from the first rank on, 1/4 + 2/5 + 3/8 + 4/10 stays below 1.425, a fourth of which is 0.35625.
        (FOUR, TEN, "map", {}, "0.3562"),
        # With p of 0 the first document counts alone, with p of 1 nothing is sure; 0 times R documents are none.
        ("t 0 d2 1\n", tied, "rbp.p=0", {"version": "10.0"}, "1.0000"),
        ("t 0 d2 1\n", tied, "rbp_resid.p=1", {"version": "10.0"}, "1.0000"),
        ("t a d1 1\n", tied, "Rprec_mult_avgjg.0,1", {"judgments_format": "qrels_jg"}, "0.0000 0.0000"),
    ]
    for qrels, run, measure, options, values in cases:
        found = small(tmp_path, qrels, run, [measure], **options)
        assert [line.split()[-1] for line in found] == values.split(), measure


@pytest.mark.long
def test_names_are_read_as_generously_as_in_trec_eval(tmp_path: Path, command: Command) -> None:
    qrels, ranked = "t 0 d 1\n", "t Q0 d 1 1 the tag with blanks\n"
    printed_names = [line.split()[0] for line in small(tmp_path, qrels, ranked, ["P.05,23.4", "map.5", "num_q.1"])]
    assert printed_names == ["num_q", "map", "P_5", "P_23"]
    assert small(tmp_path, qrels, ranked, ["runid"])[0].split() == ["runid", "the"]
    outcome = command("trec_eval", "--query", "--level=1", "--meas", "map", tmp_path / "qrels.txt", tmp_path / "a.run")
    assert (outcome.returncode, outcome.stdout.count("\n")) == (0, 2)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_told_in_a_line(tmp_path: Path) -> None:
    qrels, run = write(tmp_path / "qrels.txt", "t 0 d 1\n"), write(tmp_path / "a.run", "t Q0 d 1 1 x\n")
    with Path("/dev/full").open("w") as full:
        outcome = subprocess.run(
            [sys.executable, "-m", "evalsql", "trec_eval", "-m", "map", qrels, run],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert outcome.returncode == 1
    assert outcome.stderr.startswith("evalsql: standard output cannot be written")
    assert "Traceback" not in outcome.stderr
