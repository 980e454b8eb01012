"""The benchmark of names that synthetic voices enrol: what counts as evidence for a call."""

import base64
import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from benchmarks.voice.waking.called_sounds import CALL, ENROLMENT
from benchmarks.voice.waking.self_enrolment import main
from benchmarks.voice.waking.spoken_names import Heard

_NAME = "보늬"


def _heard(kind: str, voice: str, *, fit: float, sound: int = 0) -> Heard:
    steps = np.eye(96)[[sound, sound + 1, sound + 2]]
    written = base64.b64encode(steps.astype("<f2").tobytes()).decode()
    return Heard(
        kind=kind, phrase=_NAME, language="ko", voice=voice, label=f"{kind} {voice}", text="뭐니", five=[], english="",
        fits={_NAME: fit}, continued={_NAME: f"{_NAME}!"}, cost_s={}, word=written, whole=written,
    )  # fmt: skip


def _missed(folder: Path, capsys: pytest.CaptureFixture[str], *heard: Heard) -> dict[str, str]:
    keep = folder / "keep.jsonl"
    keep.write_text("\n".join(json.dumps(asdict(each)) for each in heard), "utf-8")
    main(["--cast", "held-out", "--keep", str(keep)])
    blocks = (block.splitlines() for block in capsys.readouterr().out.strip().split("\n\n"))
    return {block[0]: block[1].strip() for block in blocks}


def test_another_voice_makes_a_weak_call_heard(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missed = _missed(tmp_path, capsys, _heard(CALL, "one", fit=-9.5), _heard(ENROLMENT, "other", fit=-9.5))

    assert missed["today"] == "ko: missed 1 of 1 calls"
    assert missed["sound 0.10 from -10"] == "ko: missed 0 of 1 calls"


def test_the_voice_that_calls_does_not_enrol(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missed = _missed(tmp_path, capsys, _heard(CALL, "one", fit=-9.5), _heard(ENROLMENT, "one", fit=-9.5))

    assert missed["sound 0.10 from -10"] == "ko: missed 1 of 1 calls"


def test_another_sound_does_not_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missed = _missed(tmp_path, capsys, _heard(CALL, "one", fit=-9.5, sound=9), _heard(ENROLMENT, "other", fit=-9.5))

    assert missed["sound 0.10 from -10"] == "ko: missed 1 of 1 calls"


def test_a_less_probable_name_needs_a_nearer_sound(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missed = _missed(tmp_path, capsys, _heard(CALL, "one", fit=-11.0), _heard(ENROLMENT, "other", fit=-11.0))

    assert missed["sound 0.10 from -10"] == "ko: missed 1 of 1 calls"
    assert missed["sound 0.07 from -13"] == "ko: missed 0 of 1 calls"
