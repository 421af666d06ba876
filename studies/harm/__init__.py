"""Does calibrating harm? Every kind of adjustment against the raw model on real data.

The raw model is trained on all training rows. Kinds are cross-fitted: the conformal
subjects are predicted out of fold, and what is found is applied to that same raw model,
as ``ConformalSurvival`` does it. ``python -m studies.harm`` runs it.
"""
