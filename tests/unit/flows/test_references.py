"""What the checklist finds of texts and steps that do not exist, and what it leaves alone."""

import ast
from textwrap import indent

import pytest

from assistant.flows.loading.references import check_steps, check_texts
from assistant.host.texts import load_texts
from assistant.tools.registry import tool_schemas

MESSAGES = """
TEXTS = Messages(
    ko={"begun": "시작", "confirm": "{what:을/를} {when}에?", "ask_day": "며칠?", "ask_hour": "몇 시?"},
    en={"begun": "Begun", "confirm": "{what}, {when}?", "ask_day": "Day?", "ask_hour": "Hour?"},
)
"""
SAVE = {
    "type": "object",
    "properties": {"what": {"type": "string"}, "count": {"type": "integer", "minimum": 1}, "note": {"type": "string"}},
    "required": ["what", "count"],
    "additionalProperties": False,
}
_TEXT = [
    ('self._say(context, "begun")', ""),
    ('self._say(context, "begin")', "no_text"),
    ('TEXTS(language, "begin")', "no_text"),
    ('TEXTS(language, "begun")', ""),
    ('self._parts.messages(context.language, "ended")', "no_text"),
    ('self._say(context, f"ask_{slot}")', ""),
    ('self._say(context, f"tell_{slot}")', "no_text"),
    ('self._say(context, "begun" if first else "again")', "no_text"),
    ("self._say(context, key)", ""),
    ('self._say(context, "confirm", what=what, when=when)', ""),
    ('self._say(context, "confirm", what=what)', "no_value"),
    ('self._say(context, "confirm", **values)', ""),
    ('self._say(context, "begun", more=1)', ""),
    ("self._buttons(context)", "no_text no_text no_text no_text"),
    ('other(context, "begin")', ""),
]
_STEP = [
    ('self._propose(context, "save", {"what": what, "count": 1}, text)', ""),
    ("self._propose(context, SAVE, arguments, text)", ""),
    ("self._propose(context, names.SAVE, arguments, text)", ""),
    ('self._propose(context, "send", {}, text)', "no_step"),
    ("self._propose(context, LOST, {}, text)", "no_step"),
    ('self._propose(context, step="send", arguments={}, text=text)', "no_step"),
    ('self._propose(context, "save", {"what": what}, text)', "wrong_arguments"),
    ('self._propose(context, "save", {"what": what, "count": 0}, text)', "wrong_arguments"),
    ('self._propose(context, "save", {"what": 5, "count": 1}, text)', "wrong_arguments"),
    ('self._propose(context, "save", {"what": what, "count": 1, "day": day}, text)', "wrong_arguments"),
    ('self._propose(context, "save", {"what": what, **more}, text)', ""),
    ('self._propose(context, "save", made_of(slots), text)', ""),
    ('self._propose(context, "save", wrong_of(slots), text)', "wrong_arguments wrong_arguments"),
    ("self._propose(context, step, arguments, text)", ""),
    ('self._read(context, "set_alarm")', ""),
    ('self._read(context, "list_alarms")', "no_step"),
    ('self._propose(context, "set_alarm", {"when": due}, text)', ""),
    ('self._propose(context, "set_alarm", {"at": due}, text)', "wrong_arguments wrong_arguments"),
    ('self._propose(context, "list_alarms", {}, text)', "no_step"),
    ('self._propose(context, "mcp_mail_send", {"to": to}, text)', ""),
]
_LOGIC = """
SAVE = "save"
LOST: Final = "sav"
def made_of(slots):
    return {"what": slots.what, "count": slots.count, "note": ""}
def wrong_of(slots):
    return {"what": slots.what, "number": slots.count}
"""
_MANIFEST = 'manifest = Manifest(\n    steps=(save_tool(),),\n    uses=("set_alarm", "mcp_mail_send"),\n)'


def trees(line: str, manifest: str = _MANIFEST) -> dict[str, ast.Module]:
    handler = f"class Handler(BaseFlowHandler):\n    async def run(self, context):\n{indent(line, '        ')}\n"
    files = {"messages.py": MESSAGES, "logic.py": _LOGIC, "manifest.py": manifest, "flows/handlers.py": handler}
    return {path: ast.parse(source) for path, source in files.items()}


@pytest.mark.parametrize(("line", "keys"), _TEXT)
def test_a_text_that_no_language_has_is_found(line: str, keys: str) -> None:
    faults = list(check_texts(trees(line)))
    assert [each.key for each in faults] == keys.split()
    assert {(each.file, each.line, each.fatal) for each in faults} <= {("flows/handlers.py", 3, False)}


@pytest.mark.parametrize(("line", "keys"), _STEP)
def test_a_step_that_cannot_run_is_found(line: str, keys: str) -> None:
    own, uses = {"save": SAVE}, ("set_alarm", "mcp_mail_send")
    faults = list(check_steps(trees(line), own, uses, tool_schemas()))
    assert [each.key for each in faults] == keys.split()
    assert {(each.file, each.line) for each in faults} <= {("flows/handlers.py", 3), ("logic.py", 7)}


@pytest.mark.parametrize(
    ("used", "wrong"),
    [("set_alarm", ""), ("set_alarms", "set_alarm"), ("create_notes", "create_note"), ("mcp_mail_send", "")],
)
def test_a_tool_that_sori_does_not_have_is_found(used: str, wrong: str) -> None:
    manifest = _MANIFEST.replace("set_alarm", used)
    faults = list(check_steps(trees("pass", manifest), {}, (used,), tool_schemas()))
    assert [(each.key, each.file, each.line) for each in faults] == [("no_tool", "manifest.py", 3)] * bool(wrong)
    assert all(wrong in each.values["near"].split(", ") for each in faults)


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("line", [*(line for line, keys in _TEXT if keys), *(line for line, keys in _STEP if keys)])
def test_each_finding_has_words_and_a_remedy(line: str, language: str) -> None:
    texts = load_texts(language)
    for each in (*check_texts(trees(line)), *check_steps(trees(line), {"save": SAVE}, ("set_alarm",), tool_schemas())):
        assert texts(f"flow_service.fault.{each.key}", **each.values)
        assert texts(f"flow_service.remedy.{each.key}", **each.values)
