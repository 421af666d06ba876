"""``consurv info``: what a saved model is, without loading it."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text

from consurv._labels import listed_labels
from consurv._weights import Weighing
from consurv.cli.console import stdout
from consurv.cli.predict import ModelFile
from consurv.keep import read_manifest

__all__ = ["info"]

# Names of features that fit a screen.
_MANY = 12


def info(model: ModelFile) -> None:
    """Show what a saved model is; nothing in the file is run."""
    manifest = read_manifest(model)
    table = Table(title=Text(model.name), show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for fact, value in _facts(manifest).items():
        table.add_row(fact, Text(value))
    stdout().print(table)


def _facts(manifest: dict[str, Any]) -> dict[str, str]:
    libraries = {"consurv": manifest["consurv"], **manifest["libraries"]}
    pickled = ", ".join(manifest["pickled"])
    about = _about_curves if manifest.get("bound") is None else _about_bound
    return {
        "model": str(manifest.get("model")),
        "features": _features(manifest),
        **about(manifest),
        "saved with": ", ".join(f"{k} {v}" for k, v in libraries.items()),
        "file version": str(manifest["version"]),
        "pickles": f"of {pickled}: load it only if you trust it" if pickled else "none",
    }


def _about_curves(manifest: dict[str, Any]) -> dict[str, str]:
    """Return what there is to know of a ConformalSurvival."""
    return {
        "unit of time": str(manifest.get("time_unit") or "not known"),
        "adjustment": str(manifest.get("adjustment")),
        "percentile levels": str(len(manifest.get("levels") or ())),
        "conformal set": f"{manifest.get('conformal_set')}: "
        f"{manifest.get('n_conformal')} subjects{_weighed(manifest)}",
        **_groups(manifest),
    }


def _about_bound(manifest: dict[str, Any]) -> dict[str, str]:
    """Return what there is to know of a ConformalLowerBound."""
    largest, effective = manifest["largest_weight"], manifest["n_effective"]
    return {
        "lower bound": f"{manifest['bound']}, {manifest['coverage']:g} covered",
        "censoring model": str(manifest["censoring_model"] or "none, nobody censored"),
        "calibration subjects": f"{manifest['n_conformal']}, effective sample size "
        f"{effective:.1f}, largest weight {largest:.3g}",
        "follow-up": f"{manifest['follow_up']:g}",
    }


def _weighed(manifest: dict[str, Any]) -> str:
    weighing = Weighing.from_stored(manifest.get("weights") or {})
    return "" if weighing is None else f" {weighing.told}"


def _groups(manifest: dict[str, Any]) -> dict[str, str]:
    labels, column = manifest.get("groups"), manifest.get("group_column")
    if labels is None:
        return {}
    where = "given with each prediction" if column is None else f"in {column!r}"
    return {"groups": f"{listed_labels(labels)}, {where}"}


def _features(manifest: dict[str, Any]) -> str:
    names, n = manifest.get("features"), manifest.get("n_features")
    if not names:
        return "not known" if n is None else f"{n} without names"
    more = f", ... ({n} in all)" if len(names) > _MANY else ""
    return ", ".join(names[:_MANY]) + more
