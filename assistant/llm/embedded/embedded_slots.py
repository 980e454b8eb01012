"""Asks the embedded server to write what it has read to a file, and to take it from one again.

llama.cpp calls the memory of one conversation a slot; the embedded server has a single one, number 0. See
https://github.com/ggml-org/llama.cpp/tree/master/tools/server, "POST /slots/{id_slot}?action=save".
"""

from typing import Any, Literal

import httpx2

from assistant.llm.embedded.slots import SlotRefusedError, SlotUnreachableError
from assistant.llm.transport.server_errors import words_of

_CONNECT_S = 2.0
_ANSWER_S = 30.0
"""A state of a gigabyte on a slow disk; a server that answers somebody does this only afterwards."""


class EmbeddedSlots:
    """Implements ``Slots`` with the server's own HTTP interface, on loopback.

    Args:
        base_url: of the server, with ``/v1`` at its end as chat requests want it.
        key: the server's API key.
    """

    def __init__(self, base_url: str, key: str) -> None:
        self._address = f"{base_url.removesuffix('/v1')}/slots/0"
        self._key = key

    async def save(self, file: str) -> int:
        """Write to a file."""
        return int((await self._do("save", file)).get("n_written", 0))

    async def restore(self, file: str) -> None:
        """Take from a file."""
        await self._do("restore", file)

    async def _do(self, action: Literal["save", "restore"], file: str) -> dict[str, Any]:
        timeout = httpx2.Timeout(_ANSWER_S, connect=_CONNECT_S)
        headers = {"Authorization": f"Bearer {self._key}"}
        try:
            # A proxy of the environment is not for this machine.
            async with httpx2.AsyncClient(trust_env=False, timeout=timeout, headers=headers) as client:
                response = await client.post(self._address, params={"action": action}, json={"filename": file})
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            raise SlotUnreachableError(str(error) or type(error).__name__) from error
        try:
            told = response.json()
        except ValueError as error:
            raise SlotRefusedError("the server answers no JSON") from error
        if response.status_code != httpx2.codes.OK:
            raise SlotRefusedError(words_of(told) or f"status {response.status_code}")
        return told if isinstance(told, dict) else {}
