"""How far a reader walks: files and functions behind ``fit`` and a prediction.

``python -m benchmarks.walk`` follows every call inside the package through its public
interface alone, so that two states of the code can be held against each other.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import consurv
from consurv import ConformalSurvival
from consurv.datasets import make_weibull
from consurv.models import CoxPH

__all__ = ["Walk", "follow", "measure"]

ROOT = str(Path(consurv.__file__).parent)


@dataclass
class Walk:
    """What was passed through between a call and its return.

    Attributes
    ----------
    functions : set of code objects
        Named ones: comprehensions and lambdas belong to what holds them.
    hops : set of pairs of files
        From where to where, once each.
    switches : int
        How often the file that runs was another one than before.
    values : set of types
        Dataclasses and named tuples of the package that were made.
    """

    functions: set[CodeType] = field(default_factory=set)
    hops: set[tuple[str, str]] = field(default_factory=set)
    switches: int = 0
    values: set[type] = field(default_factory=set)

    @property
    def files(self) -> set[str]:
        """The files of the functions."""
        return {code.co_filename for code in self.functions}

    def counts(self) -> dict[str, int]:
        """Return the numbers by name."""
        return {
            "files": len(self.files),
            "functions": len(self.functions),
            "file to file": len(self.hops),
            "switches": self.switches,
            "value types": len(self.values),
            "of conformal": sum(
                kind.__module__.startswith("consurv.conformal") for kind in self.values
            ),
        }


def follow(call: Callable[[], object]) -> Walk:
    """Run *call* and return what it passed through in this thread."""
    walk = Walk()
    stack: list[str] = []

    def move(before: list[str], after: list[str]) -> None:
        if before and after and before[-1] != after[-1]:
            walk.switches += 1
            walk.hops.add((before[-1], after[-1]))

    def profile(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if not code.co_filename.startswith(ROOT):
            if event == "call" and (made := _made_by(frame)) is not None:
                walk.values.add(made)
        elif event == "call":  # also where a generator goes on
            if not code.co_name.startswith("<"):
                walk.functions.add(code)
            stack.append(code.co_filename)
            move(stack[:-1], stack)
        elif event == "return" and stack:
            left = stack.pop()
            move([left], stack)

    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
    return walk


def _made_by(frame: FrameType) -> type | None:
    """Return the value type of the package whose generated constructor runs here."""
    code = frame.f_code
    # Both kinds of constructor are compiled from text.
    if not code.co_filename.startswith("<string>"):
        return None
    first = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
    if code.co_name == "__init__":
        found = type(first)
    elif isinstance(first, type):  # a named tuple's __new__
        found = first
    else:
        return None
    return found if found.__module__.split(".")[0] == "consurv" else None


def measure(n: int = 300) -> dict[str, Walk]:
    """Follow training and prediction with simulated data of *n* subjects."""
    data = make_weibull(n, random_state=0)
    paper = {"adjustment": "time", "conformal_set": "paper"}
    models = [
        ConformalSurvival(CoxPH(), random_state=0, **how) for how in ({}, {}, paper)
    ]
    # Once before: modules that are imported on demand are no part of the walk.
    first, model, shifted = (each.fit(data.X, data.y) for each in models)
    first.predict_survival_function(data.X)
    return {
        "fit": follow(lambda: model.fit(data.X, data.y)),
        "by shifts": follow(lambda: shifted.fit(data.X, data.y)),
        "predict": follow(lambda: model.predict_survival_function(data.X)),
    }


def main() -> None:
    """Print the numbers of both walks side by side."""
    walks = {name: walk.counts() for name, walk in measure().items()}
    print(" " * 14, *(f"{name:>9}" for name in walks))
    for what in walks["fit"]:
        print(f"{what:<14}", *(f"{counts[what]:9,}" for counts in walks.values()))


if __name__ == "__main__":
    main()
