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


@pytest.mark.parametrize(
    ("fit", "sound", "enroller", "missed"),
    [
        (-9.5, 0, "other", 0),
        (-9.5, 0, "one", 1),  # the voice that calls does not enrol
        (-9.5, 9, "other", 1),  # another sound
        (-13.1, 0, "other", 1),  # a name that is too improbable
    ],
)
def test_words_of_another_voice_make_a_weak_call_heard(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fit: float, sound: int, enroller: str, missed: int
) -> None:
    ways = _missed(tmp_path, capsys, _heard(CALL, "one", fit=fit, sound=sound), _heard(ENROLMENT, enroller, fit=fit))

    assert ways["without"] == "ko: missed 1 of 1 (synthetic call)"
    assert ways["Sori's own voices"] == f"ko: missed {missed} of 1 (synthetic call)"
