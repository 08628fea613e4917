"""A warehouse file opened by plain DuckDB clients, old and new, where evalsql is not installed."""

import json
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from tests.evaluation.test_stored_scores import agree

pytestmark = pytest.mark.long

QUESTIONS = {
    "view": "select run, avg(value) from ndcg group by run order by run",
    "macro": "select run, topic, value, dcg from ndcg(k := 10) order by run, topic",
    "tap": "select run, avg(value) from tap(k := 3, quantile := 0.7) group by run order by run",
    "summary": "select run, measure, value from summary order by all",
    "comment": "select comment from duckdb_views() where view_name = 'ndcg'",
    "macro comment": "select distinct comment from duckdb_functions() where function_name = 'ndcg'",
    "column comment": "select comment from duckdb_columns() where table_name = 'ndcg' and column_name = 'idcg'",
    "storage": "select tags['storage_version'] from duckdb_databases() where not internal and path is not null",
    "version": "select version()",
}
PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
import duckdb
try:
    import evalsql
    sys.exit("evalsql is installed here")
except ImportError:
    pass
path, how, questions = sys.argv[2:]
if how == "attach":
    connection = duckdb.connect()
    connection.execute(f"attach '{path}' as other (read_only); use other")
else:
    connection = duckdb.connect(path, read_only=True)
print(json.dumps({name: connection.execute(query).fetchall() for name, query in json.loads(questions).items()}))
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
    outcome = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PROGRAM, client, sample_file, how, json.dumps(QUESTIONS)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stderr
    answers = json.loads(outcome.stdout)
    assert answers["version"] == [[f"v{client.name}"]]
    assert answers["storage"] == [["v1.5.0+"]]
    with duckdb.connect(str(sample_file), read_only=True) as connection:
        for name in ("view", "macro", "tap", "summary"):
            agree(answers[name], connection.execute(QUESTIONS[name]).fetchall())
    title = "nDCG: Normalised discounted cumulative gain"
    assert answers["comment"][0][0].startswith(f"{title}\nDefinition: DCG / ideal DCG")
    ((taken,),) = answers["macro comment"]
    assert taken.startswith(f"{title}\nParameters: k: rank cutoff")
    of_column = (
        "the same sum over the first k of the ideal ranking, the topic's judged documents from the greatest gain down"
    )
    assert answers["column comment"] == [[of_column]]
