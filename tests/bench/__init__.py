"""Speed, memory and size beside the peers, in one run on one machine: ``python -m tests.bench``.

``__main__`` takes the options, ``works``, ``growing`` and ``comparing`` hold the benchmarks, ``collection`` the runs
and judgments, ``processes`` times commands (by ``launcher``), ``peers`` those of other programs (by ``peer_work``),
``query_work`` and ``statistics_work`` ask an open warehouse, ``report`` writes what came out, ``machine`` says where.
"""
