"""The page for those who write a service shows what is there."""

import re
from textwrap import dedent

import pytest

from assistant.host.places import PROJECT
from assistant.host.texts import load_texts

PAGE = (PROJECT / "docs" / "adding-a-flow.md").read_text("utf-8")
BLOCKS = [
    dedent(each).strip() for each in re.findall(r"^ *```(?:python|yaml)\n(.*?)^ *```", PAGE, re.MULTILINE | re.DOTALL)
]
FILES = [
    re.sub(r"\s+", "", path.read_text("utf-8"))
    for path in (PROJECT / "assistant" / "flows" / "services").rglob("*")
    if path.suffix in {".py", ".yaml"}
]


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_of_code_is_part_of_a_service(block: str) -> None:
    # Lines are broken elsewhere where a block stands deeper in its file.
    assert any(re.sub(r"\s+", "", block) in each for each in FILES)


def test_all_actions_of_the_command_are_told() -> None:
    actions = {each.split(".")[2] for each in load_texts("en").keys if re.fullmatch(r"cli\.flows\.\w+\.summary", each)}
    assert set(re.findall(r"^sori flows (\w+)", PAGE, re.MULTILINE)) == actions
