"""What Spark's errors mean, in a sentence with the setting to change."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from evalsql.errors import EvalsqlError, UsageError
from evalsql.warehouse.portions import OTHER_VERSION

_LOST = (
    "the JVM of this program's Spark has ended, most often for want of memory, which its log above says; "
    "--conf spark.driver.memory=4g gives it more, in Python SparkSession.builder.config before the session is made"
)
_PYTHON = "PYSPARK_PYTHON names the Python of the executors"
# What stands in an error, and what it means; the first that is found is told.
_MEANINGS = {
    rf"{OTHER_VERSION} of .*": "",
    r"No module named '(?P<module>evalsql|duckdb|pyarrow|pandas|numpy|sqlglot)[.'\w]*": (
        "the Python of the executors has no {module}: pip install 'evalsql[spark]' there, of the same version; "
        + _PYTHON
    ),
    r'Cannot run program "(?P<program>[^"]+)"': f"the executors have no program {{program}}; {_PYTHON}",
    r"PYTHON_VERSION_MISMATCH|Python in worker has different version": (
        f"Python here and on the executors differ in their version; {_PYTHON}, and must be of the same minor version"
    ),
    r"Out of Memory Error.*": (
        "a portion does not go into the memory limit, even with the help of the disk: {0}; raise --memory-limit "
        "(memory_limit), or lower --portion (portion), which does not split a topic"
    ),
    r"java\.lang\.OutOfMemoryError|GC overhead limit": (
        "a JVM of Spark ran out of memory; --conf spark.executor.memory=4g gives executors more, and on one machine "
        "spark.driver.memory"
    ),
    r"exited unexpectedly|\(crashed\)|exit code 137|exitStatus.*137|ExecutorLostFailure": (
        "an executor or its Python was ended, most often for want of memory; lower --memory-limit (memory_limit), or "
        "raise spark.executor.memoryOverhead, or give each executor fewer tasks by spark.executor.cores"
    ),
    r"No space left on device": "no space is left on a disk of the cluster; spark.local.dir names another folder",
    r'No FileSystem for scheme "?(?P<scheme>\w+)': (
        "Spark has no connector for {scheme}: paths; see object storage in evalsql help spark"
    ),
    r"Errno 111|Connection refused|Connection reset|Py4JNetworkError|Answer from Java side is empty|UNAVAILABLE": _LOST,
}
_OURS = re.compile(r"evalsql\.errors\.\w+: (?P<text>.+(?:\n(?!\s|Traceback|\S+Error|JVM stacktrace| SQLSTATE).+)*)")


@contextmanager
def explained() -> Iterator[None]:
    """Errors of Spark that are mistakes of the set-up as UsageError, in a sentence."""
    try:
        yield
    except EvalsqlError:
        raise
    except Exception as error:
        if text := meaning(f"{type(error).__name__}: {error}"):
            raise UsageError(text) from error
        raise


def meaning(text: str) -> str:
    """What an error of Spark means; empty where it is not known."""
    for pattern, told in _MEANINGS.items():
        if found := re.search(pattern, text):
            return told.format(found[0], **found.groupdict()) if told else found[0]
    return ours["text"] if (ours := _OURS.search(text)) else ""
