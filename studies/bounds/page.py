"""The page of a run, as Markdown."""

from studies.bounds.run import Records

__all__ = ["page"]


def page(records: Records) -> str:
    """x."""
    return "# Lower bounds\n"
