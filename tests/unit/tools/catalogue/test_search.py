from dataclasses import replace

import pytest

from assistant.llm.backend import Evidence
from assistant.tools.catalogue.search import first_sentence, search
from tests.fakes.plain_tool import plain_tool

TOOLS = (
    plain_tool("send_mail", "Sends an email. It has a subject."),
    plain_tool("list_mail", "Lists emails."),
    plain_tool("forecast", "Tells the weather of the next days in a city."),
    plain_tool("delete_note", "Deletes a note for good.", "메모", "지우"),
    plain_tool("mcp_home_light", "거실과 방의 전등을 켜고 끕니다."),
    plain_tool("translate", "Translates a text."),
)


def found(query: str) -> list[str]:
    return [each.tool.name for each in search(query, TOOLS)]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("send mail", "send_mail"),
        ("내일 날씨 어때?", "forecast"),
        ("메모를 지워 줘", "delete_note"),
        ("불 좀 켜 줘", "mcp_home_light"),
        ("switch on the lamp", "mcp_home_light"),
        ("이 문장 번역해 줄래?", "translate"),
        ("메일 보내 줘", "send_mail"),
    ],
)
def test_the_wanted_tool_is_found_first_in_either_language(query: str, name: str) -> None:
    assert found(query)[0] == name


def test_what_has_to_do_with_no_tool_finds_none() -> None:
    assert found("고마워, 잘 지냈어?") == []
    assert found("") == []


def test_a_name_counts_more_than_a_description() -> None:
    tools = (plain_tool("a", "Says something about parrots."), plain_tool("parrots", "Says something."))
    assert [each.tool.name for each in search("parrots", tools)] == ["parrots", "a"]


def test_of_equal_tools_the_first_comes_first() -> None:
    tools = (plain_tool("one", "Feeds fish."), plain_tool("two", "Feeds fish."))
    assert [each.tool.name for each in search("fish", tools)] == ["one", "two"]
    assert [each.tool.name for each in search("fish", tools[::-1])] == ["two", "one"]


def test_a_word_that_few_tools_have_counts_more() -> None:
    tools = (
        plain_tool("list_a", "Lists cats."),
        plain_tool("list_b", "Lists dogs."),
        plain_tool("c", "Walks dogs with ferrets."),
    )
    assert search("list ferrets", tools)[0].tool.name == "c"


def test_the_words_of_evidence_are_searched_too() -> None:
    drawing = replace(plain_tool("generate", "Makes something."), evidence=Evidence(words=("그려",)))
    assert [each.tool.name for each in search("고양이 그려 줘", (*TOOLS, drawing))] == ["generate"]


def test_the_share_tells_how_much_of_the_query_is_explained() -> None:
    (whole,) = search("weather", TOOLS)
    (part,) = search("weather zyzzyva quux", TOOLS)
    assert whole.share > part.share > 0
    assert whole.share <= 1


def test_a_very_long_request_is_searched_by_its_first_words() -> None:
    assert found(f"weather {' '.join(f'word{chr(97 + n % 26)}{chr(97 + n // 26)}' for n in range(400))}") == [
        "forecast"
    ]


def test_the_first_sentence_is_one_line() -> None:
    assert first_sentence(plain_tool("a", "Reads\n  a file. Then more.")) == "Reads a file."
