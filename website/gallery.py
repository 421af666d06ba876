"""The gallery: every script of ``examples/`` is run and becomes a page.

A script is a docstring (title, line of ``=``, introduction) and blocks of code between
lines ``# %%``, each with comments that introduce it. It writes its picture, or a table,
to the path that it is given, and may print. It runs as users run it: alone, and
warnings are errors.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from website.png import described
from website.scripts import EXAMPLES, ROOT, helpers, scripts

__all__ = ["blocks", "run", "share_pictures", "write_gallery"]

_SAVE = re.compile(r"^save\(.*?^\)\n?", re.M | re.S)
_SECONDS = 600  # a busy machine is no failure


def write_gallery(
    folder: Path, *, reuse: bool = False, workers: int = 2
) -> dict[str, float]:
    """Run all examples and write their pages; return the seconds of each.

    With *reuse* those are not run that have not changed since they were run here.
    """
    (folder / "images").mkdir(parents=True, exist_ok=True)
    known = folder / "images" / "known.json"
    told = json.loads(known.read_text()) if reuse and known.exists() else {}
    seconds: dict[str, float] = {}

    def ask(script: Path) -> None:
        mark = _mark(script)
        if told.get(script.stem, {}).get("mark") != mark:
            said, seconds[script.stem] = run(script, _picture(script, folder))
            told[script.stem] = {"mark": mark, "printed": said}
        _write_page(script, folder, told[script.stem]["printed"])

    try:
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(ask, scripts()))
    finally:  # what was run need not be run again after a failure elsewhere
        known.write_text(json.dumps(told))
    _write_index(folder)
    return seconds


def share_pictures(folder: Path, assets: Path) -> None:
    """Show on other pages what was drawn just now, not what the repository keeps.

    There a picture stands for readers of the repository alone; drawn on another
    machine it may differ in a digit.
    """
    for picture in assets.glob("*.png"):
        drawn = folder / "images" / picture.name
        if drawn.exists():
            shutil.copy(drawn, picture)


def run(script: Path, out: Path) -> tuple[str, float]:
    """Run a script that writes *out*; return what it printed and its seconds."""
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    own = {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", str(script), str(out)],
        env=os.environ | own,
        cwd=out.parent,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
    )
    if done.returncode:
        raise RuntimeError(f"{script.name} failed:\n{done.stderr[-3000:]}")
    return done.stdout, time.perf_counter() - start


def blocks(text: str) -> tuple[str, str, list[tuple[str, str]]]:
    r"""Return title, introduction, and pairs of words and code.

    Examples
    --------
    >>> blocks("'How\\n===\\nWhy.'\na = 1\n# %%\n# Then\nb = 2\n")
    ('How', 'Why.', [('', 'a = 1'), ('Then', 'b = 2')])
    """
    tree = ast.parse(text)
    title, _, words = (ast.get_docstring(tree) or "").partition("\n")
    body = "\n".join(text.splitlines()[tree.body[0].end_lineno :]) + "\n"
    parts: list[tuple[str, str]] = []
    for part in re.split(r"^# %%.*\n", body, flags=re.M):
        lines = part.strip("\n").splitlines()
        n = next((i for i, x in enumerate(lines) if not x.startswith("#")), len(lines))
        said = n if parts else 0  # before the first mark comments belong to the code
        words_here = "\n".join(x.lstrip("#").strip() for x in lines[:said])
        parts.append((words_here, "\n".join(lines[said:]).strip("\n")))
    return title, re.sub(r"^=+\n*", "", words).strip(), parts


def _mark(script: Path) -> str:
    content = b"".join(path.read_bytes() for path in [script, *helpers()])
    return hashlib.sha256(content).hexdigest()


def _picture(script: Path, folder: Path) -> Path:
    return folder / "images" / f"{script.stem}.png"


def _write_page(script: Path, folder: Path, printed: str) -> None:
    picture = _picture(script, folder)
    title, words, parts = blocks(script.read_text(encoding="utf-8"))
    # A page without headings has no contents to list; its picture gets the room.
    lines = ["---", "hide: [toc]", "---", "", f"# {title}", "", words, ""]
    if _is_table(printed):
        picture.unlink(missing_ok=True)  # the same table, in a file
        lines += [printed, ""]
    else:
        words = f"![{described(picture)}](images/{picture.name})"
        lines += [words + "{ .figure }", ""]
    for said, whole in parts:
        code = _SAVE.sub("", whole).rstrip()  # its words are on the page already
        lines += [said, "", f"```python\n{code}\n```", ""] if code else [said, ""]
    if printed.strip() and not _is_table(printed):
        said = f"```text\n{printed.rstrip()}\n```"
        lines += ["It prints", "", '<div class="printed" markdown>', "", said, ""]
        lines += ["</div>", ""]
    lines += [f"Run it yourself: `python examples/{script.name}`", ""]
    page = folder / f"{script.stem}.md"
    page.write_text("\n".join(lines), encoding="utf-8")


def _is_table(printed: str) -> bool:
    return printed.startswith("| ")


def _write_index(folder: Path) -> None:
    """Write the front page: a card for each script, in groups."""
    words = (ROOT / "docs" / "gallery" / "index.md").read_text(encoding="utf-8")

    def card(found: re.Match[str]) -> str:
        script = EXAMPLES / f"{found[1]}.py"
        title, said, _ = blocks(script.read_text(encoding="utf-8"))
        first = re.split(r"(?<=\.)\s", said)[0]
        picture, image = _picture(script, folder), ""
        if picture.exists():
            image = f"![{described(picture)}](images/{picture.name})"
        return f"- [{image}**{title}**]({script.stem}.md)\n\n    {first}\n"

    text = re.sub(r"^- (\w+)$", card, words, flags=re.M)
    (folder / "index.md").write_text(text, encoding="utf-8")
