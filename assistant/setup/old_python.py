"""The message for a Python that is too old. Old versions read this file, so its syntax is that of Python 3.6."""

import os
from collections.abc import Mapping

_KOREAN = """소리에는 Python {wanted} 이상이 필요해요. 지금은 {found}로 실행했어요.
  {remedy}
설치한 뒤 새 Python으로 다시 실행해 주세요: python{wanted} main.py
"""

_ENGLISH = """Sori needs Python {wanted} or newer. This is {found}.
  {remedy}
Then start it with the new one: python{wanted} main.py
"""

_REMEDIES = {
    "linux": "sudo apt install python{wanted} python{wanted}-venv",
    "darwin": "brew install python@{wanted}",
    "win32": "winget install Python.Python.{wanted}",
}


def explain(
    found: "tuple[int | str, ...]",
    wanted: "tuple[int, ...]",
    platform: str,
    environment: "Mapping[str, str]" = os.environ,
) -> str:
    """The message for the user, in Korean or English by the desktop's language.

    Args:
        found: version of the running Python.
        wanted: the oldest supported version.
        platform: ``sys.platform``.
        environment: environment variables.
    """
    language = ""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        language = language or environment.get(name, "")
    words = _KOREAN if language.lower().startswith("ko") else _ENGLISH
    version = ".".join(str(part) for part in wanted[:2])
    return words.format(
        wanted=version,
        found=".".join(str(part) for part in found[:3]),
        remedy=_REMEDIES.get(platform, "https://www.python.org/downloads/").format(wanted=version),
    )
