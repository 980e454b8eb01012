"""Pictures that an image model makes, at the server that the user has chosen."""

import asyncio
from typing import Protocol

from assistant.core.messages import Attachment, MadeFile
from assistant.core.permissions import Category
from assistant.llm.attachments.made_image import ENDINGS
from assistant.llm.backend import Evidence, ImageShape
from assistant.tools.folders.pictures import PictureFolder
from assistant.tools.signature import tool_of
from assistant.tools.tool import Baseline, Tool, ToolError, ToolOutput

WITHIN_S = 300.0
"""Seconds for one picture. A computer without a graphics card takes minutes for it."""
LONGEST_PROMPT = 4_000
"""Characters of a description; image models read no longer ones."""
_NO_PICTURE = (
    "표|그래프|차트|도표|순서도|다이어그램|아스키|글자|그림자|table|graph|chart|diagram|ascii|conclusion|svg|code"
)
"""What is drawn in letters, or not drawn at all."""
_ORDERS = (
    rf"^(?!.*(?:{_NO_PICTURE}))(?:"
    r".*(?:그림|이미지|사진|일러스트|포스터|로고|배경 ?화면).{0,14}(?:그려|만들어|생성해)|.*\S.*그려)"
    r" ?(?:줘|주세요|주라|달라|줄래|줄 수|봐|$)"
    rf"|^(?!.*\b(?:{_NO_PICTURE})\b)(?:(?:please|can you|could you|sori),? )*"
    r"(?:(?:draw|paint|sketch)\b|(?:make|create|generate)\b.{0,20}\b(?:picture|image|photo|drawing|painting|illustration|logo|poster)\b)"
)
"""A small model otherwise answers that it cannot draw."""
_EVIDENCE = Evidence(
    words=(
        *("그림", "이미지", "사진", "그려", "일러스트", "포스터", "로고", "배경화면"),
        *("picture", "image", "draw", "paint", "photo", "illustration", "poster", "logo", "sketch", "wallpaper"),
    ),
    orders=_ORDERS,
)


class ImageMaker(Protocol):
    """Makes pictures with the model that the user has chosen."""

    def available(self) -> bool:
        """Whether a model is chosen."""
        ...

    def stays_here(self) -> bool:
        """Whether the model's server is on this machine."""
        ...

    async def make(self, prompt: str, shape: ImageShape) -> tuple[str, bytes]:
        """Make a picture.

        Returns:
            The media type, one of ``ENDINGS``, and the bytes of a whole picture.

        Raises:
            SoriError: the server refuses, cannot be reached, or sends no picture.
        """
        ...


def image_tools(maker: ImageMaker, pictures: PictureFolder) -> tuple[Tool, ...]:
    """The tool that makes pictures.

    Args:
        maker: makes the pictures.
        pictures: where they are saved for the user.
    """

    async def generate_image(prompt: str, shape: ImageShape = "square") -> ToolOutput:
        """Makes a new picture, drawing or photo from a description, and shows it to the user.

        Args:
            prompt: what the picture shows and in which style.
            shape: the shape of the picture.
        """
        described = " ".join(prompt.split())
        if not described:
            raise ToolError("tool_reason.empty", name="prompt")
        if len(described) > LONGEST_PROMPT:
            raise ToolError("tool_reason.too_long", name="prompt", most=LONGEST_PROMPT)
        kind, data = await maker.make(described, shape)
        path = await asyncio.to_thread(pictures.save, described, ENDINGS[kind], data)
        made = Attachment(mime_type=kind, name=path.name, data=data)
        text = f"Saved as {path}. The user sees the picture."
        return ToolOutput(text=text, files=(MadeFile(attachment=made, path=str(path)),))

    return (
        tool_of(
            generate_image,
            category=Category.SENSITIVE,
            idempotent=False,
            evidence=_EVIDENCE,
            # It is there only for a user who has set a model, and a small model needs the evidence.
            baseline=Baseline.ALL,
            available=lambda: maker.available(),
            outbound=True,
            stays_here=lambda: maker.stays_here(),
            timeout_s=WITHIN_S,
        ),
    )
