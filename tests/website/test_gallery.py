"""What becomes of a script."""

import pytest

from website.gallery import blocks, run
from website.png import described

SCRIPT = '''"""
How it is done
==============

In two steps. The second
one is long.
"""

import sys  # first

# %%
# Words before
# the code.
x = 1

# a comment of the code
y = 2
'''


def test_a_script_is_words_and_code():
    title, words, parts = blocks(SCRIPT)
    assert title == "How it is done"
    assert words == "In two steps. The second\none is long."
    assert parts == [
        ("", "import sys  # first"),
        ("Words before\nthe code.", "x = 1\n\n# a comment of the code\ny = 2"),
    ]


@pytest.mark.parametrize(
    "line", ["raise ValueError('no')", "import warnings; warnings.warn('careful')"]
)
def test_a_script_that_fails_or_warns_is_an_error(tmp_path, line):
    script = tmp_path / "bad.py"
    script.write_text(line)
    with pytest.raises(RuntimeError, match=r"bad\.py failed(.|\n)*(no|careful)"):
        run(script, tmp_path / "out.png")


def test_what_it_prints_is_kept(tmp_path):
    script = tmp_path / "good.py"
    script.write_text("print('said')")
    assert run(script, tmp_path / "out.png")[0] == "said\n"


@pytest.mark.parametrize("words", ["a plain line", "θ and a line"])
def test_a_picture_carries_its_words(tmp_path, words):
    from matplotlib.figure import Figure

    path = tmp_path / "p.png"
    Figure().savefig(path, metadata={"Description": words})
    assert described(path) == words


def test_a_picture_without_words_is_refused(tmp_path):
    from matplotlib.figure import Figure

    path = tmp_path / "p.png"
    Figure().savefig(path)
    with pytest.raises(ValueError, match=r"p\.png has no alt text"):
        described(path)
