import importlib
import sys
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from assistant.core.errors import ErrorCode, ProviderError
from assistant.core.settings import Provider
from assistant.llm.backend import Finish, Finished, ModelDelta, ModelRequest, ProviderBackend
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.router import BackendRegistry, kinds_found
from tests.fakes.ledger import MemoryLedger

NEEDS = BackendNeeds(ledger=MemoryLedger(), key_of=lambda _: "", embedded_model=Path("absent.gguf"))

GOOD = """
from tests.unit.llm.test_router import Backend

KINDS = ("openai", "zai")

def create(needs):
    return Backend()
"""


class Backend(ProviderBackend):
    def __init__(self) -> None:
        self.closed = 0

    async def stream(self, provider: Provider, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        yield Finished(reason=Finish.STOP)

    async def close(self) -> None:
        self.closed += 1


class Stubborn(Backend):
    async def close(self) -> None:
        raise OSError("busy")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    folder = tmp_path / "some_providers"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "good.py").write_text(GOOD)
    (folder / "google.py").write_text("import a_library_that_is_not_installed\n")
    (folder / "anthropic.py").write_text("KIND = 'anthropic'\ndef create(needs):\n    raise ValueError('no')\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("some_providers")
    for name in [name for name in sys.modules if name.startswith("some_providers")]:
        del sys.modules[name]


def test_a_module_serves_all_its_kinds_with_one_backend(package: ModuleType) -> None:
    router = BackendRegistry.discovered(NEEDS, package)
    assert router.kinds == ("openai", "zai")
    openai, zai = Provider(name="a", kind="openai"), Provider(name="b", kind="zai")
    assert router.backend_for(openai) is router.backend_for(zai)


@pytest.mark.parametrize(("kind", "reason"), [("google", "a_library_that_is_not_installed"), ("anthropic", "no")])
def test_a_module_that_fails_is_unavailable_with_its_reason(
    package: ModuleType, kind: str, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    router = BackendRegistry.discovered(NEEDS, package)
    with pytest.raises(ProviderError, match=reason) as raised:
        router.backend_for(Provider(name="mine", kind=kind))
    assert raised.value.code is ErrorCode.ENGINE_UNAVAILABLE
    assert raised.value.provider == "mine"


def test_the_settings_may_name_every_kind_even_one_whose_module_is_broken(package: ModuleType) -> None:
    assert kinds_found(package) == {"openai", "zai", "google", "anthropic"}


def test_a_kind_that_nothing_speaks_is_said_to_be_so() -> None:
    with pytest.raises(ProviderError, match="nothing speaks google"):
        BackendRegistry({}).backend_for(Provider(name="mine", kind="google"))


async def test_every_backend_is_closed_once_even_when_another_fails_to(caplog: pytest.LogCaptureFixture) -> None:
    shared, other = Backend(), Backend()
    await BackendRegistry({"anthropic": Stubborn(), "openai": shared, "zai": shared, "google": other}).close()
    assert (shared.closed, other.closed) == (1, 1)
    assert "busy" in caplog.text
