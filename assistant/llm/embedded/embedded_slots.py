"""Asks the embedded server to save a slot to a file, and to restore a slot from one.

See https://github.com/ggml-org/llama.cpp/tree/master/tools/server, "POST /slots/{id_slot}?action=save".
"""

from typing import Any, Literal

import httpx2

from assistant.llm.embedded.slots import CONVERSATION_SLOT, SlotRefusedError, SlotUnreachableError
from assistant.llm.transport.server_errors import words_of

_CONNECT_S = 2.0
_ANSWER_S = 30.0
"""Long enough for a state of a gigabyte on a slow disk. A server that is answering saves only afterwards."""


class EmbeddedSlots:
    """Implements ``Slots`` with the server's HTTP interface on loopback.

    Args:
        base_url: the server's address with ``/v1`` at its end, as for chat requests.
        key: the server's API key.
    """

    def __init__(self, base_url: str, key: str) -> None:
        self._address = f"{base_url.removesuffix('/v1')}/slots"
        self._key = key

    async def save(self, file: str) -> int:
        """Save the conversation's slot to a file; returns the bytes written."""
        return int((await self._do("save", file, CONVERSATION_SLOT)).get("n_written", 0))

    async def restore(self, file: str, slot: int = CONVERSATION_SLOT) -> None:
        """Restore a slot from a file."""
        await self._do("restore", file, slot)

    async def _do(self, action: Literal["save", "restore"], file: str, slot: int) -> dict[str, Any]:
        timeout = httpx2.Timeout(_ANSWER_S, connect=_CONNECT_S)
        headers = {"Authorization": f"Bearer {self._key}"}
        try:
            # A proxy from the environment cannot reach loopback.
            async with httpx2.AsyncClient(trust_env=False, timeout=timeout, headers=headers) as client:
                address = f"{self._address}/{slot}"
                response = await client.post(address, params={"action": action}, json={"filename": file})
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            raise SlotUnreachableError(str(error) or type(error).__name__) from error
        try:
            told = response.json()
        except ValueError as error:
            raise SlotRefusedError("the server answers no JSON") from error
        if response.status_code != httpx2.codes.OK:
            raise SlotRefusedError(words_of(told) or f"status {response.status_code}")
        return told if isinstance(told, dict) else {}
