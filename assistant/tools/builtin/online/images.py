"""Pictures that an image model makes, at the server that the user has chosen."""

import asyncio
from typing import Protocol

from assistant.core.messages import Attachment, MadeFile
from assistant.core.permissions import Category
from assistant.llm.attachments.made_image import ENDINGS
from assistant.llm.backend import Evidence, ImageShape
from assistant.tools.folders.pictures import PictureFolder
from assistant.tools.signature import tool_of
from assistant.tools.tool import Tool, ToolError, ToolOutput

WITHIN_S = 300.0
"""Seconds for one picture. A computer without a graphics card takes minutes for it."""
LONGEST_PROMPT = 4_000
"""Characters of a description; image models read no longer ones."""
_EVIDENCE = Evidence(
    words=(
        *("그림", "이미지", "사진", "그려", "일러스트", "포스터", "로고", "배경화면"),
        *("picture", "image", "draw", "paint", "photo", "illustration", "poster", "logo", "sketch", "wallpaper"),
    )
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
            raise ToolError("Describe what the picture shows.")
        if len(described) > LONGEST_PROMPT:
            raise ToolError(f"Describe the picture in at most {LONGEST_PROMPT} characters.")
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
            available=lambda: maker.available(),
            outbound=True,
            stays_here=lambda: maker.stays_here(),
            timeout_s=WITHIN_S,
        ),
    )
