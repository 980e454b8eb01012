"""A better model is suggested by rules: after a weak answer, if it fits, once a day at most."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.agent.leftover import Leftover
from assistant.agent.model_choice import EMBEDDED, ModelChoice
from assistant.chat.turn_request import TurnRequest
from assistant.core import updates as up
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.service.requests.models import SuggestModel
from assistant.core.settings import LlmSettings, Provider, Settings
from assistant.engine.newcomer.suggesting import Suggestions, better_model
from assistant.tasks import TaskSupervisor
from tests.fakes.clock import FakeClock
from tests.fakes.front.asking import ask

GB = 1_000_000_000


def model(name: str, size: float, **values: object) -> up.KeptModel:
    kept = up.KeptModel(
        model=name,
        title=name.title(),
        reference=f"embedded/{name}",
        size=round(size * GB),
        licence="Apache-2.0",
        keeping=up.Keeping.ABSENT,
        fit=up.MemoryFit.FITS,
        languages=("ko", "en"),
    )
    return replace(kept, **values)  # type: ignore[arg-type]


SMALL = model("small", 1.1, keeping=up.Keeping.HERE, korean="weak", tokens_per_s=12.0)
BIG = model("big", 2.5)
UNMEASURED = replace(SMALL, tokens_per_s=None)

FITTING = [
    # the models, language, cores, the better one and its expected speed
    ((SMALL, BIG), "ko", 2, "big", 12.0 * 1.1 / 2.5),
    ((SMALL, BIG), "en", 8, "big", 12.0 * 1.1 / 2.5),
    ((SMALL, BIG, model("huge", 3.0)), "ko", 2, "huge", 12.0 * 1.1 / 3.0),
    ((SMALL, replace(BIG, tokens_per_s=9.0)), "ko", 2, "big", 9.0),
    ((UNMEASURED, BIG), "ko", 4, "big", None),
    ((UNMEASURED, BIG), "ko", 2, "", None),
    ((UNMEASURED, BIG), "ko", None, "", None),
    ((SMALL, replace(BIG, tokens_per_s=2.0)), "ko", 16, "", None),
    ((replace(SMALL, tokens_per_s=5.0), BIG), "ko", 2, "", None),
    ((SMALL, replace(BIG, fit=up.MemoryFit.TOO_BIG)), "ko", 2, "", None),
    ((SMALL, replace(BIG, fit=up.MemoryFit.TIGHT)), "ko", 2, "", None),
    ((SMALL, replace(BIG, fit=up.MemoryFit.UNKNOWN)), "ko", 2, "", None),
    ((SMALL, replace(BIG, korean="weak")), "ko", 2, "", None),
    ((SMALL, replace(BIG, korean="weak")), "en", 2, "big", 12.0 * 1.1 / 2.5),
    ((SMALL, replace(BIG, korean="good")), "ko", 2, "big", 12.0 * 1.1 / 2.5),
    ((SMALL, replace(BIG, languages=("en",))), "ko", 2, "", None),
    ((SMALL, replace(BIG, languages=("en",))), "en", 2, "big", 12.0 * 1.1 / 2.5),
    ((SMALL, replace(BIG, languages=("en", "*"))), "ko", 2, "big", 12.0 * 1.1 / 2.5),
    ((SMALL, replace(BIG, own=True)), "ko", 2, "", None),
    ((SMALL, replace(BIG, purpose="stt")), "ko", 2, "", None),
    ((SMALL, model("twin", 1.2)), "ko", 2, "", None),
    ((BIG,), "ko", 2, "", None),
    ((SMALL,), "ko", 2, "", None),
]


@pytest.mark.parametrize(("models", "language", "cores", "better", "pace"), FITTING)
def test_a_better_model_is_larger_fits_the_memory_and_is_fast_enough(
    models: tuple[up.KeptModel, ...], language: str, cores: int | None, better: str, pace: float | None
) -> None:
    found = better_model(models, "small", language, cores=cores)
    assert (found[0].model if found else "") == better
    assert (found[1] if found else None) == pytest.approx(pace)


class Desk:
    """The suggestions of an engine with one small model and a larger one that fits."""

    def __init__(self, folder: Path, settings: Settings | None = None) -> None:
        self.path, self.clock = folder / "suggested-model.json", FakeClock()
        self.live = LiveSettings(settings or Settings(language="ko", llm=LlmSettings(embedded_model="small")))
        self.told: list[up.Update] = []
        self.offers: tuple[up.ModelOffer, ...] = ()
        self.models = (SMALL, BIG)
        self.jobs = TaskSupervisor()
        self.it = self.again()

    def again(self) -> Suggestions:
        """The same after a restart."""
        return Suggestions(
            self.path,
            self.live,
            self.clock,
            kept=self._kept,
            offers=lambda: self.offers,
            publish=self.told.append,
            jobs=self.jobs,
            cores=4,
        )

    async def _kept(self) -> up.ModelsKept:
        return up.ModelsKept(models=self.models, keys=(), keyring=True, file="")

    async def asked(self) -> str:
        """What the start page is told."""
        suggestion: up.Suggestion | None = await ask(self.again(), SuggestModel())
        return "" if suggestion is None else suggestion.reference

    async def over(self, text: str, *, weak: bool = False, provider: Provider = EMBEDDED) -> list[str]:
        """What is told after a turn."""
        left = Leftover(answering=ModelChoice(provider=provider, model="small"), weak=weak)
        request = TurnRequest(turn=TurnId("1"), conversation="c", text=text, origin=Origin.TEXT)
        self.again().turn_over(request, left)
        await self.jobs.settle()
        told = [each.suggestion.reference for each in self.told if isinstance(each, up.ModelSuggested)]
        self.told.clear()
        return told


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


WEAK = [
    # the request, whether a gate stopped the answer or a call failed, whether a better model is suggested
    ("안녕", True, True),
    ("hello", True, True),
    ("오늘 기분이 어때?", False, False),
    ("How are you?", False, False),
    ("3분 타이머 맞춰 줘", False, False),
    ("고마워", False, False),
    ("What's the capital of France?", False, False),
    ("이 파이썬 코드에서 버그를 찾아 줘: def f(x): return x +", False, True),
    ("Find the bug in this Python function: def f(x): return x +", False, True),
    ("x^2 - 5x + 6 = 0 방정식을 풀어 줘", False, True),
    ("Solve the equation x^2 - 5x + 6 = 0", False, True),
    ("두 회사의 사업 전략을 비교해서 분석해 줘", False, True),
    ("Compare the two strategies and analyze their trade-offs", False, True),
]


@pytest.mark.parametrize(("text", "weak", "suggested"), WEAK)
async def test_it_is_suggested_after_what_the_small_model_cannot_do(
    desk: Desk, text: str, weak: bool, suggested: bool
) -> None:
    assert await desk.over(text, weak=weak) == (["embedded/big"] if suggested else [])


async def test_it_is_suggested_once_a_day_whoever_asks_and_also_after_a_restart(desk: Desk) -> None:
    assert await desk.asked() == "embedded/big"
    assert await desk.asked() == ""
    assert await desk.over("안녕", weak=True) == []
    desk.clock.advance(86_400)
    assert await desk.over("안녕", weak=True) == ["embedded/big"]
    assert await desk.asked() == ""


async def test_an_answer_of_another_model_is_none_of_the_small_ones(desk: Desk) -> None:
    other = Provider(name="mine", kind="openai")
    assert await desk.over("hello", weak=True, provider=other) == []


@pytest.mark.parametrize(
    "settings",
    [
        Settings(llm=LlmSettings(embedded_model="small", suggest_better=False)),
        Settings(llm=LlmSettings(provider="mine"), providers=(Provider(name="mine", kind="openai"),)),
        Settings(llm=LlmSettings(provider="nobody")),
        Settings(llm=LlmSettings(embedded_model="big")),
    ],
)
async def test_nothing_is_suggested_where_it_is_turned_off_or_the_user_has_chosen(
    tmp_path: Path, settings: Settings
) -> None:
    desk = Desk(tmp_path, settings)
    assert await desk.asked() == ""
    assert await desk.over("hello", weak=True) == []
    assert not desk.path.exists(), "what was not suggested does not count"


@pytest.mark.parametrize("keeping", [up.Keeping.FETCHING, up.Keeping.PAUSED, up.Keeping.WAITING, up.Keeping.FAILED])
async def test_a_model_that_is_on_its_way_is_suggested_no_more(desk: Desk, keeping: up.Keeping) -> None:
    desk.models = (SMALL, replace(BIG, keeping=keeping))
    assert await desk.asked() == ""


async def test_a_server_on_this_machine_comes_first_and_one_elsewhere_never(desk: Desk) -> None:
    away = up.ModelOffer(reference="cloud/gpt", provider="cloud", model="gpt")
    own = up.ModelOffer(reference="embedded/small", provider="embedded", model="small", local=True)
    desk.offers = (own, away)
    assert await desk.asked() == "embedded/big"
    desk.clock.advance(86_400)
    desk.offers = (own, up.ModelOffer(reference="ollama/", provider="ollama", model="", local=True))
    assert await desk.asked() == "embedded/big"
    desk.clock.advance(86_400)
    desk.offers = (own, away, up.ModelOffer(reference="ollama/qwen3", provider="ollama", model="qwen3", local=True))
    assert await desk.asked() == "ollama/qwen3"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"day": 3}', "null"])
async def test_a_damaged_file_is_no_reason_to_say_nothing(desk: Desk, text: str) -> None:
    desk.path.write_text(text)
    assert await desk.asked() == "embedded/big"
    assert json.loads(desk.path.read_text()) == {"day": desk.clock.now().date().isoformat()}
