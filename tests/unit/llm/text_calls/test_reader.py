"""Every form in which a model writes a call, cut into pieces of every size."""

import random

import pytest

from assistant.llm.backend import ToolSchema
from assistant.llm.text_calls.forms import CALL_CLOSERS, CALLS, ENDS
from assistant.llm.text_calls.reader import Found, FoundCall, ReplyReader, Thought, WereThoughts

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
    "functionary": f">>>set_timer\n{ARGUMENTS}",
    "functionary 2": f"<|recipient|>set_timer\n<|content|>{ARGUMENTS}",
    "mistral": f"[TOOL_CALLS] [{JSON}]",
    "mistral small": f"[TOOL_CALLS]set_timer[ARGS]{ARGUMENTS}",
    "lfm2": f"<|tool_call_start|>[{PYTHON}]<|tool_call_end|>",
    "gemma": '<|tool_call>call:set_timer{minutes:5,name:<|"|>국수 {1}<|"|>}<tool_call|>',
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
}
"""In the model's own form."""
BARE = {
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
    "llama 3.2": f"[{PYTHON}]",
    "two values": f"{JSON}; {JSON}",
    "a leaked namespace": f"functions.{PYTHON}",
    "a leaked namespace and an object": f"functions.set_timer({ARGUMENTS})",
    "a leaked recipient": f"functions.set_timer:0 {ARGUMENTS}",
    "another namespace": f"default_api.{PYTHON}",
    "a namespace in the name": JSON.replace("set_timer", "functions.set_timer"),
    "the old function_call": f'{{"function_call": {JSON}}}',
    "several at once": f'{{"tool_uses": [{{"recipient_name": "functions.set_timer", "parameters": {ARGUMENTS}}}]}}',
    "with an end token": f"{JSON}<|im_end|>",
    "in a fence with an end token": f"```json\n{JSON}\n```<|im_end|>\n",
}
"""The whole reply is the call."""
EVERY = {**FORMS, **BARE}
SIZES = range(1, 41)


def read(
    text: str, size: int, *, whole: bool = True, asked_for_code: bool = False, asked_for_example: bool = False
) -> tuple[str, list[FoundCall], int]:
    """What is passed on of ``text`` in pieces of this size, the calls in it, and how many could not be run."""
    reader = ReplyReader(TOOLS, asked_for_code=asked_for_code, asked_for_example=asked_for_example)
    found: list[Found] = []
    for start in range(0, len(text), size):
        found += reader.take(text[start : start + size])
    found += reader.end(whole=whole)
    passed = "".join(each for each in found if isinstance(each, str))
    return passed, [each for each in found if isinstance(each, FoundCall)], reader.refused


TAGGED = f"<tool_call>\n{JSON}\n</tool_call>"


@pytest.mark.parametrize(
    "text",
    [
        f"For example:\n{TAGGED}",
        f"예를 들면 다음과 같습니다：\n\n{TAGGED}\n",
        f"1. The form\n\nHere:\n{TAGGED}\n\nThat is all.",
        f"{TAGGED}\n위와 같은 형식입니다.",
        f"{TAGGED}\n\nThis is how a call looks.",
        f"<tools>{JSON}</tools>\nqwen writes it so",
        f"형식:\n<function=set_timer>{ARGUMENTS}</function>",
    ],
)
def test_a_call_that_is_introduced_or_explained_is_the_example_that_the_user_asked_for(text: str) -> None:
    for size in SIZES:
        passed, calls, _ = read(text, size, asked_for_example=True)
        assert (passed, calls) == (text, [])


@pytest.mark.parametrize(
    "text",
    [TAGGED, f"{TAGGED}\n", f"네, 찾아 볼게요.\n{TAGGED}", f"Sure.\n\n{TAGGED}<|im_end|>", f"{TAGGED}\n{TAGGED}"],
)
def test_a_call_in_the_models_own_form_runs_although_the_request_is_about_examples(text: str) -> None:
    for size in SIZES:
        assert read(text, size, asked_for_example=True)[1] == [WANTED] * text.count("<tool_call>")


@pytest.mark.parametrize("form", EVERY.values(), ids=EVERY.keys())
def test_a_call_is_found_and_nothing_of_it_is_passed_on_however_it_is_cut(form: str) -> None:
    for size in SIZES:
        passed, calls, refused = read(form, size)
        assert (passed.strip(), set(map(str, calls)), refused) == ("", {str(WANTED)}, 0), size


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_words_before_a_call_are_passed_on_and_what_was_made_up_after_it_is_not(form: str) -> None:
    for size in SIZES:
        passed, calls, _ = read(f"잠시만요.\n{form}\n5분 뒤에 울려요.", size)
        assert calls == [WANTED], size
        assert passed.strip() == "잠시만요."


@pytest.mark.parametrize("form", EVERY.values(), ids=EVERY.keys())
def test_a_call_of_a_tool_that_is_not_offered_is_neither_run_nor_are_its_tags_passed_on(form: str) -> None:
    for size in SIZES:
        passed, calls, _ = read(form.replace("set_timer", "get_weather"), size)
        assert calls == []
        assert not any(marker in passed for marker in (*CALLS, *CALL_CLOSERS, *ENDS)), size


@pytest.mark.parametrize("form", EVERY.values(), ids=EVERY.keys())
def test_arguments_that_do_not_fit_run_nothing_and_are_not_passed_on(form: str) -> None:
    unfit = form.replace("minutes", "weeks")
    for size in SIZES:
        passed, calls, refused = read(unfit, size)
        assert (passed.strip(), calls) == ("", []), size
        assert refused >= 1


@pytest.mark.parametrize("form", EVERY.values(), ids=EVERY.keys())
def test_of_a_text_that_was_cut_off_no_call_is_taken_and_no_markup_passed_on(form: str) -> None:
    for stop in range(1, len(form)):
        passed, calls, _ = read(form[:stop], 3, whole=False)
        if calls:
            # The call was whole before the cut; what is missing are a tag's last letters.
            assert calls == [WANTED]
        # A Python prompt is ordinary text.
        assert not any(marker in passed for marker in (*CALLS, *CALL_CLOSERS, *ENDS))


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
    assert "".join(map(str, ReplyReader(TOOLS).take("안녕하세요 <b"))) == "안녕하세요 <b"
    reader = ReplyReader(TOOLS)
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
    text = f"<tool_call>[{PYTHON}, list_timers()]</tool_call>\n<tool_call>list_timers</tool_call>"
    for size in SIZES:
        assert [call.name for call in read(text, size)[1]] == ["set_timer", "list_timers", "list_timers"]


def test_a_tools_result_that_the_model_made_up_is_not_passed_on() -> None:
    for size in SIZES:
        assert read("네 <tool_response>\n5\n</tool_response>그래요<|im_end|>", size)[0] == "네 그래요"


def test_a_value_without_a_name_runs_nothing() -> None:
    assert read("[set_timer(5)]", 4) == ("", [], 1)


TAGGED = f"<tool_call>{JSON}</tool_call>"
QUOTED = {
    "in a sentence, Korean": f"모델은 {JSON} 처럼 씁니다.",
    "in a sentence, English": f"The model writes {JSON} to set a timer.",
    "a line of its own": f"이렇게 씁니다:\n{JSON}\n그러면 타이머가 돌아요.",
    "the last line": f"The call looks like this:\n\n{JSON}",
    "text after it": f"{JSON}\n이 JSON은 타이머를 맞추는 호출입니다.",
    "in a fence": f"예시입니다.\n```json\n{JSON}\n```\n참고하세요.",
    "a fence first": f"```json\n{JSON}\n```\n이게 호출이에요.",
    "a fence last": f"Here is the call:\n```\n{JSON}\n```",
    "a fence of tildes": f"보기:\n~~~json\n{JSON}\n~~~\n",
    "a fence of four": f"보기:\n````md\n```json\n{JSON}\n```\n````\n",
    "a fence in a list": f"1. 호출\n   ```json\n   {JSON}\n   ```\n2. 결과",
    "inline code": f"`{JSON}` 은 호출입니다.",
    "inline code of two": f"Use ``{TAGGED}`` for that.",
    "a list": f"- {JSON}\n- list_timers()",
    "a numbered list": f"두 가지:\n1. {TAGGED}\n2. {PYTHON}",
    "a quotation": f"> {TAGGED}\n\n라고 나와요.",
    "quotation marks": f'그는 "{TAGGED}" 라고 썼어요.',
    "Korean quotation marks": f"「{TAGGED}」 형식입니다.",
    "brackets": f"Some models (e.g. {TAGGED}) do.",
    "after a colon": f"For example: {TAGGED}",
    "tags in a sentence": f"Qwen은 {TAGGED} 처럼 부르고 기다려요.",
    "tags in a sentence, English": f"A Hermes model emits {TAGGED} and stops.",
    "tags after a word": f"예) {TAGGED}",
    "tags after an abbreviation": f"Some write, e.g. {TAGGED}",
    "a token after a word": f"Mistral에서는 [TOOL_CALLS] [{JSON}]",
    "HTML": f"<pre>{TAGGED}</pre>",
    "a table": f"| 이름 | 예 |\n|---|---|\n| 타이머 | {TAGGED} |",
    "tags in a fence": f"형식:\n```xml\n{TAGGED}\n```\n끝.",
    "tags in inline code": f"`{TAGGED}` is how it is done.",
    "the name of a tag": "Qwen은 <tool_call> 태그를, Mistral은 [TOOL_CALLS] 를 씁니다.",
    "the name of a tag, English": "Use the <tool_call> tag and close it with </tool_call> at the end.",
    "indented code": f"형식:\n\n    {TAGGED}\n\n끝.",
    "a token in a sentence": f"Mistral writes [TOOL_CALLS] [{JSON}] when it calls a tool.",
    "a function in a fence": f"```python\n{PYTHON}\n```\n이 코드는 타이머를 맞춥니다.",
    "a function in a sentence": f"{PYTHON} 을 부르면 됩니다.",
    "a function on a line": f"이렇게 부릅니다.\n{PYTHON}\n",
    "the name of a tool alone": "list_timers",
    "the name of a form": '<function=set_timer> 은 여는 태그, <invoke name="x"> 도 그래요.',
    "a namespace": f"OpenAI writes functions.{PYTHON} there.",
    "end tokens": "ChatML은 <|im_end|>로 끝나고 `<|im_start|>`로 시작합니다.",
}


@pytest.mark.parametrize("text", QUOTED.values(), ids=QUOTED.keys())
def test_a_call_that_is_only_quoted_is_text_however_it_is_cut(text: str) -> None:
    for size in SIZES:
        assert read(text, size) == (text, [], 0), size


def test_an_example_in_a_stream_is_shown_while_it_arrives() -> None:
    reader = ReplyReader(TOOLS)
    shown = [len("".join(map(str, reader.take(character)))) for character in QUOTED["in a fence"]]
    # Only the line that opens or closes a fence waits for its end.
    assert max(shown) <= len("```json\n")


FRAGMENTS = (
    *CALLS,
    *CALL_CLOSERS,
    *ENDS,
    *("<think>", "</think>", "[THINK]", "[/THINK]", "<|channel|>analysis<|message|>hm", "<|start|>assistant"),
    *("`", "```", "```json\n", "~~~\n", "- ", "> ", '"', ":", "    ", "{", "[", "<", ">>>", "functions.", "set_timer"),
    *(JSON, PYTHON, f"<tool_call>{JSON}</tool_call>", f"<function=set_timer>{ARGUMENTS}</function>"),
    *("\n", "\n\n", "안녕하세요.", "Hello. ") * 6,
)


def test_whatever_a_model_writes_is_read_alike_however_it_is_cut() -> None:
    source = random.Random(7)
    for _ in range(1000):
        text = "".join(source.choice(FRAGMENTS) for _ in range(source.randint(1, 7)))
        whole, *cut = [shown_of(text, size) for size in (len(text), 1, 3)]
        for answer, thoughts, calls in cut:
            assert (answer.split(), thoughts.split(), calls) == (whole[0].split(), whole[1].split(), whole[2]), text


THOUGHTS = {
    "think": "<think>\n{}\n</think>\n\n{}",
    "in one line": "<think>{}</think>{}",
    "in capitals": "<THINK>{}</THINK>\n{}",
    "thinking": "<thinking>{}</thinking>\n{}",
    "thought": "<thought>\n{}\n</thought>\n{}",
    "reasoning": "<reasoning>{}</reasoning>\n\n{}",
    "magistral": "[THINK]{}[/THINK]{}",
    "seed": "<seed:think>{}</seed:think>{}",
    "kimi": "\u25c1think\u25b7{}\u25c1/think\u25b7{}",
    "command a": "<|START_THINKING|>{}<|END_THINKING|><|START_RESPONSE|>{}<|END_RESPONSE|>",
    "open thinker": "<|begin_of_thought|>\n{}\n<|end_of_thought|>\n<|begin_of_solution|>\n{}\n<|end_of_solution|>",
    "gpt-oss": "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>{}<|return|>",
    "gpt-oss without ends": "<|channel|>analysis<|message|>{}<|start|>assistant<|channel|>final<|message|>{}",
    "gpt-oss with its first head": "<|start|>assistant<|channel|>analysis<|message|>{}<|end|>"
    "<|start|>assistant<|channel|>final<|message|>{}",
    "gemma": "<|channel>thought\n{}<channel|>{}<turn|>",
    "solar": "<|think|>{}<|end|><|begin|>assistant<|content|>{}<|end|>",
    "hyperclova": "<|im_start|>assistant/think\n{}<|im_end|>\n<|im_start|>assistant\n{}<|im_end|>",
    "hunyuan": "<think>\n{}\n</think>\n<answer>\n{}\n</answer>",
    "after words": "잠시만요.\n<think>\n{}\n</think>\n{}",
    "no opener": "{}\n</think>\n\n{}",
    "no opener, one line": "{}</think>{}",
}


def shown_of(text: str, size: int, **options: bool) -> tuple[str, str, list[FoundCall]]:
    """The answer, the thoughts and the calls of a text in pieces of this size."""
    reader = ReplyReader(TOOLS, **options)
    answer = thoughts = ""
    calls: list[FoundCall] = []
    for start in range(0, len(text) + size, size):
        piece = text[start : start + size]
        for each in reader.take(piece) if piece else reader.end(whole=True):
            match each:
                case str():
                    answer += each
                case Thought(text=thought):
                    thoughts += thought
                case FoundCall():
                    calls.append(each)
                case WereThoughts():
                    thoughts, answer, calls = thoughts + answer, "", []
    return answer, thoughts, calls


@pytest.mark.parametrize("form", THOUGHTS.values(), ids=THOUGHTS.keys())
@pytest.mark.parametrize(
    "thought",
    [
        "The user greets me.",
        "사용자가 인사했다.\n\n1. 인사하자.",
        f"I could write {JSON}\nor\n{TAGGED}\nbut no.",
        "`</p>` 말고",
        '"인사해 줘"',
        'I must close it with "</think>" or `</reasoning>`, "</thought>" and so on',
    ],
)
def test_thoughts_are_no_part_of_the_answer_and_nothing_in_them_is_a_call(form: str, thought: str) -> None:
    answer = "안녕하세요!\n- 하나"
    for size in SIZES:
        shown, thoughts, calls = shown_of(form.format(thought, answer), size)
        assert (shown.removeprefix("잠시만요.\n").strip(), calls) == (answer, []), size
        # Without an opener a call in the thoughts is read before it is known to be one of them.
        assert thoughts.strip() == thought or (TAGGED in thought and form.startswith("{")), size


def test_every_thought_of_a_reply_is_one_and_parts_of_an_answer_stay_apart() -> None:
    several = "<think>a</think>네. <think>b</think>그리고\n<thinking>\nc\n</thinking>\n끝"
    parts = "<|channel|>commentary<|message|>볼게요.<|end|><|start|>assistant<|channel|>final<|message|>세 시예요."
    for size in SIZES:
        answer, thoughts, _ = shown_of(several, size)
        assert (answer.split(), thoughts.split()) == (["네.", "그리고", "끝"], ["abc"]), size
        assert shown_of(parts, size)[0] == "볼게요.\n\n세 시예요.", size


@pytest.mark.parametrize("form", THOUGHTS.values(), ids=THOUGHTS.keys())
@pytest.mark.parametrize("call", [TAGGED, f"\n{TAGGED}\n", f"<tools>{JSON}</tools>"])
def test_a_call_after_thoughts_is_one(form: str, call: str) -> None:
    for size in SIZES:
        shown, thoughts, calls = shown_of(form.format("5분이다.", call), size)
        assert (shown.removeprefix("잠시만요.").strip(), thoughts.strip(), calls) == ("", "5분이다.", [WANTED]), size


ABOUT_THOUGHTS = (
    "`<think>` 태그 안의 글은 `</think>` 에서 끝나요.",
    "예:\n```html\n<think>hm</think>\n```\n끝.",
    "```xml\n<reasoning>\n  <step/>\n</reasoning>\n```",
    'The element "<think>" is not part of HTML.',
    "<p>단락</p>\n<b>think</b>",
    "- <think> 는 여는 태그\n- </p> 는 닫는 태그",
    "생각(<think>)은 태그예요.",
    "The tags are <think> and </think>.",
    "생각은 <think>와 </think> 사이에 써요.",
    "1. <think> 로 열고\n2. </think> 로 닫아요.",
    "I think, therefore I am. [Think](https://example.org)",
    "x < think && y > 3",
    "[THINK",
    "<think",
)


@pytest.mark.parametrize("text", ABOUT_THOUGHTS)
def test_an_answer_about_the_tags_of_thoughts_stays_whole(text: str) -> None:
    for size in SIZES:
        assert shown_of(text, size) == (text, "", []), size


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<think>one</think>\ntwo\n</think>\n\nHello", "Hello"),
        ("one\n</think>\n\ntwo\n</think>\n\nHello", "Hello"),
        ("<think>one</think>\n생각을 더 하자.\n</think>\n안녕하세요", "안녕하세요"),
        (f"<think>one</think>\nI try it:\n<tool_call>{JSON}</tool_call>\n</think>\nHello", "Hello"),
        ("[THINK]one[/THINK]\ntwo\n[/THINK]\nHello", "Hello"),
        ("<reasoning>one</reasoning>two\n</reasoning>\nHello", "Hello"),
        ("<think>one</think>\n\n</think>\n\nHello", "Hello"),
        ("<think>one</think>Hello\n</think>\n", "Hello"),
        ("<think>one</think>Hello\n\n</think>", "Hello"),
        ("<think>one</think>The </think> tag ends it.", "The  tag ends it."),
        ("<think>one</think>It is:\n```\n</think>\n```\nHello", "It is:\n```\n</think>\n```\nHello"),
        ("<unused94>thought\none<unused95>Hello", "Hello"),
    ],
)
def test_thoughts_that_go_on_after_their_end_are_not_shown(text: str, shown: str) -> None:
    for size in SIZES:
        answer, _, calls = shown_of(text, size)
        assert (answer.strip(), calls) == (shown, []), size


@pytest.mark.parametrize("end", ["<|im_end|>", "<|eot_id|>", "</s>", "<end_of_turn>\n", "<|endoftext|>", "<|return|>"])
@pytest.mark.parametrize("text", ["안녕하세요.", 'He said "yes"', "끝:", "`a < b`", "```\ncode\n```\n"])
def test_a_token_at_the_end_is_not_shown(text: str, end: str) -> None:
    for size in SIZES:
        assert shown_of(f"{text}{end}", size)[0].strip() == text.strip(), size


def test_what_a_model_makes_up_for_the_user_is_not_shown() -> None:
    text = "안녕하세요.<|im_end|>\n<|im_start|>user\n날씨는?<|im_end|>\n<|im_start|>assistant\n맑아요."
    for size in SIZES:
        assert shown_of(text, size)[0].strip() == "안녕하세요.", size


@pytest.mark.parametrize(
    "text", ["음, 5분이다.\n</think>\n네.", "<think>음, 5분이다.</think>네.", "음, 5분이다.</think>네."]
)
def test_a_reply_that_begins_with_thoughts_never_shows_them(text: str) -> None:
    for size in SIZES:
        reader = ReplyReader(TOOLS, begins_with_thoughts=True)
        found = [each for start in range(0, len(text), size) for each in reader.take(text[start : start + size])]
        found += reader.end(whole=True)
        assert "".join(each for each in found if isinstance(each, str)) == "네.", size
        assert "".join(each.text for each in found if isinstance(each, Thought)).strip() == "음, 5분이다.", size


def test_thoughts_that_do_not_end_are_no_answer() -> None:
    for size in SIZES:
        assert shown_of("<think>\n5분이면 라면이 익는다. 그러니", size) == ("", "5분이면 라면이 익는다. 그러니", []), (
            size
        )
