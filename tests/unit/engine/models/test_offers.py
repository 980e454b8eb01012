import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest

from assistant.core.errors import ErrorCode, ProviderError, StorageError
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import LlmSettings, ModelFacts, Provider, Settings
from assistant.core.updates import ModelOffer
from assistant.engine.models.offers import ModelOffers
from assistant.llm.backend import ModelDelta, ModelRequest, ProviderBackend
from tests.fakes.clock import FakeClock
from tests.fakes.ledger import MemoryLedger
from tests.fakes.model_server.local_servers import JAN, LM_STUDIO, OLLAMA, listening

CLOUD = Provider(name="claude", kind="anthropic")
OWN = Provider(name="mine", kind="openai", base_url="http://127.0.0.1:1/v1")
SETTINGS = Settings(llm=LlmSettings(provider="claude", model="claude-opus-5"), providers=(CLOUD, OWN))
USUAL = ModelOffer(reference="claude/claude-opus-5", provider="claude", model="claude-opus-5", images=True)


class Lists(ProviderBackend):
    """A backend that lists models, and answers nothing."""

    def __init__(self, **lists: tuple[str, ...] | Exception) -> None:
        self.lists = lists
        self.asked: list[str] = []

    def backend_for(self, provider: Provider) -> ProviderBackend:
        return self

    async def models(self, provider: Provider) -> tuple[str, ...]:
        self.asked.append(provider.name)
        listed = self.lists.get(provider.name, ProviderError(ErrorCode.NETWORK, "refused", provider=provider.name))
        if isinstance(listed, Exception):
            raise listed
        return listed

    async def stream(self, provider: Provider, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        nothing: tuple[ModelDelta, ...] = ()
        for delta in nothing:
            yield delta

    async def close(self) -> None:
        pass


def offers_of(
    lists: Lists, *ports: int, settings: Settings = SETTINGS, named: tuple[ModelOffer, ...] = (USUAL,), clock: FakeClock
) -> ModelOffers:
    return ModelOffers(
        LiveSettings(settings),
        named=lambda _: named,
        backend_for=lists.backend_for,
        ledger=MemoryLedger(),
        clock=clock,
        ports=ports,
        limit_s=20.0,
    )


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


async def looked(offers: ModelOffers) -> list[tuple[ModelOffer, ...]]:
    shown: list[tuple[ModelOffer, ...]] = []
    await offers.look(shown.append)
    return shown


async def test_nobody_is_asked_before_somebody_looks(clock: FakeClock) -> None:
    lists = Lists(claude=("claude-opus-5",))
    async with listening(OLLAMA) as ollama:
        assert offers_of(lists, ollama.port, clock=clock).offers == (USUAL,)
        assert (lists.asked, ollama.asked) == ([], [])


async def test_what_is_known_is_shown_at_once_and_more_as_it_comes(clock: FakeClock) -> None:
    lists = Lists(claude=("claude-sonnet-5", "claude-opus-5"), mine=("a", "b"))
    async with listening(OLLAMA) as ollama:
        offers = offers_of(lists, ollama.port, clock=clock)
        shown = await looked(offers)
    assert shown[0] == (USUAL,)
    assert shown[-1] == offers.offers
    assert [(each.reference, each.images, each.local) for each in offers.offers] == [
        ("claude/claude-opus-5", True, False),
        ("claude/claude-sonnet-5", True, False),
        ("mine/a", False, False),  # nobody knows what it can do
        ("mine/b", False, False),
        ("ollama/qwen3:8b", False, True),
        ("ollama/gemma3:4b", True, True),
    ]


async def test_a_server_that_was_found_is_a_provider_with_what_it_told_of_its_models(clock: FakeClock) -> None:
    async with listening(OLLAMA) as ollama:
        offers = offers_of(Lists(), ollama.port, clock=clock)
        await looked(offers)
    assert offers.live.current.providers[2:] == (
        Provider(name="ollama", kind="local", base_url=f"http://127.0.0.1:{ollama.port}/v1"),
    )
    assert ModelFacts(model="gemma3:4b", provider="ollama", context_tokens=131072, images=True, tools=False) in (
        offers.live.current.models
    )


async def test_the_user_knows_a_model_better_than_its_server(clock: FakeClock) -> None:
    written = replace(SETTINGS, models=(ModelFacts(model="Gemma3:4B", images=False),))
    async with listening(OLLAMA) as ollama:
        offers = offers_of(Lists(), ollama.port, settings=written, clock=clock)
        await looked(offers)
    assert {each.reference: each.images for each in offers.offers}["ollama/gemma3:4b"] is False


async def test_a_server_that_the_settings_know_is_not_offered_twice(clock: FakeClock) -> None:
    async with listening(LM_STUDIO) as studio:
        own = Provider(name="studio", kind="local", base_url=f"http://localhost:{studio.port}/v1")
        lists = Lists(studio=("exaone-4.0-1.2b", "qwen2.5-vl-7b-instruct", "text-embedding-nomic-embed-text-v1.5"))
        settings = Settings(providers=(own,))
        offers = offers_of(lists, studio.port, settings=settings, named=(), clock=clock)
        await looked(offers)
    assert offers.live.current.providers == (own,)
    assert [(each.reference, each.images) for each in offers.offers] == [
        ("studio/qwen2.5-vl-7b-instruct", True),
        ("studio/exaone-4.0-1.2b", False),
    ]


async def test_a_second_server_of_a_name_has_another(clock: FakeClock) -> None:
    elsewhere = Provider(name="jan", kind="openai", base_url="https://jan.example.com/v1")
    async with listening(JAN) as one, listening({**JAN, "/v1/models": {"data": [{"id": "other"}]}}) as two:
        settings = Settings(providers=(elsewhere,))
        offers = offers_of(Lists(), one.port, two.port, settings=settings, named=(), clock=clock)
        await looked(offers)
        await looked(offers)
    assert [each.name for each in offers.live.current.providers] == ["jan", "jan2", "jan3"]
    assert [each.reference for each in offers.offers] == ["jan2/jan-v3-4b-base-instruct", "jan3/other"]


async def test_a_server_that_has_gone_offers_nothing_and_stays_a_provider(clock: FakeClock) -> None:
    async with listening(JAN) as jan:
        offers = offers_of(Lists(), jan.port, clock=clock)
        await looked(offers)
        assert offers.offers != (USUAL,)
    await looked(offers)
    assert offers.offers == (USUAL,)
    assert offers.live.current.providers[-1].name == "jan"


async def test_one_that_wants_a_key_cannot_be_chosen(clock: FakeClock) -> None:
    async with listening({**JAN, "/v1/models": (401, b"")}) as jan:
        offers = offers_of(Lists(), jan.port, clock=clock)
        await looked(offers)
    assert offers.offers == (USUAL,)
    assert offers.live.current == SETTINGS


async def test_a_vendors_list_is_kept_for_a_while_and_a_local_one_is_not(clock: FakeClock) -> None:
    local = Provider(name="box", kind="local", base_url="http://127.0.0.1:1/v1")
    lists = Lists(claude=("claude-opus-5",), box=("a",))
    offers = offers_of(lists, settings=Settings(providers=(CLOUD, local)), named=(), clock=clock)
    await looked(offers)
    await looked(offers)
    assert sorted(lists.asked) == ["box", "box", "claude"]
    clock.advance(601)
    await looked(offers)
    assert lists.asked.count("claude") == 2


async def test_the_name_of_a_provider_alone_gives_way_to_its_models(clock: FakeClock) -> None:
    alone = ModelOffer(reference="mine", provider="mine", model="")
    offers = offers_of(Lists(mine=("a",)), named=(USUAL, alone), clock=clock)
    assert alone in offers.offers
    await looked(offers)
    assert [each.reference for each in offers.offers] == ["claude/claude-opus-5", "mine/a"]


async def test_a_choice_of_an_earlier_day_finds_its_server_again(clock: FakeClock) -> None:
    async with listening(OLLAMA) as ollama:
        offers = offers_of(Lists(), ollama.port, clock=clock)
        await offers.recall("claude/claude-opus-5")
        assert ollama.asked == []
        await offers.recall("ollama/qwen3:8b")
        assert offers.live.current.providers[-1].name == "ollama"
        asked = len(ollama.asked)
        await offers.recall("ollama/qwen3:8b")
        assert len(ollama.asked) == asked


async def test_a_choice_whose_server_is_not_there_stays_on_this_machine(clock: FakeClock) -> None:
    offers = offers_of(Lists(), clock=clock)
    await offers.recall("ollama/qwen3:8b")
    await offers.recall("jan2/some")
    assert offers.live.current.providers[2:] == (
        Provider(name="ollama", kind="local", base_url="http://127.0.0.1:11434/v1"),
        Provider(name="jan2", kind="local", base_url="http://127.0.0.1:1337/v1"),
    )
    assert offers.offers == (USUAL,)


async def test_nobody_is_asked_when_it_cannot_be_written_down(clock: FakeClock) -> None:
    async with listening(OLLAMA) as ollama:
        offers = ModelOffers(
            LiveSettings(SETTINGS),
            named=lambda _: (USUAL,),
            backend_for=Lists().backend_for,
            ledger=MemoryLedger(broken=True),
            clock=clock,
            ports=(ollama.port,),
        )
        with pytest.raises(StorageError):
            await offers.look(lambda _: None)
        assert ollama.asked == []


async def test_two_who_look_at_once_do_not_mix_up_what_they_find(clock: FakeClock) -> None:
    async with listening(JAN) as one, listening(OLLAMA) as two:
        offers = offers_of(Lists(), one.port, two.port, clock=clock)
        await asyncio.gather(looked(offers), looked(offers))
    assert [each.name for each in offers.live.current.providers[2:]] == ["jan", "ollama"]


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (ProviderError(ErrorCode.AUTHENTICATION, "401", provider="mine"), "authentication"),
        (
            ProviderError(ErrorCode.AUTHENTICATION, "no key", provider="mine", message_key="api_key_missing"),
            "api_key_missing",
        ),
        (ProviderError(ErrorCode.NETWORK, "offline", provider="mine"), "network"),
        (ProviderError(ErrorCode.OVERLOADED, "500", provider="mine", message_key="server_failed"), "server_failed"),
        (ProviderError(ErrorCode.INVALID_RESPONSE, "HTML", provider="mine"), "invalid_response"),
        (TimeoutError(), "timeout"),
        (ProviderError(ErrorCode.INVALID_REQUEST, "none", provider="mine", message_key="no_model_list"), None),
    ],
)
async def test_why_a_provider_lists_no_models_is_known_until_it_lists_them(
    failure: Exception, told: str | None, clock: FakeClock
) -> None:
    lists = Lists(claude=("claude-opus-5",), mine=failure)
    offers = offers_of(lists, clock=clock)
    await looked(offers)
    assert {name: error.reason for name, error in offers.unlisted.items()} == ({"mine": told} if told else {})
    lists.lists["mine"] = ("a",)
    await looked(offers)
    assert offers.unlisted == {}
    assert "mine/a" in [each.reference for each in offers.offers]
