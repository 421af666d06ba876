"""Build the site into build/site: ``python -m website``."""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

from consurv import __version__
from website.api import write_api
from website.check import faults
from website.finish import finish
from website.gallery import share_pictures, write_gallery
from website.inputs import digest
from website.offline import open_as_files
from website.scripts import ROOT
from website.stage import stage

STAGED, SITE = ROOT / "build" / "docs", ROOT / "build" / "site"
BUILT = ROOT / "build" / "site.sha256"  # of what the site was made from


def main(arguments: list[str] | None = None) -> int:
    """Stage, run the examples, build and check; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m website", description=__doc__)
    parser.add_argument(
        "--reuse",
        action="store_true",
        help="run only examples that were changed since the last build",
    )
    settings = parser.parse_args(arguments)
    start = time.perf_counter()
    BUILT.unlink(missing_ok=True)
    made_from = digest()
    stage(STAGED)
    write_api(STAGED / "api")
    seconds = write_gallery(STAGED / "gallery", reuse=settings.reuse)
    share_pictures(STAGED / "gallery", STAGED / "assets")
    # On a busy machine the clock says little; the processor's time does.
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = spent.ru_utime + spent.ru_stime
    print(f"gallery: {len(seconds)} examples, {cpu:.0f} s of a processor")
    for name, taken in sorted(seconds.items(), key=lambda item: -item[1])[:3]:
        print(f"  {name} {taken:.1f} s")
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    own = {"CONSURV_SITE": f"consurv {__version__}, BSD 3-Clause"}  # in the footer
    built = subprocess.run(
        [*command, "-f", str(ROOT / "mkdocs.yml")], cwd=ROOT, env=os.environ | own
    )
    if built.returncode:
        return built.returncode
    open_as_files(SITE)
    finish(SITE)
    found = faults(SITE)
    for fault in found:
        print(fault)
    taken = time.perf_counter() - start
    print(f"{_pages(SITE)} pages in {taken:.0f} s: {SITE.relative_to(ROOT)}/index.html")
    if not found:
        BUILT.write_text(made_from)
    return 1 if found else 0


def _pages(site: Path) -> int:
    return sum(1 for _ in site.rglob("*.html"))


if __name__ == "__main__":
    sys.exit(main())
