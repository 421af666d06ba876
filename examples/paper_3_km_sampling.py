"""
What a censored patient contributes: Kaplan–Meier sampling
==========================================================

The paper's third figure: times of a censored patient are drawn from the Kaplan–Meier
curve given survival so far. The exact law, which consurv's rule ``"kaplan-meier"``
takes unless ``n_samples`` asks for draws, is the limit of many draws.
"""

import numpy as np
from _patients import CSD, GREY, RAW, case
from _pictures import save
from matplotlib.figure import Figure

from consurv import KaplanMeier

pbc = case()
km = KaplanMeier(pbc.train[1])
censored = pbc.train[1].time[~pbc.train[1].event]
c = float(np.quantile(censored, 0.25))
times = np.linspace(0, km.t_end, 600)
law = np.where(times <= c, 1.0, km.survival_at(times) / km.survival_at(c))
draws = km.sample([c], 1000, 0)[0]
figure = Figure(figsize=(9, 3.4), layout="constrained")
left, right = figure.subplots(1, 2)
left.plot(times, km.survival_at(times), color=GREY, label="Kaplan–Meier")
left.plot(times, law, color=RAW, label=f"given survival of {c:.0f} days")
left.axvline(c, color=GREY, ls="--")
left.set(xlabel="days", ylabel="survival")
left.legend(frameon=False)
right.hist(draws, 40, color=CSD, density=True, label="1,000 draws")
right.set(xlabel="days", ylabel="density of the draws")
shares = right.twinx()
shares.plot(times, law, color=RAW, label="exact law")
shares.plot(np.sort(draws), 1 - np.arange(1, 1001) / 1000, color="k", lw=0.7)
save(
    figure,
    __file__,
    "Left: the Kaplan-Meier curve and the same curve given survival until a censoring "
    "time. Right: a histogram of 1,000 draws from it, whose share lies on the exact "
    "law.",
)
