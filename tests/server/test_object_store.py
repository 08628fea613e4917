"""Runs and judgments of an object store are those of the files: DuckDB's httpfs asks a server of S3 on this machine."""

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import evalsql
from evalsql.ingest.files import input_files
from evalsql.ingest.files.source import without_keys
from tests.conftest import SAMPLE, assert_refused, in_process, write
from tests.server.served import HAS_SERVER

HAS_STORE = HAS_SERVER and importlib.util.find_spec("moto") is not None
pytestmark = [
    pytest.mark.skipif(not HAS_STORE and not os.environ.get("EVALSQL_DEMAND_SERVER"), reason="no httpfs or no moto"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"}


@pytest.fixture(scope="module")
def store() -> Iterator[None]:
    """A server whose bucket ``nightly`` holds the sample's judgments and, in a folder, its runs."""
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    url = "http://{}:{}".format(*server.get_host_and_port())
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**KEYS, "AWS_DEFAULT_REGION": "us-east-1", "AWS_ENDPOINT_URL": url}.items():
            patch.setenv(name, value)
        client = boto3.client("s3")
        client.create_bucket(Bucket="nightly")
        client.upload_file(str(SAMPLE / "qrels.txt"), "nightly", "qrels.txt")
        for path in (SAMPLE / "runs").iterdir():
            client.upload_file(str(path), "nightly", f"runs/{path.name}")
        yield
    server.stop()


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("scheme", ["s3", "s3a"])
def test_a_bucket_gives_the_figures_of_its_files(scheme: str, tmp_path: Path) -> None:
    asked = ("-m", "AP", "--format", "csv")
    there, here = (
        in_process(tmp_path, ["eval", f"{place}/qrels.txt", f"{place}/runs/*", *asked], "")
        for place in (f"{scheme}://nightly", SAMPLE)
    )
    assert (there.returncode, there.stdout) == (0, here.stdout)
    assert here.stdout.count("\n") == 1 + len(list((SAMPLE / "runs").iterdir()))


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("name", ["s3://nightly/runs/none.run", "s3://none/runs/*"])
def test_what_the_store_does_not_have_is_named_and_nothing_is_loaded(name: str, tmp_path: Path) -> None:
    outcome = in_process(tmp_path, ["load", "runs", name], "")
    assert_refused(outcome, name, "the store says", "404", "nothing was loaded")


URL = "https://reader:password@example.org/runs/a.run?X-Amz-Signature=password&x=1/2@3"


def test_a_warehouse_keeps_no_keys_of_urls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = write(tmp_path / "a.run", "q1 Q0 d1 1 1 t\n")
    monkeypatch.setattr(input_files, "copy_object", lambda name, path: path.write_bytes(run.read_bytes()))
    monkeypatch.setattr(input_files, "objects_named", lambda name: [name])
    with evalsql.open(":memory:") as warehouse:
        warehouse.load_qrels({"q1": {"d1": 1}}, "q")
        assert warehouse.load_runs(URL) == ["a"]
        assert warehouse.rows("select file from files where kind = 'run'") == [("https://example.org/runs/a.run",)]
    assert without_keys("s3://bucket/a@b/c.run") == "s3://bucket/a@b/c.run"
    assert without_keys("http://u:p@q@[::1]:80?a=b") == "http://[::1]:80"


@pytest.mark.parametrize("url", ["http://reader:password@localhost:1/a.run?key=password", "https://reader:password@"])
def test_what_is_told_of_a_url_holds_no_keys(url: str, tmp_path: Path) -> None:
    outcome = in_process(tmp_path, ["load", "runs", url], "")
    assert_refused(outcome, "nothing was loaded")
    assert "password" not in outcome.stderr
