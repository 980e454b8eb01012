"""What a small model may write."""

from dataclasses import replace

from assistant.llm.backend import Evidence, ModelMessage, ModelRequest, ToolSchema
from assistant.llm.embedded.constrained import constrained, following_schema, grammar

TIMER = ToolSchema(
    name="set_timer",
    description="",
    parameters={
        "type": "object",
        "properties": {"minutes": {"type": "number"}, "mode": {"type": "string", "enum": ["a", "b"]}},
        "required": ["minutes"],
    },
)
LIST = ToolSchema(name="list_timers", description="", parameters={"type": "object", "properties": {}})
ASKED = ModelRequest(
    model="m", system="", messages=(ModelMessage(role="user", text="안녕"),), tools=(TIMER, LIST), tools_told=True
)


def rule(text: str, name: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(f"{name} ::="))


def test_calls_are_of_offered_tools_with_their_own_parameters() -> None:
    text = grammar(ASKED.tools, "ko")
    assert rule(text, "root") == "root ::= calls | words"
    assert rule(text, "call0") == 'call0 ::= "set_timer(" value0 (", " value0)* ")"'
    assert rule(text, "value0") == r'value0 ::= "minutes=" number | "mode=" ("\"a\"" | "\"b\"")'
    assert rule(text, "call1") == 'call1 ::= "list_timers(" ")"'


def test_without_tools_only_words_are_left() -> None:
    text = grammar((), "en")
    assert rule(text, "root") == "root ::= words"
    assert "calls" not in text


def test_a_korean_answer_begins_in_hangul_and_holds_no_chinese_or_japanese() -> None:
    words = rule(grammar((), "ko"), "words")
    assert "[가-힣0-9]" in words
    assert r"\u4e00-\u9fff" in words
    assert r"\uac00-\ud7a3" in rule(grammar((), "en"), "words")
    assert r"\u4e00" not in rule(grammar((), ""), "words")


def test_a_call_is_a_little_more_likely_only_where_one_may_be_written() -> None:
    assert constrained(ASKED).extra["logit_bias"][0][0] == "["
    assert "logit_bias" not in constrained(replace(ASKED, tools=())).extra
    code = replace(ASKED, messages=(ModelMessage(role="user", text="파이썬 코드 짜 줘"),))
    assert "logit_bias" not in constrained(code).extra


def test_what_the_user_sets_is_left_alone() -> None:
    own = replace(ASKED, temperature=1.0, max_output_tokens=5, extra={"grammar": "root ::= [a]"})
    limited = constrained(own)
    assert (limited.temperature, limited.max_output_tokens) == (1.0, 5)
    assert limited.extra["grammar"] == "root ::= [a]"


def test_a_request_that_is_certainly_for_a_tool_allows_one_call_of_it_and_no_words() -> None:
    draw = replace(LIST, name="draw", evidence=Evidence(words=("draw",), orders=r"^draw\b"))
    asked = replace(ASKED, tools=(TIMER, draw), messages=(ModelMessage(role="user", text="Draw a cat"),))
    text = str(constrained(asked).extra["grammar"])
    assert rule(text, "root") == 'root ::= "[" call "]"'
    assert rule(text, "call0").startswith('call0 ::= "draw("')
    assert "set_timer" not in text
    talk = replace(asked, messages=(ModelMessage(role="user", text="I draw cats"),))
    assert rule(str(constrained(talk).extra["grammar"]), "root") == "root ::= calls | words"


def test_an_object_is_made_without_thoughts_and_without_chance() -> None:
    asked = following_schema(replace(ASKED, tools=(), schema={"type": "object"}, reasoning=True))
    assert asked.extra == {"chat_template_kwargs": {"enable_thinking": False}}
    assert (asked.temperature, asked.reasoning) == (0.0, False)
    assert asked.max_output_tokens
