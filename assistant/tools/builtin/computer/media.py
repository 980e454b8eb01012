"""What plays on the user's computer."""

from typing import Literal

from assistant.core.permissions import Category
from assistant.llm.backend import Evidence
from assistant.tools.acts import Act
from assistant.tools.signature import tool_of
from assistant.tools.system.media import MediaAction, MediaControl
from assistant.tools.tool import Tool

_PLAYER = Evidence(
    words=(
        *("음악", "노래", "곡", "영상", "동영상", "재생", "틀어", "멈", "정지", "꺼", "넘겨", "다음", "이전"),
        *("music", "song", "track", "video", "play", "pause", "stop", "resume", "skip", "next", "previous"),
    )
)
_ACTIONS = {
    "play": r"재생|틀어|틀(?=고)|계속|다시|이어|\b(?:play|resume|continue|unpause|start)\b",
    "pause": r"멈|정지|꺼|끄|그만|세워|\b(?:pause|stop|halt|turn off)\b",
    "next": r"다음|넘겨|넘기|건너|스킵|\b(?:next|skip)\b",
    "previous": r"이전|전 곡|앞 곡|되돌|\b(?:previous|last|back)\b",
}
_CONTROLS = Act(
    names=(
        r"(?:음악|노래|곡|영상|동영상|비디오|재생|트랙).*(?:틀어|틀고|재생|멈|정지|꺼|끄|넘겨|넘기|건너|다음|이전|계속|다시|이어|스킵)"
        r"|(?:다음|이전|앞|전)\s?(?:거|것|곡|노래|트랙|영상)|(?:재생|일시\s?정지)\s?(?:해|시켜|하고)"
        r"|\b(?:play|pause|stop|resume|skip|continue|unpause|next|previous)\b.*\b(?:music|song|track|video"
        r"|playback|player|one|this|that|it)\b"
        r"|^\W*(?:please )?(?:play|pause|resume|skip|next|previous)\W*(?:please)?\W*$"
    ),
    values=_ACTIONS,
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
        tool_of(control_media, category=Category.SENSITIVE, idempotent=False, evidence=_PLAYER, act=_CONTROLS),
        # Pages and files name the titles.
        tool_of(whats_playing, category=Category.SAFE, idempotent=True, search_words=_PLAYING, untrusted=True),
    )
