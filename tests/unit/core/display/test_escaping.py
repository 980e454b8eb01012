import pytest

from assistant.core.display.escaping import printable, shortened_arguments, shortened_text, visible, visible_arguments


def test_korean_stays_readable_and_what_cannot_be_seen_is_escaped() -> None:
    assert visible("메모\n\x1b[2J\u202e\u200b") == "메모\n\\u001b[2J\\u202e\\u200b"


@pytest.mark.parametrize("text", ["소리야, 안녕!", "각", "مرحبا بالعالم", "שלום עולם", "日本語", "Straße é", "🚀"])
def test_ordinary_text_of_every_script_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    "letter",
    [
        "\u3164",
        "\uffa0",
        "\u115f",
        "\u2800",
        "\u034f",
        "\u202e",
        "\u2067",
        "\u200f",
        "\u061c",
        "\ufe0f",
        "\u00ad",
        "\xa0",
    ],
)
def test_what_is_invisible_or_changes_directions_is_escaped(letter: str) -> None:
    assert visible(f"a{letter}b") == f"a\\u{ord(letter):04x}b"
    assert visible_arguments({"a": letter}) == f'{{\n  "a": "\\u{ord(letter):04x}"\n}}'


def test_line_breaks_are_escaped_where_one_line_is_wanted() -> None:
    assert visible("a\nb") == "a\nb"
    assert visible("a\nb", one_line=True) == "a\\nb"


HIDING = (
    *("\x1b[2J", "\x1b[8m", "\x1b]0;title\x07", "\x9b1A", "\r", "\b", "\x7f", "a\u200db"),
    *("\u202e", "\u2066", "\u200b", "\u200e", "\ufeff", "\u3164", "\U000e0041"),
)


@pytest.mark.parametrize("text", HIDING)
def test_nothing_controls_a_terminal_or_hides_in_it(text: str) -> None:
    for styled in (False, True):
        shown = printable(f"앞 {text} 뒤", styled=styled)
        assert shown.startswith("앞 ")
        assert shown.endswith(" 뒤")
        assert "\\" in shown
        assert shown.isprintable()


@pytest.mark.parametrize("text", ["👩\u200d🚀", "❤\ufe0f", "1\ufe0f\u20e3", "مرحبا", "שלום", "각", "日本語", "a\n\tb"])
def test_ordinary_text_and_joined_emoji_stay(text: str) -> None:
    assert printable(text) == text


def test_line_breaks_of_a_cell_and_styles_of_somebody_else_are_escaped() -> None:
    assert printable("a\nb\tc", one_line=True) == "a\\nb\\tc"
    assert printable("\x1b[1mbold\x1b[0m", styled=True) == "\x1b[1mbold\x1b[0m"
    assert printable("\x1b[1mbold", styled=False) == "\\u001b[1mbold"


def test_a_long_argument_is_cut_tells_its_length_and_hides_no_address_or_command() -> None:
    arguments = {"text": "글 " * 3_000 + "https://evil.example/?d=1 " + "글 " * 300, "to": "a@b.example"}
    shown = shortened_arguments(arguments)
    assert list(shown) == ["to", "text"]
    assert shown["text"].startswith(f"⟨{len(arguments['text']):,}⟩ https://evil.example/?d=1")
    assert len(shown["text"]) < 400
    hidden = shortened_text("a" * 300 + "; rm -rf / " + "b" * 300)
    assert "rm -rf /" in hidden[:40]
    assert shortened_text("ls" + " " * 6_600 + "; rm -rf /") == "ls ⟨6600 ␣⟩ ; rm -rf /"
    short = {"a": 1, "b": "c", "list": ["x"]}
    assert shortened_arguments(short) is short


def test_a_character_outside_the_basic_plane_is_escaped_as_json_does() -> None:
    assert visible("a\U000e0041") == "a\\udb40\\udc41"


def test_short_arguments_stand_on_one_line_and_long_ones_are_complete() -> None:
    assert visible_arguments({"path": "메모.txt"}, one_line=True) == '{"path": "메모.txt"}'
    long = visible_arguments({"text": "가" * 500, "path": "a"}, one_line=True)
    assert long == f'{{\n  "text": "{"가" * 500}",\n  "path": "a"\n}}'
    assert visible_arguments({"a": 1}) == '{\n  "a": 1\n}'
