from studies.document import Code, Document, Section, Shown, table_file
from studies.figures import Picture
from studies.tables import Table

TABLE = Table("t", "A table", "Its note.", ("a",), (("<b>",),), "How.")


def document(*blocks):
    return Document("Title", ["first"], [Section("Part", blocks)])


class TestMarkdown:
    def test_has_title_lead_and_sections(self):
        text = document("Some text.").markdown()
        assert text == "# Title\n\n- first\n\n## Part\n\nSome text.\n"

    def test_links_the_files_of_a_table(self):
        text = document(Shown(TABLE, "times")).markdown()
        assert "Its note. ([CSV](times/t.csv), [Markdown](times/t.md))" in text
        assert "| &lt;b> |" in text
        assert "How." not in text

    def test_long_tables_are_only_linked(self):
        text = document(Shown(TABLE, whole=False)).markdown()
        assert "1 lines, in the files." in text
        assert "<b>" not in text

    def test_empty_tables_say_so(self):
        empty = Table("t", "A table", "", ("a",), ())
        assert "\n\nNone." in document(Shown(empty)).markdown()

    def test_pictures_are_linked_from_beside(self, tmp_path):
        path = tmp_path / "figures" / "x.png"
        text = document(Picture(path, "Name", "Caption.", "Alt")).markdown()
        assert "![Alt](figures/x.png)\n\nCaption." in text
        assert str(tmp_path) not in text

    def test_code_is_fenced(self):
        assert "```toml\na = 1\n```" in document(Code("a = 1\n")).markdown()


class TestHtml:
    def test_escapes_and_embeds(self, tmp_path):
        path = tmp_path / "x.png"
        path.write_bytes(b"picture")
        blocks = Shown(TABLE), Picture(path, "Name", "C", "A & B"), "x < y", Code("a<b")
        text = document(*blocks).html()
        assert "<td>&lt;b&gt;</td>" in text
        assert 'src="data:image/png;base64,cGljdHVyZQ=="' in text
        assert 'alt="A &amp; B"' in text
        assert "<p>x &lt; y</p>" in text
        assert "<pre>a&lt;b</pre>" in text
        assert "http" not in text

    def test_long_tables_are_folded(self):
        text = document(Shown(TABLE, whole=False)).html()
        assert "<details><summary>1 lines</summary>" in text


def test_a_file_of_a_table_says_how():
    assert table_file(TABLE).startswith("# A table\n\nIts note. How.\n\n| a |")
