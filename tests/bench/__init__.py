"""Speed beside the peers, in one run on one machine: ``python -m tests.bench``."""
