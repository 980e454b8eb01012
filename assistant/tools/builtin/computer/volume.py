"""The tools that read and set the computer's volume."""

from assistant.core.permissions import Category
from assistant.llm.backend import Evidence
from assistant.tools.acts import Act
from assistant.tools.signature import tool_of
from assistant.tools.system.volume import VolumeControl
from assistant.tools.tool import Baseline, Tool, ToolError

_SOUND = ("볼륨", "음량", "소리", "시끄", "volume", "loud", "quiet", "sound", "nois")
_LOUDER = (
    *("크게", "작게", "조용", "키워", "키우", "줄여", "줄이", "높여", "높이"),
    *("낮춰", "낮추", "올려", "올리", "내려", "내리"),
    *("turn", "up", "down", "lower", "raise"),
)
_SETS = Act(
    names=(
        r"(?:볼륨|음량|소리|사운드).*(?:올려|올리|내려|내리|줄여|줄이|키워|키우|높여|높이|낮춰|낮추|맞춰|맞추|설정|바꿔|크게|작게|꺼|끄|최대|최소|\d)"
        r"|음소거|(?:좀|더|너무)?\s?(?:조용히|작게|크게) (?:해|말해|틀어|하)|시끄러"
        r"|\b(?:set|turn|put|make|raise|lower|increase|decrease|reduce|drop|bring|crank|change|want|need"
        r"|like)\b.*\b(?:volume|sound|it (?:up|down)|loud|quiet)"
        r"|\bvolume\s+(?:to|at|up|down|\d|max|min)|\b(?:mute|unmute|louder|quieter)\b|\bturn (?:it |that "
        r"|the music )?(?:up|down)\b"
    ),
)


def volume_tools(volume: VolumeControl) -> tuple[Tool, ...]:
    """The tools that read and set the volume."""

    async def get_volume() -> str:
        """Tells the computer's volume in percent."""
        return f"{await volume.level()} %"

    async def set_volume(percent: int) -> str:
        """Sets the computer's volume.

        Args:
            percent: from 0 to 100.
        """
        if not 0 <= percent <= 100:
            raise ToolError("tool_reason.volume_range")
        await volume.set_level(percent)
        return f"The volume is now {percent} %."

    return (
        tool_of(
            get_volume, category=Category.SAFE, idempotent=True, evidence=Evidence(words=_SOUND), baseline=Baseline.ALL
        ),
        tool_of(
            set_volume,
            category=Category.SENSITIVE,
            idempotent=True,
            evidence=Evidence(words=(*_SOUND, *_LOUDER), figures=True),
            act=_SETS,
            baseline=Baseline.ALL,
        ),
    )
