"""Trials that take minutes and end in counts: ``python -m tests.trials [NAME [COUNT]]``; see the guide on safety."""
