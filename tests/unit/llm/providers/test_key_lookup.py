"""Keys are looked up beside the loop: a keyring may ask the user to unlock it, and Sori hears and speaks meanwhile."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.core.settings import Provider
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.providers import local, openai
from assistant.llm.sdk_backend import SdkBackend
from tests.fakes.ledger import MemoryLedger

Create = Callable[[BackendNeeds], local.LocalBackend | SdkBackend]


@pytest.mark.parametrize("create", [openai.create, local.create])
async def test_a_key_is_not_looked_up_on_the_loops_thread(create: Create) -> None:
    threads: list[threading.Thread] = []

    def key_of(_provider: Provider) -> str:
        threads.append(threading.current_thread())
        return "sk-1"

    backend = create(BackendNeeds(ledger=MemoryLedger(), key_of=key_of, embedded_model=Path("none")))
    await backend.prepare(Provider(name="mine", kind="openai", base_url="http://127.0.0.1:9/v1"))
    await backend.close()
    assert threads
    assert threading.current_thread() not in threads
