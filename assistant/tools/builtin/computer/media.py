"""What plays on the user's computer."""

from typing import Literal

from assistant.core.permissions import Category
from assistant.tools.signature import tool_of
from assistant.tools.system.media import MediaAction, MediaControl
from assistant.tools.tool import Tool


def media_tools(media: MediaControl) -> tuple[Tool, ...]:
    """The tools that control the player and tell what plays."""

    async def control_media(action: Literal["play", "pause", "next", "previous"]) -> str:
        """Plays or pauses the music or video that is open on the computer, or goes to the next or previous track.

        Args:
            action: what to do.
        """
        await media.do(MediaAction(action))
        return f"Done: {action}."

    async def whats_playing() -> str:
        """Tells the title and artist of what plays on the computer."""
        return await media.playing()

    return (
        tool_of(control_media, category=Category.SENSITIVE, idempotent=False, for_small_models=False),
        # Pages and files name the titles.
        tool_of(whats_playing, category=Category.SAFE, idempotent=True, for_small_models=False, untrusted=True),
    )
