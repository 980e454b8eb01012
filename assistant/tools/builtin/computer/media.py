"""What plays on the user's computer."""

from typing import Literal

from assistant.core.permissions import Category
from assistant.llm.backend import Evidence
from assistant.tools.signature import tool_of
from assistant.tools.system.media import MediaAction, MediaControl
from assistant.tools.tool import Tool

_PLAYER = Evidence(
    words=(
        *("음악", "노래", "곡", "영상", "동영상", "재생", "틀어", "멈", "정지", "꺼", "넘겨", "다음", "이전"),
        *("music", "song", "track", "video", "play", "pause", "stop", "resume", "skip", "next", "previous"),
    )
)
_PLAYING = ("노래", "곡", "제목", "가수", "재생", "song", "music", "track")


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
        tool_of(control_media, category=Category.SENSITIVE, idempotent=False, evidence=_PLAYER),
        # Pages and files name the titles.
        tool_of(whats_playing, category=Category.SAFE, idempotent=True, search_words=_PLAYING, untrusted=True),
    )
