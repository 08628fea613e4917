"""The command line as a user runs it: data on standard output only, exit codes, formats, confinement."""

import json
import subprocess
import sys
import warnings
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

import evalsql
from evalsql import InputWarning, QueryError, UsageError
from evalsql.evaluation import notices
from tests.conftest import FIXTURES, ROOT, SAMPLE, Command, csv_rows, new_file, write
from tests.long_cases import few_of

QRELS, RUNS = SAMPLE / "qrels.txt", SAMPLE / "runs"
LEADERBOARD = ("leaderboard", "-m", "nDCG@10", "-m", "AP P@10", "--db")


def test_demo_builds_a_warehouse_and_prints_its_leaderboard(process: Command, tmp_path: Path) -> None:
    outcome = process("demo")
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout.splitlines()[0].split()[:3] == ["qrels", "run", "nDCG@10"]
    assert len(outcome.stdout.splitlines()) == 10
    assert "tfidf misses 1 of 40 topics" in outcome.stderr
    assert (tmp_path / "evalsql-demo.duckdb").exists()


@pytest.mark.parametrize(
    ("arguments", "code"),
    few_of(
        [
            (("eval", QRELS, "-", "-m", "AP", "--format", "csv"), 0),
            (("ties", "-m", "RR", "--db", "{sample}"), 1),
            (("sql", "from read_csv('/etc/passwd')", "--db", "{sample}"), 2),
            (("leaderboard",), 3),
            (("sql", "select 'ä' as a, 1/3 as b", "--db", "{sample}"), 0),
            (("nonsense",), 2),
            (("trec_eval", QRELS, FIXTURES / "mixed" / "runs" / "system.run"), 7),
        ],
        1,
    ),
)
def test_a_process_of_its_own_says_what_the_function_says(
    command: Command, process: Command, sample_file: Path, arguments: tuple[object, ...], code: int
) -> None:
    """Most commands are tested in this process; here both streams and the exit code are those of a user's."""
    stdin = (RUNS / "dense.run").read_text() if "-" in arguments else ""
    arguments = tuple(sample_file if argument == "{sample}" else argument for argument in arguments)
    theirs, ours = (run(*arguments, stdin=stdin) for run in (process, command))
    assert theirs.returncode == ours.returncode == code
    assert theirs.stdout == ours.stdout
    assert theirs.stderr == ours.stderr
    assert ours.stdout or ours.stderr


def test_the_sample_is_what_its_script_makes(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "tests" / "tools" / "make_sample.py", tmp_path], check=True)
    for path in [QRELS, *RUNS.iterdir()]:
        assert (tmp_path / path.relative_to(SAMPLE)).read_bytes() == path.read_bytes()


def test_load_ls_and_leaderboard(command: Command) -> None:
    loaded = command("load", "qrels", QRELS, "--name", "sample", "--meta", "source=synthetic")
    assert (loaded.returncode, loaded.stdout) == (0, "")
    assert loaded.stderr == "loaded judgments sample: 944 judgments of 40 topics; read as TREC\n"
    loaded = command("load", "runs", f"{RUNS}/*.run", "--qrels", "sample", "--meta", "lr=0.1")
    assert (loaded.returncode, loaded.stdout) == (0, "")
    assert "loaded 8 runs: 12,760 documents retrieved; read as TREC (8 files)\n" in loaded.stderr
    held = csv_rows(command("ls", "--format", "csv").stdout)
    assert [row["name"] for row in held][:2] == ["sample", "bm25"]
    assert {row["name"]: row["missing_topics"] for row in held}["tfidf"] == "1"
    board = csv_rows(command(*LEADERBOARD, "evalsql.duckdb", "--format", "csv").stdout)
    assert list(board[0]) == ["qrels", "run", "nDCG@10", "AP", "P@10"]
    values = [float(row["nDCG@10"]) for row in board]
    assert len(values) == 8
    assert values == sorted(values, reverse=True)
    assert command("sql", "select distinct meta['lr'] as lr from runs", "--format", "csv").stdout == "lr\n0.1\n"


def test_eval_in_one_go_leaves_no_file(command: Command, tmp_path: Path) -> None:
    asked = ("-m", "AP", "-m", "NumRet", "--format", "csv")
    outcome = command("eval", QRELS, RUNS / "dense.run", RUNS / "bm25.run", *asked)
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stderr == ""  # no topic is missed or left out
    dense, bm25 = csv_rows(outcome.stdout)
    assert (dense["run"], dense["NumRet"], bm25["run"], bm25["NumRet"]) == ("dense", "1600.0", "bm25", "1600.0")
    (piped,) = csv_rows(command("eval", QRELS, "-", *asked, stdin=(RUNS / "dense.run").read_text()).stdout)
    assert piped == {**dense, "run": "run"}
    per_topic = command("eval", QRELS, RUNS / "dense.run", "-m", "AP", "-q", "--format", "jsonl")
    first, *others = map(json.loads, per_topic.stdout.splitlines())
    assert (list(first), len(others)) == (["qrels", "run", "topic", "measure", "value"], 39)
    assert list(tmp_path.iterdir()) == []


def test_a_memory_limit_is_for_all_and_what_is_beyond_it_is_told(command: Command, sample_file: Path) -> None:
    """The engine gets three fifths of it."""
    asked = command("sql", "select current_setting('memory_limit')", "--memory-limit", "300MiB", "--db", sample_file)
    assert "180.0 MiB" in asked.stdout
    outcome = command("eval", QRELS, RUNS / "dense.run", "--memory-limit", "1MB")
    assert (outcome.returncode, "Out of Memory" in outcome.stderr, "Traceback" in outcome.stderr) == (2, True, False)


def test_sql_does_when_told_to(demo: Command, tmp_path: Path) -> None:
    assert demo("sql", "create table mine as select 1 as x", "--write").returncode == 0
    assert demo("sql", "from mine", "--format", "tsv").stdout == "x\n1\n"
    assert demo("sql", "copy (from ap) to 'ap.csv'", "--write").returncode == 2
    assert demo("sql", "copy (from ap) to 'ap.csv'", "--external").returncode == 0
    assert len((tmp_path / "ap.csv").read_text().splitlines()) == 321


def test_sql_reads_standard_input_and_shows_every_kind_of_value(command: Command, sample_file: Path) -> None:
    query = "select 1 as i, 0.5::double as d, null as n, [1, 2] as l, date '2026-01-02' as t, true as b, 'a,b' as s"
    outcome = command("sql", "-", "--db", sample_file, "--format", "json", stdin=query)
    assert json.loads(outcome.stdout) == [
        {"i": 1, "d": 0.5, "n": None, "l": [1, 2], "t": "2026-01-02", "b": True, "s": "a,b"}
    ]
    told = "only the rows of the last statement are written"
    assert told not in outcome.stderr
    query += "; select to_timestamp(0) as z, true as b, 'a,b' as s"
    outcome = command("sql", query, "--db", sample_file, "--format", "csv")
    assert told in outcome.stderr
    header, written = outcome.stdout.splitlines()
    assert (header, written.partition(",")[2]) == ("z,b,s", 'True,"a,b"')
    assert datetime.fromisoformat(written.partition(",")[0]) == datetime.fromtimestamp(0, UTC)


@pytest.mark.long
def test_all_formats_and_extensions_agree(command: Command, sample_file: Path, tmp_path: Path) -> None:
    board = (*LEADERBOARD, sample_file)
    exact = json.loads(command(*board, "--format", "json").stdout)
    texts = {}
    for extension in ("csv", "tsv", "jsonl", "md", "tex"):
        assert command(*board, "-o", f"figures.{extension}").stdout == ""
        texts[extension] = (tmp_path / f"figures.{extension}").read_text()
    assert command(*board, "--format", "latex").stdout == texts["tex"]
    assert csv_rows(texts["csv"]) == csv_rows(texts["tsv"].replace("\t", ","))
    assert [float(row["AP"]) for row in csv_rows(texts["csv"])] == [row["AP"] for row in exact]
    assert list(map(json.loads, texts["jsonl"].splitlines())) == exact
    table = command(*board).stdout.splitlines()[2:]
    markdown, latex = texts["md"].splitlines()[2:], texts["tex"].splitlines()[5:13]
    for row, text, pipes, ampersands in zip(exact, table, markdown, latex, strict=True):
        figures = [row["run"], *(f"{row[name]:.4f}" for name in ("nDCG@10", "AP", "P@10"))]
        assert text.split()[2:] == figures
        assert [cell.strip().replace("\\", "") for cell in pipes.strip("|").split("|")][2:] == figures
        best = [f"{max(each[name] for each in exact):.4f}" for name in ("nDCG@10", "AP", "P@10")]
        cells = [f"\\textbf{{{each}}}" if each == top else each for each, top in zip(figures[1:], best, strict=True)]
        assert [cell.strip() for cell in ampersands.removesuffix(" \\\\").split("&")][2:] == [row["run"], *cells]
    falling = command(*board, "--sort", "run", "--limit", "3").stdout.splitlines()[2:]
    by_name = sorted(exact, key=lambda row: row["run"])[:3]
    assert [line.split()[0] for line in falling] == [str(exact.index(row) + 1) for row in by_name]
    assert f"{exact[0]['AP']:.2f} " in command(*board, "--digits", "2").stdout


@pytest.mark.long
def test_odd_names_are_text_in_every_format(command: Command, tmp_path: Path) -> None:
    name = 'a_b [red] |x| <i> $5 & "q"'
    write(tmp_path / f"{name}.run", (FIXTURES / "mixed" / "runs" / "system.run").read_text())
    arguments = ("eval", FIXTURES / "mixed" / "qrels.txt", tmp_path / f"{name}.run", "-m", "AP")
    assert name in command(*arguments).stdout
    assert json.loads(command(*arguments, "--format", "json").stdout)[0]["run"] == name
    assert csv_rows(command(*arguments, "--format", "csv").stdout)[0]["run"] == name
    assert r"a\_b \[red\] \|x\| \<i\> \$5 \& " in command(*arguments, "--format", "markdown").stdout
    in_latex = r"a\_b {[}red{]} \textbar{}x\textbar{} \textless{}i\textgreater{} \$5 \& "
    assert in_latex in command(*arguments, "--format", "latex").stdout


def test_measures_lists_the_catalogue_and_shows_a_page(command: Command) -> None:
    rows = csv_rows(command("measures", "--format", "csv").stdout)
    for row in rows:
        for key in ("measure", "title", "definition", "reference", "differs", "range", "mean", "example"):
            assert row[key], (row["measure"], key)
    found = csv_rows(command("measures", "cumulative gain", "--format", "csv").stdout)
    searched = {row["measure"] for row in rows if "cumulative gain" in f"{row['title']} {row['aliases']}".lower()}
    assert 1 < len(found) < len(rows)
    assert {row["measure"] for row in found} == searched
    page = command("measures", "ndcg_cut.10").stdout
    assert "Jarvelin and Kekalainen 2002" in page
    assert "from evaluated_topics" in page


def test_of_very_many_ties_only_the_number_is_told(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = range(11)
    monkeypatch.setattr(notices, "MOST_TIED", 21)
    write(tmp_path / "qrels.txt", "".join(f"t 0 d{document} {document % 2}\n" for document in documents))
    for run in ("one", "other"):
        write(tmp_path / f"{run}.run", "".join(f"t Q0 d{document} 1 1 {run}\n" for document in documents))
    answer = command("eval", "qrels.txt", "one.run", "other.run", "-m", "AP")
    assert answer.returncode == 0
    assert "ties: 22 judged documents are tied; asking for " in answer.stderr
    assert "ties" not in command("eval", "qrels.txt", "one.run", "-m", "AP").stderr


@pytest.mark.long
def test_ties_that_could_change_the_order_are_told(command: Command, tmp_path: Path) -> None:
    """Two systems that each have one relevant document among tied ones: the worse may be the better."""
    qrels = write(tmp_path / "qrels.txt", "t1 0 a 1\nt2 0 a 1\n")
    scores = {"low": (1, 1, 2, 1), "high": (1, 2, 1, 2), "tied": (1, 1, 1, 1)}  # of a and b in t1, then in t2
    rows = ("t1 Q0 a 1 {} x", "t1 Q0 b 2 {} x", "t2 Q0 a 1 {} x", "t2 Q0 b 2 {} x\n")
    runs = [write(tmp_path / f"{name}.run", "\n".join(rows).format(*of)) for name, of in scores.items()]
    new_file(tmp_path).rename(tmp_path / "evalsql.duckdb")
    command("load", "qrels", qrels)
    command("load", "runs", *runs)
    told = (
        "ties: tied lies between 0.5000 and 1.0000 on RR, the widest span; 1 pair of runs could change places under "
        "other orders of tied documents; "
    )
    assert told + 'evalsql ties -m "RR" shows all' in command("leaderboard", "-m", "RR").stderr
    outcome = command("ties", "-m", "RR NumRet", "--format", "csv")
    assert (outcome.returncode, "low over tied" in outcome.stderr, "NumRet" in outcome.stderr) == (1, True, True)
    found = {row["run"]: row for row in csv_rows(outcome.stdout)}
    assert {run: [float(row[key]) for key in ("worst", "value", "expected", "best")] for run, row in found.items()} == {
        "low": [0.75, 0.75, 0.875, 1.0],
        "high": [0.5, 0.5, 0.5, 0.5],
        "tied": [0.5, 0.5, 0.75, 1.0],
    }
    worst, best = "RR(ties='worst')", "RR(ties='best')"
    in_memory = command("eval", qrels, *runs, "--format", "csv", "-m", "RR", "-m", worst, "-m", best)
    assert f'{told}asking for "{worst}" and "{best}" shows all' in in_memory.stderr
    for row in csv_rows(in_memory.stdout):
        assert (row[worst], row[best]) == (found[row["run"]]["worst"], found[row["run"]]["best"])
    assert command("ties", "-m", "RR", "low", "high").returncode == 0
    assert "ties:" not in command("leaderboard", "-m", "RR", "high").stderr
    assert command("check", "--quick").returncode == 0


def test_groups_of_measures_make_a_leaderboard(command: Command) -> None:
    outcome = command("eval", QRELS, RUNS / "bm25.run", "-m", "all_trec", "-m", "Success", "--format", "json")
    assert outcome.returncode == 0, outcome.stderr
    (row,) = json.loads(outcome.stdout)
    assert {"AP", "nDCG@1000", "IPrec@0.3", "Rprec(multiple=0.2)", "Utility", "infAP", "Success@10"} <= set(row)
    # 92 figures of trec_eval, of which Rprec and Rprec_mult_1.00 are one, and two names.
    assert len(row) == 93


def test_eval_tells_what_keep_best_left_out(command: Command, tmp_path: Path) -> None:
    qrels, run = write(tmp_path / "q.txt", "1 0 a 1\n"), write(tmp_path / "r.run", "1 Q0 a 1 2 x\n1 Q0 a 2 1 x\n")
    done = command("eval", qrels, run, "-m", "AP", "--keep-best", "--format", "csv")
    assert (done.returncode, done.stdout) == (0, "qrels,run,AP\nq,r,1.0\n")
    assert done.stderr.startswith("r: 1 repeated document left out\n")


@pytest.mark.long
def test_a_measure_that_scores_do_not_have_is_told_with_what_has_it(command: Command, sample_file: Path) -> None:
    for name, said in {
        "nDCG@20": "nDCG@20: the view scores does not have it; from ndcg(k := 20) does\n",
        "MAP": "MAP: the view scores calls it AP\n",
        "AP": "",
        "no measure": "",
    }.items():
        query = f"select distinct measure from scores where measure = '{name}'"
        own = f"with scores as (select '{name}' as measure) {query}"
        assert command("sql", own, "--db", sample_file, "--format", "csv").stdout == f"measure\n{name}\n"
        outcome = command("sql", query, "--db", sample_file, "--format", "csv")
        assert (outcome.stdout, outcome.stderr.removeprefix("evalsql: ")) == (
            "measure\n" + "AP\n" * (name == "AP"),
            said,
        )


@pytest.mark.long
def test_what_reads_scores_tells_it_too_and_knows_its_baseline(sample_file: Path) -> None:
    with evalsql.open(sample_file, read_only=True) as warehouse:
        for reader in ("summary", "comparisons(baseline := 'bm25')", "tie_effects", "paired_differences()", "history"):
            view = reader.partition("(")[0]
            with pytest.warns(InputWarning, match=f"MAP: the view scores, which {view} reads, calls it AP") as told:
                warehouse.sql(f"from {reader} where measure in ('MAP', 'AP')")
            assert Path(told[0].filename) == Path(__file__)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warehouse.sql("from coverage where qrels = 'MAP'")
            warehouse.sql("from summary where measure = 'AP'")
        for macro in ("comparisons", "paired_differences", "t_tests"):
            with pytest.raises(duckdb.Error, match="baseline is bm52, and no run is called so"):
                warehouse.sql(f"from {macro}(baseline := 'bm52')").fetchall()
        with pytest.raises(UsageError, match="a parameter is given by :="):
            warehouse.sql("from comparisons(baseline = 'bm25')")
        with pytest.raises(QueryError, match='column "baseline" not found'):
            warehouse.sql("from comparisons(baseline)")
