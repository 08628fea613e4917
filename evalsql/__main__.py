"""``python -m evalsql`` is the command ``evalsql``."""

from evalsql.cli import main

main()
