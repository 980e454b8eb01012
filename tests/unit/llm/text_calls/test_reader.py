"""Every form in which a model writes a call, cut into pieces of every size."""

import pytest

from assistant.llm.backend import ToolSchema
from assistant.llm.text_calls.forms import CLOSED_BY, STRAY
from assistant.llm.text_calls.reader import CallReader, FoundCall

TOOLS = (
    ToolSchema(
        name="set_timer",
        description="",
        parameters={
            "type": "object",
            "properties": {"minutes": {"type": "number"}, "name": {"type": "string"}},
            "required": ["minutes"],
            "additionalProperties": False,
        },
    ),
    ToolSchema(
        name="list_timers",
        description="",
        parameters={"type": "object", "properties": {}, "additionalProperties": False},
    ),
)
JSON = '{"name": "set_timer", "arguments": {"minutes": 5, "name": "국수 {1}"}}'
ARGUMENTS = '{"minutes": 5, "name": "국수 {1}"}'
PYTHON = 'set_timer(minutes=5, name="국수 {1}")'
PARAMETERS = "<parameter=minutes>\n5\n</parameter>\n<parameter=name>\n국수 {1}\n</parameter>"
WANTED = FoundCall(name="set_timer", arguments={"minutes": 5, "name": "국수 {1}"})

FORMS = {
    "hermes": f"<tool_call>\n{JSON}\n</tool_call>",
    "hermes, closed by the end": f"<tool_call>\n{JSON}",
    "qwen2.5-coder": f"<tools>{JSON}</tools>",
    "qwen2.5-coder, closed by the end": f"<tools>\n{JSON}",
    "qwen3-coder": f"<tool_call>\n<function=set_timer>\n{PARAMETERS}\n</function>\n</tool_call>",
    "glm": "<tool_call>set_timer\n<arg_key>minutes</arg_key>\n<arg_value>5</arg_value>\n"
    "<arg_key>name</arg_key>\n<arg_value>국수 {1}</arg_value>\n</tool_call>",
    "minimax": '<minimax:tool_call>\n<invoke name="set_timer">\n<parameter name="minutes">5</parameter>\n'
    '<parameter name="name">국수 {1}</parameter>\n</invoke>\n</minimax:tool_call>',
    "llama 3.1": f"<function=set_timer>{ARGUMENTS}</function>",
    "llama 3": f"<|python_tag|>{JSON.replace('arguments', 'parameters', 1)}",
    "llama 3.2": f"[{PYTHON}]",
    "functionary": f">>>set_timer\n{ARGUMENTS}",
    "functionary 2": f"<|recipient|>set_timer\n<|content|>{ARGUMENTS}",
    "mistral": f"[TOOL_CALLS] [{JSON}]",
    "mistral small": f"[TOOL_CALLS]set_timer[ARGS]{ARGUMENTS}",
    "lfm2": f"<|tool_call_start|>[{PYTHON}]<|tool_call_end|>",
    "phi-4": f"<|tool_call|>[{JSON}]<|/tool_call|>",
    "nemotron": f"<TOOLCALL>[{JSON}]</TOOLCALL>",
    "command r": f'<|START_ACTION|>[{{"tool_name": "set_timer", "parameters": {ARGUMENTS}}}]<|END_ACTION|>',
    "kimi": "<|tool_calls_section_begin|><|tool_call_begin|>functions.set_timer:0<|tool_call_argument_begin|>"
    f"{ARGUMENTS}<|tool_call_end|><|tool_calls_section_end|>",
    "deepseek": "<\uff5ctool\u2581calls\u2581begin\uff5c><\uff5ctool\u2581call\u2581begin\uff5c>function"
    f"<\uff5ctool\u2581sep\uff5c>set_timer\n```json\n{ARGUMENTS}\n```<\uff5ctool\u2581call\u2581end\uff5c>"
    "<\uff5ctool\u2581calls\u2581end\uff5c>",
    "gpt-oss": f"<|channel|>commentary to=functions.set_timer <|constrain|>json<|message|>{ARGUMENTS}",
    "granite": f"<function_call>{JSON}</function_call>",
    "bare json": JSON,
    "a list": f"[{JSON}]",
    "openai's own": '{"type": "function", "function": {"name": "set_timer", "arguments": '
    '"{\\"minutes\\": 5, \\"name\\": \\"국수 {1}\\"}"}}',
    "the name as the key": f'{{"set_timer": {ARGUMENTS}}}',
    "a number as text": JSON.replace("5", '"5"'),
    "fenced json": f"```json\n{JSON}\n```",
    "fenced without language": f"```\n{JSON}\n```",
    "fenced tags": f"```xml\n<tool_call>\n{JSON}\n</tool_call>\n```",
    "fenced python": f"```tool_code\n{PYTHON}\n```",
    "python": PYTHON,
}
SIZES = range(1, 41)


def read(text: str, size: int, *, whole: bool = True, asked_for_code: bool = False) -> tuple[str, list[FoundCall], int]:
    """What is passed on of ``text`` in pieces of this size, the calls in it, and how many could not be run."""
    reader = CallReader(TOOLS, asked_for_code=asked_for_code)
    found: list[str | FoundCall] = []
    for start in range(0, len(text), size):
        found += reader.take(text[start : start + size])
    found += reader.end(whole=whole)
    passed = "".join(each for each in found if isinstance(each, str))
    return passed, [each for each in found if isinstance(each, FoundCall)], reader.refused


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_a_call_is_found_and_nothing_of_it_is_passed_on_however_it_is_cut(form: str) -> None:
    for size in SIZES:
        passed, calls, refused = read(form, size)
        assert (passed.strip(), calls, refused) == ("", [WANTED], 0), size


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_words_before_a_call_are_passed_on_and_what_was_made_up_after_it_is_not(form: str) -> None:
    for size in SIZES:
        passed, calls, _ = read(f"잠시만요.\n{form}\n5분 뒤에 울려요.", size)
        assert calls == [WANTED], size
        assert passed.strip() == "잠시만요."


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_a_call_of_a_tool_that_is_not_offered_is_neither_run_nor_are_its_tags_passed_on(form: str) -> None:
    for size in SIZES:
        passed, calls, _ = read(form.replace("set_timer", "get_weather"), size)
        assert calls == []
        assert not any(marker in passed for marker in (*CLOSED_BY, *STRAY) if marker != ">>>"), size


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_arguments_that_do_not_fit_run_nothing_and_are_not_passed_on(form: str) -> None:
    unfit = form.replace("minutes", "weeks")
    for size in SIZES:
        passed, calls, refused = read(unfit, size)
        assert (passed.strip(), calls) == ("", []), size
        assert refused >= 1


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_of_a_text_that_was_cut_off_no_call_is_taken_and_no_markup_passed_on(form: str) -> None:
    for stop in range(1, len(form)):
        passed, calls, _ = read(form[:stop], 3, whole=False)
        if calls:
            # The call was whole before the cut; what is missing are a tag's last letters.
            assert calls == [WANTED]
        # A Python prompt is ordinary text.
        assert not any(marker in passed for marker in (*CLOSED_BY, *STRAY) if marker != ">>>")


ORDINARY = (
    '{"name": "김철수", "age": 3}',
    "배열은 [1, 2, 3]이고 집합은 {x | x > 0}입니다. a[0]도요.",
    '```python\nset_timer = 3\nprint({"name": "a", "arguments": {}})\n```\n이렇게 씁니다.',
    '```json\n{"user": {"name": "a"}, "list": [1, 2]}\n```',
    "```json\n[1, 2, 3]\n```",
    "```\n그냥 글\n```",
    "- [지도](https://example.org) 3 < 5, <b>굵게</b>, `코드`와 ``두 개``",
    ">>> print(1)\n1",
    "set_timer is the name of a tool.",
    "list_timers\n그리고 set_timer",
    '<div class="tools"><p>tool</p></div>',
    "끝이 [",
    "끝이 {",
    "끝이 <tool",
    '{"a": {"name": "b", "arguments": {}}}',
    "",
)


@pytest.mark.parametrize("text", ORDINARY)
def test_other_json_other_code_and_other_tags_are_passed_on_whole(text: str) -> None:
    for size in SIZES:
        assert read(text, size) == (text, [], 0), size


def test_ordinary_text_is_held_back_no_longer_than_it_may_be_the_beginning_of_a_call() -> None:
    assert "".join(map(str, CallReader(TOOLS).take("안녕하세요 <b"))) == "안녕하세요 <b"
    reader = CallReader(TOOLS)
    shown = ""
    for character in '{"name": "김", "age": 3, "city": "서울", "more": 1}':
        shown += "".join(each for each in reader.take(character) if isinstance(each, str))
        if shown:
            break
    assert shown == '{"name": "김", "age":'


def test_json_in_the_shape_of_a_call_is_shown_to_who_asked_for_it() -> None:
    text = '{"name": "get_weather", "arguments": {"city": "Seoul"}}'
    for size in SIZES:
        assert read(text, size) == ("", [], 1)
        assert read(text, size, asked_for_code=True) == (text, [], 0)


def test_several_calls_are_found_in_their_order() -> None:
    text = f'[{PYTHON}, list_timers()]\n<tool_call>{{"name": "list_timers", "arguments": {{}}}}</tool_call>'
    for size in SIZES:
        assert [call.name for call in read(text, size)[1]] == ["set_timer", "list_timers", "list_timers"]


def test_a_tools_result_that_the_model_made_up_is_not_passed_on() -> None:
    for size in SIZES:
        assert read("네 <tool_response>\n5\n</tool_response>그래요<|im_end|>", size)[0] == "네 그래요"


def test_a_value_without_a_name_runs_nothing() -> None:
    assert read("[set_timer(5)]", 4) == ("", [], 1)
