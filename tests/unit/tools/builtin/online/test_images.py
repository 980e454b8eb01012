from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.agent.gates.grounding import tools_with_evidence
from assistant.core.permissions import LOCAL_ASSISTANT, Category, Verdict
from assistant.llm.backend import ImageShape, ToolSchema
from assistant.tools.attendant import AskReason
from assistant.tools.builtin.online.images import LONGEST_PROMPT, WITHIN_S, image_tools
from assistant.tools.folders.pictures import PictureFolder
from assistant.tools.taint import Taint
from assistant.tools.tool import Baseline, Tool, ToolError, ToolOutput
from tests.fakes.asking.served_call import served_call
from tests.fakes.pictures import drawn, encoded

PICTURE = encoded(drawn())


class Painter:
    """Implements ``ImageMaker`` with one picture."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.chosen = True
        self.local = False

    def available(self) -> bool:
        return self.chosen

    def stays_here(self) -> bool:
        return self.local

    async def make(self, prompt: str, shape: ImageShape) -> tuple[str, bytes]:
        self.asked.append((prompt, shape))
        return "image/png", PICTURE


@pytest.fixture
def painter() -> Painter:
    return Painter()


@pytest.fixture
def tool(painter: Painter, tmp_path: Path) -> Tool:
    (tool,) = image_tools(painter, PictureFolder(tmp_path / "pictures"))
    return tool


async def made(tool: Tool, **arguments: Any) -> ToolOutput:
    output = await tool.run(arguments, served_call())
    assert isinstance(output, ToolOutput)
    return output


async def test_the_picture_is_saved_shown_and_its_place_is_told(tool: Tool, painter: Painter, tmp_path: Path) -> None:
    first = await made(tool, prompt="고양이  한 마리")
    second = await made(tool, prompt="고양이 한 마리", shape="portrait")
    path = tmp_path / "pictures" / "고양이 한 마리.png"
    assert painter.asked == [("고양이 한 마리", "square"), ("고양이 한 마리", "portrait")]
    assert path.read_bytes() == PICTURE
    (file,) = first.files
    assert (file.path, file.attachment.name, file.attachment.read()) == (str(path), path.name, PICTURE)
    assert str(path) in first.text
    assert second.files[0].attachment.name == "고양이 한 마리 2.png"
    assert first.attachments == ()


async def test_a_description_that_is_no_file_name_is_saved_as_well(tool: Tool, tmp_path: Path) -> None:
    (file,) = (await made(tool, prompt="../..")).files
    assert Path(file.path).parent == tmp_path / "pictures"


@pytest.mark.parametrize("prompt", [" ", "x" * (LONGEST_PROMPT + 1)])
async def test_a_description_is_needed_and_has_an_end(tool: Tool, painter: Painter, prompt: str) -> None:
    with pytest.raises(ToolError):
        await tool.run({"prompt": prompt}, served_call())
    assert painter.asked == []


def test_it_is_offered_with_a_model_asks_and_has_time(tool: Tool, painter: Painter) -> None:
    assert tool.available()
    assert (tool.category, tool.timeout_s, tool.baseline) == (Category.SENSITIVE, WITHIN_S, Baseline.ALL)
    assert LOCAL_ASSISTANT.verdict(tool.name, tool.category) is Verdict.ASK
    painter.chosen = False
    assert not tool.available()


def test_private_words_leave_only_for_another_computer(tool: Tool, painter: Painter) -> None:
    unasked = replace(tool, category=Category.SAFE)
    taint = Taint(private_read=True, request="그림 그려 줘")
    assert taint.reason(unasked, {"prompt": "비밀 일기"}) is AskReason.PRIVATE
    painter.local = True
    assert taint.reason(unasked, {"prompt": "비밀 일기"}) is AskReason.NONE


@pytest.mark.parametrize(
    ("request_text", "offered"),
    [
        ("고양이 그림 그려 줘", True),
        ("배경 화면으로 쓸 이미지 하나 만들어 줘", True),
        ("draw a cat in the snow", True),
        ("지금 몇 시야?", False),
        ("what is the capital of France?", False),
    ],
)
def test_a_small_model_may_draw_when_it_is_asked_in_plain_words(tool: Tool, request_text: str, offered: bool) -> None:
    schema = ToolSchema(
        name=tool.name, description=tool.description, parameters=tool.parameters, evidence=tool.evidence
    )
    assert bool(tools_with_evidence((schema,), request_text)) is offered


@pytest.mark.parametrize(
    ("request_text", "ordered"),
    [
        ("고양이 그림 그려 줘", True),
        ("고양이 그려줘", True),
        ("눈 덮인 산 사진 하나 만들어 줘", True),
        ("로고 이미지를 생성해 주세요", True),
        ("우주를 나는 고래를 그려 볼래? 아니 그려 줄래?", True),
        ("draw a cat in the snow", True),
        ("Please paint me the sea", True),
        ("can you make a picture of a whale?", True),
        ("이 그림 어때?", False),
        ("나는 그림 그리는 걸 좋아해", False),
        ("매출 표를 그려 줘", False),
        ("순서도를 그려 주세요", False),
        ("어제 그림 그려 준 사람이 누구야?", False),
        ("draw a table of the planets", False),
        ("what did you draw?", False),
        ("make a list of pictures I should see", False),
    ],
)
def test_an_order_to_draw_is_told_from_talk_of_pictures(tool: Tool, request_text: str, ordered: bool) -> None:
    assert tool.evidence.is_ordered_in(request_text) is ordered
