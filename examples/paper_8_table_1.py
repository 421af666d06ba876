"""
The paper's Table 1
===================

The datasets of the experiments, as far as they are on this machine.
"""

import sys
from pathlib import Path

from consurv.datasets import describe_datasets, load_dataset

lines = [
    "| dataset | subjects | censored | largest time | features |",
    "|---|---|---|---|---|",
]
table = describe_datasets()
for name in table.index[table["here"]]:
    data = load_dataset(name)
    y = data.outcome
    censored = 1 - y.n_events / len(y)
    facts = name, f"{len(y):,}", f"{censored:.2%}", f"{y.time.max():g}", data.X.shape[1]
    lines.append(f"| {' | '.join(map(str, facts))} |")
text = "\n".join(lines) + "\n"
if len(sys.argv) > 1:
    Path(sys.argv[1]).write_text(text)
sys.stdout.write(text)
