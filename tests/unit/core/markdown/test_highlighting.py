"""Colours of code that grows."""

import pytest

from assistant.core.markdown.highlighting import LINES_READ_AGAIN, GrowingInks, Ink, Stretch

PYTHON = 'def f(x: int) -> str:\n    """Say x.\n\n    for if \'while\'\n    """\n    return f\'{x}\'  # 끝\n\n'
SOURCES = {
    "python": PYTHON * 30,
    "javascript": "/* a\n * if */\nconst a = `x\nif ${y}\nz`;\n" * 40,
    "html": "<!-- a\nb --><script>\nvar a = 1; // x\n</script><b class='x'>t</b>\n" * 40,
    "c": "int main() { /* if\n */ return 0; }\n" * 20,
    "bash": "cat <<EOF\nif $b\nEOF\nif [ -e a ]; then echo 'x\ny'; fi\n" * 40,
    "rust": 'fn main() { let a = "x\nif"; /* a\n b */ }\n' * 40,
    "markdown": "# a\n```python\nx = 1\n```\n" * 20,
    "yaml": "a: 1\nb:\n - x\n" * 20,
}


def at_once(code: str, language: str) -> list[Stretch]:
    inks = GrowingInks(language)
    inks.grow(code)
    return inks.inks


@pytest.mark.parametrize("language", SOURCES)
def test_code_that_grows_has_at_every_time_the_colours_that_it_has_at_once(language: str) -> None:
    source = SOURCES[language]
    inks = GrowingInks(language)
    for end in range(0, len(source), 37):
        inks.grow(source[:end])
        assert inks.inks == at_once(source[:end], language)


def test_what_is_told_to_be_as_it_was_is_as_it_was() -> None:
    inks = GrowingInks("python")
    before = list(inks.inks)
    for end in range(0, len(PYTHON), 3):
        same = inks.grow(PYTHON[:end])
        assert inks.inks[:same] == before[:same]
        before = list(inks.inks)


def test_only_the_last_lines_of_code_are_read_again() -> None:
    source = PYTHON * 100
    inks = GrowingInks("python")
    for end in range(0, len(source), 40):
        inks.grow(source[:end])
        # From the start of a token, and none of these has more than four lines.
        assert source.count("\n", inks.read_from, end) <= LINES_READ_AGAIN + 4


def test_a_string_that_began_long_before_is_still_one() -> None:
    source = 'x = """' + "if for\n" * LINES_READ_AGAIN * 3
    inks = GrowingInks("python")
    for end in range(0, len(source), 40):
        inks.grow(source[:end])
    assert inks.read_from > 0
    assert {each.ink for each in inks.inks[1:]} == {Ink.TEXT}


def test_a_comment_that_is_known_only_by_its_end_is_one_in_the_end() -> None:
    source = "/*\n" + "if (a) return;\n" * LINES_READ_AGAIN * 2 + "*/ x = 1;"
    inks = GrowingInks("javascript")
    for end in range(0, len(source), 40):
        inks.grow(source[:end])
    inks.finish(source)
    assert inks.inks[0].ink is Ink.COMMENT
    assert inks.inks == at_once(source, "javascript")


def test_a_language_that_nobody_knows_has_no_colours() -> None:
    assert at_once("if x", "nonsense") == []
    assert at_once("if x", "") == []
