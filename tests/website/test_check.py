"""The checker sees each kind of fault."""

import pytest

from website.check import faults

GOOD = '<h1 id="top">t</h1><a href="b.html#two">b</a><img src="i.png" alt="a line">'


@pytest.fixture
def site(tmp_path):
    (tmp_path / "i.png").write_bytes(b"")
    (tmp_path / "b.html").write_text('<h2 id="two">2</h2><a href="a.html">a</a>')
    (tmp_path / "a.html").write_text(GOOD)
    return tmp_path


def test_a_good_site_has_none(site):
    assert faults(site) == []


@pytest.mark.parametrize(
    ("html", "fault"),
    [
        ('<a href="c.html">c</a>', "a.html: c.html leads nowhere"),
        ('<a href="b.html#three">b</a>', "a.html: b.html#three has no such heading"),
        ('<a href="#two">here</a>', "a.html: #two has no such heading"),
        ('<img src="i.png" alt=" ">', "a.html: no alt text for i.png"),
        ('<img src="j.png" alt="x">', "a.html: j.png leads nowhere"),
        ("<p>q(ρ<em>|x) at ρ</em></p>", "a.html: stars make emphasis of |x) at ρ"),
        (
            '<script src="https://cdn.org/x.js"></script>',
            "a.html: loads https://cdn.org/x.js from another machine",
        ),
        (
            '<link rel="stylesheet" href="//cdn.org/x.css">',
            "a.html: loads //cdn.org/x.css from another machine",
        ),
    ],
)
def test_each_fault_is_named(site, html, fault):
    (site / "a.html").write_text(GOOD + html)
    assert faults(site) == [fault]
