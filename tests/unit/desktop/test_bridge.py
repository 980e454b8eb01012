import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QThread
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from assistant.core.machine.states import TurnId
from assistant.core.packets import AnswerDelta, Done, ReasoningDelta
from assistant.core.updates import EngineProgressed, LevelMeasured, PacketEmitted, PartialHeard, Update
from assistant.desktop.bridge import DELIVERY_INTERVAL_MS, MOST_WAITING, Bridge


def grown(text: str, turn: int = 1, block: int = 0) -> PacketEmitted:
    return PacketEmitted(conversation="a", turn=TurnId(str(turn)), packet=AnswerDelta(turn_index=block, text=text))


def text_of(updates: list[Update]) -> str:
    packets = [each.packet for each in updates if isinstance(each, PacketEmitted)]
    return "".join(packet.text for packet in packets if isinstance(packet, AnswerDelta))


def done(turn: int = 1) -> PacketEmitted:
    return PacketEmitted(conversation="a", turn=TurnId(str(turn)), packet=Done(turn_index=0, finish="complete"))


@pytest.fixture
def bridge(qtbot: QtBot) -> Iterator[Bridge]:
    bridge = Bridge()
    yield bridge
    bridge.close()


def test_updates_are_held_until_the_view_connects(bridge: Bridge, qtbot: QtBot) -> None:
    seen: list[Update] = []
    ready = EngineProgressed(part="a", fraction=1)

    bridge.publish(ready)
    bridge.connect_view(seen.append)
    qtbot.waitUntil(lambda: bool(seen))

    assert seen == [ready]


def test_updates_from_another_thread_arrive_on_qts_thread_in_order(bridge: Bridge, qtbot: QtBot) -> None:
    seen: list[Update] = []
    threads: set[QThread] = set()

    def view(update: Update) -> None:
        seen.append(update)
        threads.add(QThread.currentThread())

    bridge.connect_view(view)
    sent = [EngineProgressed(part=str(number), fraction=0) for number in range(200)]

    def publish_all() -> None:
        for each in sent:
            bridge.publish(each)

    publisher = threading.Thread(target=publish_all)
    publisher.start()
    qtbot.waitUntil(lambda: len(seen) == len(sent))
    publisher.join()

    assert seen == sent
    assert threads == {bridge.thread()}


def test_text_that_comes_together_is_delivered_together_and_whole(bridge: Bridge, qtbot: QtBot) -> None:
    seen: list[Update] = []
    words = [f"{number} " for number in range(500)]

    for word in words:
        bridge.publish(grown(word))
    bridge.publish(done())
    bridge.connect_view(seen.append)
    qtbot.waitUntil(lambda: done() in seen)

    assert seen == [grown("".join(words)), done()]


def test_text_waits_for_the_next_delivery_but_other_updates_take_it_along_at_once(bridge: Bridge, qtbot: QtBot) -> None:
    seen: list[Update] = []
    bridge.connect_view(seen.append)
    bridge.publish(grown("a"))
    qtbot.waitUntil(lambda: bool(seen))

    bridge.publish(grown("b"))
    bridge.publish(grown("c"))
    QApplication.processEvents()
    early = len(seen)
    bridge.publish(done())
    QApplication.processEvents()

    assert early <= 2  # One more than before when a slow machine took the interval's time over it.
    assert text_of(seen) == "abc"
    assert seen[-1] == done()


def test_text_that_waits_is_delivered_even_if_nothing_follows(bridge: Bridge, qtbot: QtBot) -> None:
    seen: list[Update] = []
    bridge.connect_view(seen.append)

    for text in "abc":
        bridge.publish(grown(text))
        qtbot.wait(DELIVERY_INTERVAL_MS // 8)

    qtbot.waitUntil(lambda: text_of(seen) == "abc")


def test_text_of_different_turns_blocks_and_kinds_is_not_joined(bridge: Bridge, qtbot: QtBot) -> None:
    seen: list[Update] = []
    thought = PacketEmitted(conversation="a", turn=TurnId("1"), packet=ReasoningDelta(turn_index=0, text="hm"))
    sent = [grown("a"), grown("b", turn=2), grown("c", turn=2, block=1), thought, grown("d")]

    for each in sent:
        bridge.publish(each)
    bridge.connect_view(seen.append)
    qtbot.waitUntil(lambda: len(seen) == len(sent))

    assert seen == sent


def test_only_the_newest_level_and_partial_transcript_count(bridge: Bridge, qtbot: QtBot) -> None:
    seen: list[Update] = []
    latest = PartialHeard(conversation="a", turn=TurnId("1"), text="hello there", stable=5)

    for level in (-60.0, -30.0):
        bridge.publish(LevelMeasured(level_db=level))
    bridge.publish(PartialHeard(conversation="a", turn=TurnId("1"), text="hello"))
    bridge.publish(latest)
    bridge.connect_view(seen.append)
    qtbot.waitUntil(lambda: latest in seen)

    assert seen == [LevelMeasured(level_db=-30.0), latest]


def test_a_closed_bridge_drops_what_is_published(bridge: Bridge, qtbot: QtBot) -> None:
    seen: list[Update] = []
    bridge.connect_view(seen.append)
    bridge.publish(done())

    bridge.close()
    bridge.publish(done())
    qtbot.wait(DELIVERY_INTERVAL_MS)

    assert seen == []


def test_a_reply_comes_after_the_updates_before_it_and_before_those_after_it(bridge: Bridge, qtbot: QtBot) -> None:
    seen: list[object] = []
    bridge.connect_view(seen.append)
    bridge.publish(grown("a"))
    bridge.call(lambda: seen.append("reply"))
    bridge.publish(grown("b"))
    qtbot.waitUntil(lambda: len(seen) == 3)
    assert seen == [grown("a"), "reply", grown("b")]


@pytest.mark.parametrize("ends", ["the view takes them", "the bridge is closed"])
def test_who_brings_more_than_qt_takes_waits(bridge: Bridge, qtbot: QtBot, ends: str) -> None:
    seen: list[Update] = []
    sent = [EngineProgressed(part=str(number), fraction=0) for number in range(MOST_WAITING + 1)]

    def publish_all() -> None:
        for each in sent:
            bridge.publish(each)

    thread = threading.Thread(target=publish_all)
    thread.start()
    qtbot.waitUntil(lambda: len(bridge._waiting) == MOST_WAITING)
    assert thread.is_alive()
    if ends == "the view takes them":
        bridge.connect_view(seen.append)
        qtbot.waitUntil(lambda: len(seen) == len(sent))
        assert seen == sent
    else:
        bridge.close()
    thread.join(10)
    assert not thread.is_alive()
