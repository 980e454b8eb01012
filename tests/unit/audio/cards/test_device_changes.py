import subprocess
import sys

import pytest

from assistant.audio.cards.device_changes import Devices, Present, better, look, needs_no_look, parsed
from assistant.audio.cards.device_report import printed
from tests.fakes.sound.portaudio import FakeDevice, FakePortAudio


def devices(*names: str, default: str = "") -> Devices:
    there = Present(names=frozenset(names), default=default or next(iter(names), ""))
    return {"input": there, "output": there}


LAPTOP, BOTH = devices("Laptop"), devices("Laptop", "Headset", default="Laptop")
HEADSET_DEFAULT = devices("Laptop", "Headset", default="Headset")


@pytest.mark.parametrize(
    ("wanted", "used", "before", "now", "expected"),
    [
        ("Headset", "Laptop", LAPTOP, BOTH, True),  # the chosen device is back
        ("Headset", "Laptop", None, BOTH, True),
        ("Headset", "Laptop", LAPTOP, LAPTOP, False),  # it is still away
        ("Headset", "Headset", BOTH, LAPTOP, False),  # a busy device may be missing in the list
        ("Headset", "Laptop", BOTH, devices("Laptop", "Other", default="Other"), False),  # the user chose no default
        ("", "Laptop", BOTH, HEADSET_DEFAULT, True),  # the default device is another one
        ("", "Laptop", None, HEADSET_DEFAULT, False),  # what was the default before is unknown
        ("", "Headset", BOTH, HEADSET_DEFAULT, False),
        ("", "Laptop", HEADSET_DEFAULT, HEADSET_DEFAULT, False),
        ("", "Laptop", BOTH, devices(), False),
        ("", "", devices(), LAPTOP, True),  # the first device is there
        ("Headset", "", LAPTOP, BOTH, True),
        ("", "", LAPTOP, LAPTOP, False),  # it cannot be opened
        ("Laptop", "", LAPTOP, LAPTOP, False),
        ("", "", None, LAPTOP, False),
    ],
)
def test_when_another_device_should_be_used(
    wanted: str, used: str, before: Devices | None, now: Devices, expected: bool
) -> None:
    assert better("input", wanted=wanted, used=used, before=before, now=now) is expected
    assert better("output", wanted=wanted, used=used, before=before, now=now) is expected


def test_unchanged_cards_need_no_look_where_the_system_lists_them() -> None:
    assert needs_no_look("0 [PCH]", "0 [PCH]")
    assert not needs_no_look("0 [PCH]\n1 [USB]", "0 [PCH]")
    assert not needs_no_look("", "")
    assert not needs_no_look("0 [PCH]", None)


def test_the_printed_list_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    portaudio = FakePortAudio([FakeDevice("마이크", inputs=1), FakeDevice("Speaker", outputs=2)])
    monkeypatch.setitem(sys.modules, "sounddevice", portaudio.module())
    assert parsed(printed().encode()) == {
        "input": Present(names=frozenset({"마이크"}), default="마이크"),
        "output": Present(names=frozenset({"Speaker"}), default="Speaker"),
    }


@pytest.mark.parametrize("told", [b"", b"no json", b"[]", b"{}", b'{"input": {"names": 3}}'])
def test_what_is_no_list_is_no_device(told: bytes) -> None:
    assert parsed(told) is None


async def test_a_list_that_cannot_be_made_is_no_list() -> None:
    assert await look(lambda: ["/no/such/program"]) is None


def test_the_program_that_runs_every_15_s_loads_no_large_library() -> None:
    shown = (
        "import sys, assistant.audio.cards.device_report; print({'asyncio', 'numpy', 'logging'} & sys.modules.keys())"
    )

    told = subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, check=True, timeout=60).stdout

    assert told.strip() == "set()"
