"""Asks the embedded server to save a slot to a file, to restore a slot from one, and to count tokens.

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
        self._server = base_url.removesuffix("/v1")
        self._key = key

    async def count_tokens(self, text: str) -> int:
        """The number of tokens in a text, by the tokenizer of the server's model.

        Raises:
            SlotRefusedError: the server refused.
            SlotUnreachableError: the server is not running.
        """
        tokens = (await self._post("/tokenize", {"content": text}, {})).get("tokens")
        if not isinstance(tokens, list):
            raise SlotRefusedError("the server counts no tokens")
        return len(tokens)

    async def save(self, file: str) -> int:
        """Save the conversation's slot to a file; returns the bytes written."""
        return int((await self._do("save", file, CONVERSATION_SLOT)).get("n_written", 0))

    async def restore(self, file: str, slot: int = CONVERSATION_SLOT) -> None:
        """Restore a slot from a file."""
        await self._do("restore", file, slot)

    async def _do(self, action: Literal["save", "restore"], file: str, slot: int) -> dict[str, Any]:
        return await self._post(f"/slots/{slot}", {"filename": file}, {"action": action})

    async def _post(self, path: str, body: dict[str, str], parameters: dict[str, str]) -> dict[str, Any]:
        timeout = httpx2.Timeout(_ANSWER_S, connect=_CONNECT_S)
        headers = {"Authorization": f"Bearer {self._key}"}
        try:
            # A proxy from the environment cannot reach loopback.
            async with httpx2.AsyncClient(trust_env=False, timeout=timeout, headers=headers) as client:
                response = await client.post(f"{self._server}{path}", params=parameters, json=body)
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            raise SlotUnreachableError(str(error) or type(error).__name__) from error
        try:
            told = response.json()
        except ValueError as error:
            raise SlotRefusedError("the server answers no JSON") from error
        if response.status_code != httpx2.codes.OK:
            raise SlotRefusedError(words_of(told) or f"status {response.status_code}")
        return told if isinstance(told, dict) else {}
