"""Summaries as they came, sorted by round and site."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from consurv.distributed.federated.papers import Paper, check_seal
from consurv.distributed.federated.plan import Plan
from consurv.errors import InvalidInput

__all__ = ["sorted_out"]


def sorted_out(
    plan: Plan, questions: Sequence[Paper], summaries: Mapping[str, Paper]
) -> list[dict[str, Paper]]:
    """Return the summaries of each round by site; all must be there, once.

    Parameters
    ----------
    plan : Plan
    questions : sequence of mapping
        One for each round.
    summaries : mapping of str to mapping
        By names to be used in messages.
    """
    found: list[dict[str, Paper]] = [{} for _ in questions]
    rounds = {question["checksum"]: i for i, question in enumerate(questions)}
    named: dict[tuple[int, str], str] = {}
    for name, paper in summaries.items():
        check_seal(paper, name)
        site, i = paper.get("site"), rounds.get(paper.get("question"))
        if i is None or paper.get("what") != "summary":
            raise InvalidInput(
                f"{name} answers another question: it was asked by another plan or in "
                f"round {paper.get('round')} of an earlier start; leave it away"
            )
        if site not in plan.sites:
            raise InvalidInput(f"{name} comes from {site!r}, which takes no part")
        known = found[i].setdefault(site, paper)
        if known["checksum"] != paper["checksum"]:
            raise InvalidInput(
                f"{site} has answered round {i + 1} twice, and differently: "
                f"{named[i, site]} and {name}; keep one of them"
            )
        named.setdefault((i, site), name)
    for i, told in enumerate(found):
        missing = [site for site in plan.sites if site not in told]
        if missing:
            raise InvalidInput(f"round {i + 1} waits for: {', '.join(missing)}")
    # Their order is that of the plan, whatever order they came in.
    return [{site: told[site] for site in plan.sites} for told in found]
