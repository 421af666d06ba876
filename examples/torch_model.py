"""
A network of your own in torch
==============================

A torch module that gives two numbers for each patient, trained by a Weibull likelihood
for too long. `FromTorch` says what the numbers mean; that is all that consurv has to
know.
"""

import torch
from _pictures import panels, save
from _truth import draw, people, tell_groups

from consurv import ConformalSurvival
from consurv.datasets import make_weibull
from consurv.models import FromTorch

torch.manual_seed(0)
data, new = make_weibull(600, censoring=0.25, random_state=5), people(5)
train, fresh = slice(0, 200), slice(200, 600)

# %%
# A small network and 500 steps on 200 patients: it knows them by heart.
net = torch.nn.Sequential(
    torch.nn.Linear(5, 64), torch.nn.Tanh(), torch.nn.Linear(64, 2)
)
x = torch.tensor(data.X[train].to_numpy(), dtype=torch.float32)
time = torch.tensor(data.y["time"][train].copy(), dtype=torch.float32)
event = torch.tensor(data.y["event"][train].copy())
optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
for _ in range(500):
    log_scale, log_shape = net(x).T
    z = log_shape.exp() * (time.log() - log_scale)
    loss = (z.exp() - event * (z + log_shape)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %%
# 400 other patients calibrate it.
model = ConformalSurvival(FromTorch(net, "weibull"))
model.conformalize(data.X[fresh].to_numpy(), data.y[fresh])
raw, calibrated = model.predict_both(new.X.to_numpy())

figure, (left, right) = panels(2, 4.2, 4.2)
draw(left, new, raw, "raw")
draw(right, new, calibrated, "calibrated")
left.set_ylabel("true survival")
tell_groups(left, "lower right")
save(
    figure,
    __file__,
    "True against promised survival by fifths of risk of a torch network. Raw lines "
    "fan out around the diagonal: the network is too sure who is at risk. Calibrated "
    "lines are close to it.",
)
