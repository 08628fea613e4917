"""Input that nobody means: what takes it, and the seeds it is made from; ``python -m tests.fuzz SECONDS`` runs it."""
