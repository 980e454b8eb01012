"""A transfer by voice: three people, a correction in the middle, and Sori's own voice, which confirms nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant.agent.guided import GuidedFlows
from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.audio import SAMPLE_RATE
from assistant.core.records.people import BankAccount, Person
from assistant.core.texts import Texts
from assistant.flows.answering import FlowAnswering
from assistant.flows.manifest import ServiceHome
from assistant.flows.orchestrator import CoreOrchestrator
from assistant.flows.services.transfer.bank import SimulatedBank
from assistant.flows.services.transfer.manifest import manifest
from assistant.flows.super_orchestrator import SuperOrchestrator
from assistant.storage.database import Database
from assistant.storage.flows import FlowStore
from assistant.storage.identities import new_id
from assistant.tools.runner import ToolRunner
from tests.e2e.stage import Stage, perform
from tests.fakes.backend import says
from tests.fakes.clock import START, FakeClock
from tests.fakes.flows.model import ScriptedModel
from tests.fakes.sound.scene import Scene

TOLD_S = 12.0
"""Longer than a question with all its details."""
ECHO_S = 0.2
"""The last word of a question as it comes back."""

FAMILY = tuple(
    Person(id=relation, name=name, relation=relation, accounts=(BankAccount(bank=bank, number=number),))
    for relation, name, bank, number in (
        ("엄마", "김영희", "국민", "123-45-678901"),
        ("아빠", "박철수", "신한", "110-222-333444"),
        ("동생", "김민지", "카카오뱅크", "3333-01-234567"),
    )
)


async def family() -> tuple[Person, ...]:
    return FAMILY


def transfers(folder: Path) -> Callable[[Database, FakeClock, Texts], GuidedFlows]:
    def make(database: Database, clock: FakeClock, texts: Texts) -> GuidedFlows:
        store = FlowStore(database, clock)
        service = manifest(ServiceHome(data=folder, clock=clock, people=family))
        transfer = CoreOrchestrator(service, store, texts, clock, new_id)
        return FlowAnswering(
            services=SuperOrchestrator({"transfer": transfer}, store, clock),
            ledger=store,
            tools=ToolRunner([], texts),
            model_for=lambda _: ScriptedModel([]),
            texts=texts,
            language=lambda: "ko",
            clock=clock,
            new_id=new_id,
        )

    return make


async def play(scene: Scene, folder: Path, **options: Any) -> Stage:
    return await perform(scene, folder, says("네."), flows=transfers(folder), longest_s=400.0, **options)


def booked(folder: Path) -> list[tuple[str, int]]:
    """What the bank has booked, oldest first."""
    view = SimulatedBank(folder / "bank.db").view(START)
    return [(each.order.name, each.order.amount) for each in sorted(view.recent, key=lambda each: each.asked_at)]


def outcomes(stage: Stage) -> list[str]:
    packets = [each.packet for each in stage.updates if isinstance(each, up.PacketEmitted)]
    return [packet.outcome for packet in packets if isinstance(packet, pk.Answered)]


def opening(text: str) -> Scene:
    return Scene().wake_word().silence(0.2).says(text, 0.1 * len(text))


async def test_three_people_are_sent_money_with_a_correction_in_the_middle(tmp_path: Path) -> None:
    scene = opening("엄마한테 삼만 원, 아빠한테 오만 원, 동생한테 만 원 보내 줘").silence(TOLD_S)
    for said in ("응", "아니 육만 원으로", "네", "그래 보내"):
        scene = scene.says(said).silence(TOLD_S)
    stage = await play(scene, tmp_path)
    assert sorted(booked(tmp_path)) == sorted([("엄마", 30_000), ("아빠", 60_000), ("동생", 10_000)])
    assert outcomes(stage) == ["yes", "cancelled", "yes", "yes"]
    assert [each.text for each in stage.messages if each.role == "user"][1] == "아니 육만 원으로"
    assert sum("보냈어요" in each for each in stage.voices.said) == 3


@pytest.mark.parametrize("delay_s", [0.06, 0.15, 0.25])
async def test_an_echo_of_the_question_confirms_nothing(tmp_path: Path, delay_s: float) -> None:
    text = "엄마한테 삼만 원 보내 줘"
    asked = await play(opening(text).silence(60), tmp_path)
    end_s = next(e["t"] for e in asked.trace if e["event"] == "listening" and e["t"] > asked.first("question")["t"])
    folder = tmp_path / "echo"
    folder.mkdir()
    scene = opening(text)
    wait_s = end_s + delay_s - ECHO_S - len(scene.pcm) / SAMPLE_RATE
    stage = await play(scene.silence(wait_s).says("네", ECHO_S).silence(50), folder)
    assert (booked(folder), outcomes(stage)) == ([], ["late"])


@pytest.mark.parametrize("ends", ["응", "취소"])
async def test_silence_at_the_question_executes_nothing_and_the_flow_goes_on_waiting(tmp_path: Path, ends: str) -> None:
    silent = opening("엄마한테 삼만 원 보내 줘").silence(TOLD_S + 31)
    # A yes outside of a question asks once more, because it may be Sori's own voice.
    scene = silent.silence(6).says("응").silence(TOLD_S).says(ends).silence(TOLD_S)
    stage = await play(scene, tmp_path)
    assert outcomes(stage) == ["late", "yes" if ends == "응" else "no"]
    assert len([said for said in stage.voices.said if "대답이 없어서" in said]) == 1
    assert booked(tmp_path) == ([("엄마", 30_000)] if ends == "응" else [])


async def test_a_word_that_means_stop_elsewhere_cancels_a_flow_that_fills_its_slots(tmp_path: Path) -> None:
    stage = await play(opening("엄마한테 돈 보내 줘").silence(TOLD_S).says("취소").silence(TOLD_S), tmp_path)
    assert [each.text for each in stage.messages if each.role == "user"] == ["엄마한테 돈 보내 줘", "취소"]
    assert booked(tmp_path) == []
    assert stage.backend.requests == []
