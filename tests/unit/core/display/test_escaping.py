import pytest

from assistant.core.display.escaping import harmless, visible, visible_arguments


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


def test_text_for_a_terminal_keeps_its_lines_and_loses_what_controls_a_terminal() -> None:
    assert harmless("안녕\n\t하세요\x1b[2J\x9b\r👩\u200d🚀") == "안녕\n\t하세요[2J👩\u200d🚀"


def test_a_character_outside_the_basic_plane_is_escaped_as_json_does() -> None:
    assert visible("a\U000e0041") == "a\\udb40\\udc41"


def test_short_arguments_stand_on_one_line_and_long_ones_are_complete() -> None:
    assert visible_arguments({"path": "메모.txt"}, one_line=True) == '{"path": "메모.txt"}'
    long = visible_arguments({"text": "가" * 500, "path": "a"}, one_line=True)
    assert long == f'{{\n  "text": "{"가" * 500}",\n  "path": "a"\n}}'
    assert visible_arguments({"a": 1}) == '{\n  "a": 1\n}'
