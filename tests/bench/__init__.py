"""Speed, memory and size beside the peers, in one run on one machine: ``python -m tests.bench``.

``__main__`` takes the options; ``works``, ``doors``, ``growing``, ``site_work`` and ``team`` hold the
benchmarks, ``stage`` what they share, ``collection`` the runs and judgments. ``processes`` times commands (by
``launcher``), ``timed`` what is timed within a process. ``report`` writes what came out, ``machine`` says where.
"""
