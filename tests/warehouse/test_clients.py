"""A warehouse file opened by plain DuckDB clients, old and new, where evalsql is not installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

pytestmark = pytest.mark.long

QUESTIONS = """
import json, sys, duckdb
try:
    import evalsql
    sys.exit("evalsql is installed here")
except ImportError:
    pass
path, attach = sys.argv[1], sys.argv[2] == "attach"
if attach:
    connection = duckdb.connect()
    connection.execute(f"attach '{path}' as other (read_only); use other")
else:
    connection = duckdb.connect(path, read_only=True)
rows = lambda query: connection.execute(query).fetchall()
print(json.dumps({
    "version": duckdb.__version__,
    "view": rows("select run, avg(value) from ndcg group by run order by run"),
    "macro": rows("select run, topic, value, dcg from ndcg(k := 10) order by run, topic"),
    "tap": rows("select run, avg(value) from tap(k := 3, quantile := 0.7) group by run order by run"),
    "summary": rows("select run, measure, value from summary order by all"),
    "comment": rows("select comment from duckdb_views() where view_name = 'ndcg'"),
    "macro comment": rows("select distinct comment from duckdb_functions() where function_name = 'ndcg'"),
    "column comment": rows("select comment from duckdb_columns() where table_name = 'ndcg' and column_name = 'idcg'"),
    "storage": rows("select tags['storage_version'] from duckdb_databases() where not internal and path is not null"),
}))
"""


@pytest.fixture(scope="session", params=["1.5.6", "2.0.0"])
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with that version of duckdb and nothing else."""
    folder = tmp_path_factory.mktemp("client") / str(request.param)
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", folder, f"duckdb=={request.param}"],
        check=True,
        capture_output=True,
        timeout=900,
    )
    return folder


@pytest.mark.parametrize("how", ["open", "attach"])
def test_plain_clients_get_the_same_figures(client: Path, sample_file: Path, how: str) -> None:
    # -I leaves out the folder of the checkout and of installed packages that are not in the target.
    script = f"import sys; sys.path.insert(0, {str(client)!r})\n" + QUESTIONS
    outcome = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script, sample_file, how],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stderr
    answers = json.loads(outcome.stdout)
    assert answers["version"] == client.name
    assert answers["storage"] == [["v1.5.0+"]]
    with duckdb.connect(str(sample_file), read_only=True) as connection:

        def here(query: str) -> list[list[object]]:
            return [list(row) for row in connection.execute(query).fetchall()]

        assert close(answers["view"], here("select run, avg(value) from ndcg group by run order by run"))
        assert close(answers["macro"], here("select run, topic, value, dcg from ndcg(k := 10) order by run, topic"))
        assert close(answers["summary"], here("select run, measure, value from summary order by all"))
        assert close(
            answers["tap"],
            here("select run, avg(value) from tap(k := 3, quantile := 0.7) group by run order by run"),
        )
    assert answers["comment"][0][0].startswith(
        "nDCG: Normalised discounted cumulative gain\nParameters: k: rank cutoff"
    )
    assert answers["macro comment"] == answers["comment"]
    assert answers["column comment"] == [
        ["the same sum for the judged documents of the topic in the order of their gain"]
    ]


def close(ours: list[list[object]], theirs: list[list[object]]) -> bool:
    """Equal but for the last bits, which the order of summing moves."""
    return len(ours) == len(theirs) > 0 and all(
        left == right or (isinstance(left, float) and left == pytest.approx(right, abs=1e-12))
        for one, other in zip(ours, theirs, strict=True)
        for left, right in zip(one, other, strict=True)
    )
