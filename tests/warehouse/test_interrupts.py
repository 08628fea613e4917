"""Ctrl-C at a moment that is hard to meet."""

from __future__ import annotations

import signal

import duckdb
import pytest

from evalsql.database.engine import interruptible


def test_ctrl_c_just_before_the_engine_begins_stops_the_query() -> None:
    """The engine forgets an interrupt that comes before its query, which would run to its end."""
    stopped: list[duckdb.Error] = []

    def ask() -> None:
        signal.raise_signal(signal.SIGINT)
        try:
            connection.execute("select sum(a.range * b.range % 7) from range(60000) as a, range(60000) as b")
        except duckdb.InterruptException as error:
            stopped.append(error)

    with duckdb.connect() as connection:
        with pytest.raises(KeyboardInterrupt), interruptible(connection):
            ask()
        assert stopped
        assert connection.execute("select 1").fetchall() == [(1,)]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
