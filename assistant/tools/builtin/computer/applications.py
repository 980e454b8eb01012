"""Applications and web pages of the user's desktop."""

import asyncio

from assistant.core.permissions import Category
from assistant.tools.signature import tool_of
from assistant.tools.system.applications import Launcher
from assistant.tools.tool import Tool

_START = ("앱", "프로그램", "실행", "켜", "열", "app", "program", "launch")
_SHOW = ("브라우저", "웹 페이지", "사이트", "홈페이지", "띄워", "website", "site")


def application_tools(launcher: Launcher) -> tuple[Tool, ...]:
    """The tools that start applications and open pages in the browser."""

    async def open_application(name: str) -> str:
        """Starts an application on the user's desktop.

        Args:
            name: its name in Korean or English, such as Firefox or 계산기.
        """
        return f"Started {await asyncio.to_thread(launcher.open_application, name)}."

    async def open_in_browser(address: str) -> str:
        """Opens a web page in the user's own browser, for the user to see.

        Args:
            address: address of the page, http or https.
        """
        await asyncio.to_thread(launcher.open_page, address)
        return f"Opened {address} in the browser."

    return (
        tool_of(open_application, category=Category.SENSITIVE, idempotent=False, search_words=_START),
        tool_of(open_in_browser, category=Category.SENSITIVE, idempotent=False, search_words=_SHOW, outbound=True),
    )
