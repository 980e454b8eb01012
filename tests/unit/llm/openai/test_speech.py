"""The sound in a response's body."""

import struct

import httpx2
import pytest

from assistant.core.errors import ProviderError
from assistant.llm.openai.speech import SoundReader


def wav(rate: int, channels: int = 1, bits: int = 16) -> bytes:
    form = struct.pack("<HHIIHH", 1, channels, rate, 0, channels * bits // 8, bits)
    return b"RIFF\xff\xff\xff\xffWAVEfmt " + struct.pack("<I", len(form)) + form + b"data\xff\xff\xff\xff" + bytes(8)


def reader() -> SoundReader:
    return SoundReader(httpx2.Response(200, headers={"content-type": "audio/wav"}), "mine")


@pytest.mark.parametrize("rate", [8_000, 16_000, 22_050, 24_000, 44_100, 48_000])
def test_a_file_is_played_at_its_own_rate(rate: int) -> None:
    assert {part.rate for part in reader().take(wav(rate))} == {rate}


@pytest.mark.parametrize("rate", [0, 1, 7_999, 48_001, 2**32 - 1])
def test_a_file_with_a_rate_of_no_voice_is_refused(rate: int) -> None:
    with pytest.raises(ProviderError, match=f"{rate} Hz"):
        reader().take(wav(rate))
