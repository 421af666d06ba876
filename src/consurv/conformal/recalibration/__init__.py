"""Recalibration by maximum likelihood: an accelerated map, then hazard ratios by risk.

In the order of the method: ``tails`` and ``drops`` make raw curves continuous,
``shapes`` reads them, ``windows`` reads the outcomes; ``time_map`` is stage (a), with
``likelihood``, ``ascent`` and ``map_fit`` to find it; ``risk``, ``ratios``, ``counts``
and ``poisson`` are stage (b); ``order`` holds the order of medians; ``recalibration``
applies all of it and ``search`` finds it from blocks of subjects.
"""
