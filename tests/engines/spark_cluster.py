"""A Spark standalone master and its workers as processes on loopback, and ways to kill them."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.conftest import ROOT

_MASTER = "org.apache.spark.deploy.master.Master"
_WORKER = "org.apache.spark.deploy.worker.Worker"
_PATIENCE = 300.0  # seconds; a busy machine takes long to start a JVM


def environment() -> dict[str, str]:
    return os.environ | {
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_NO_DAEMONIZE": "1",
    }


def spark_program(name: str) -> Path:
    import pyspark

    return Path(pyspark.__file__).parent / "bin" / name


class Cluster:
    """A master and workers of one core each."""

    def __init__(self, folder: Path, workers: int, memory: str) -> None:
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        self._start("master", 1, _MASTER, "--port", "0")
        self.url = self._told("master", r"Starting Spark master at (spark://\S+)")
        words = ("--port", "0", "-c", "1", "-m", memory, "-d", str(folder), self.url)
        # Each is a host of its own, since Spark starts no task a second time on the host that it runs on.
        self.workers = [self._start(f"worker{nth}", nth + 1, _WORKER, *words) for nth in range(workers)]
        for nth in range(workers):
            self._told(f"worker{nth}", r"(Successfully registered) with master")

    def _start(self, name: str, host: int, kind: str, *words: str) -> subprocess.Popen[bytes]:
        with (self._folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                [str(spark_program("spark-class")), kind, "--host", f"127.0.0.{host}", "--webui-port", "0", *words],
                env=environment(),
                stdout=log,
                stderr=log,
                cwd=self._folder,
            )
        self._processes.append(process)
        return process

    def _told(self, name: str, pattern: str) -> str:
        """What a process says in its log once it is there."""
        deadline = time.monotonic() + _PATIENCE
        log = self._folder / f"{name}.log"
        while time.monotonic() < deadline:
            if found := re.search(pattern, log.read_text(errors="replace")):
                return found[1]
            time.sleep(0.2)
        raise AssertionError(f"{name} does not start:\n{log.read_text(errors='replace')[-2000:]}")

    def executor(self, worker: int) -> int | None:
        """The process of a worker's executor."""
        pid = self.workers[worker].pid
        for child in _children(pid):
            if b"CoarseGrainedExecutorBackend" in _read(Path(f"/proc/{child}/cmdline")):
                return child
        return None

    def kill(self, name: str, worker: int) -> None:
        """Kill an executor, or a worker with its executor, which otherwise may still end its task."""
        pid = self.executor(worker)
        assert pid is not None
        if name == "worker":
            self.workers[worker].kill()
        os.kill(pid, signal.SIGKILL)

    def stop(self) -> None:
        for process in reversed(self._processes):
            process.terminate()
        for process in self._processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def _children(pid: int) -> list[int]:
    threads = Path(f"/proc/{pid}/task").glob("*/children")  # each has those that this thread started
    return [int(text) for children in threads for text in _read(children).split()]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


@contextmanager
def running(folder: Path, workers: int = 2, memory: str = "1g") -> Iterator[Cluster]:
    folder.mkdir(parents=True, exist_ok=True)
    cluster = Cluster(folder, workers, memory)
    try:
        yield cluster
    finally:
        cluster.stop()


@contextmanager
def session_on(cluster: Cluster, settings: Mapping[str, str] | None = None) -> Iterator[Any]:
    """A Spark session of this process."""
    from pyspark.sql import SparkSession

    given = {
        "spark.log.level": "OFF",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.executor.memory": "700m",
        "spark.network.timeout": "240s",
        **(settings or {}),
    }
    builder = SparkSession.builder.master(cluster.url).appName("evalsql tests")
    for key, value in given.items():
        builder = builder.config(key, value)
    with patch.dict(os.environ, environment()):
        session = builder.getOrCreate()
        try:
            yield session
        finally:
            session.stop()


class Killer(threading.Thread):
    """Kills an executor and then a worker, each while both of two workers have a task; counts the tasks that failed."""

    def __init__(self, session: Any, cluster: Cluster, names: Sequence[str] = ("executor", "worker")) -> None:
        super().__init__(daemon=True)
        self._names = names
        self._tracker = session.sparkContext.statusTracker()
        self._cluster = cluster
        self._ended = threading.Event()
        self._failed: dict[tuple[int, int], int] = {}  # by stage and its attempt
        self.killed: list[str] = []

    @property
    def num_failed(self) -> int:
        """Tasks that failed, in all attempts of all stages seen."""
        return sum(self._failed.values())

    def end(self) -> None:
        self._look()
        self._ended.set()
        self.join()

    def run(self) -> None:
        for name in self._names:
            before = self._failed_now()
            while not self._ended.is_set() and not self._both_busy():
                time.sleep(0.05)
            if self._ended.is_set():
                return
            self._cluster.kill(name, len(self.killed))
            self.killed.append(name)
            while not self._ended.is_set() and self._failed_now() <= before:
                time.sleep(0.05)
        while not self._ended.is_set():
            self._look()
            time.sleep(0.2)

    def _both_busy(self) -> bool:
        """Whether both workers have had a task for a while, so that the one to kill is in the middle of its own."""
        for pause in (0.3, 0.0):
            if self._look() < 2 or self._cluster.executor(len(self.killed)) is None:
                return False
            time.sleep(pause)
        return True

    def _failed_now(self) -> int:
        self._look()
        return self.num_failed

    def _look(self) -> int:
        """How many tasks run just now."""
        active = 0
        for stage in {*self._tracker.getActiveStageIds(), *(stage for stage, _ in self._failed)}:
            if info := self._tracker.getStageInfo(stage):
                attempt = (stage, info.currentAttemptId)
                self._failed[attempt] = max(self._failed.get(attempt, 0), info.numFailedTasks)
                active += info.numActiveTasks
        return active
