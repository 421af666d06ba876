"""Pictures open by themselves, and nothing is left hanging."""

from website.finish import finished

PICTURE = '<img alt="a line" class="figure" src="images/a.png">'


def test_a_picture_of_the_text_opens_in_full_size():
    page = finished(f"<nav>{PICTURE}</nav><article><p>{PICTURE}</p></article>")
    link = f'<a class="picture" href="images/a.png">{PICTURE}</a>'
    assert page == f"<nav>{PICTURE}</nav><article><p>{link}</p></article>"


def test_a_picture_that_leads_elsewhere_is_left_alone():
    page = f'<article><a href="a.html">{PICTURE}<b>A</b></a></article>'
    assert finished(page) == page


def test_a_name_without_words_has_no_dash():
    empty = '<code>Evaluation</code>\n –\n <div class="doc-md-description">\n </div>'
    assert "–" not in finished(empty)
    told = '<code>int</code> – <div class="doc-md-description"><p>k</p></div>'
    assert finished(told) == told
