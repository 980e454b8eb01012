"""An engine that is killed loses nothing that it acknowledged."""

from pathlib import Path

import openai  # noqa: F401 - imported before the fork, so that no process has to
import pytest

from tests.e2e.conversation.killed_engine import Acknowledged, Kill, faults, model_in_a_process, talk_and_die

# Each process talks until the call that kills it, so the time is only a limit for a machine that is very slow.
KILLS = [("fsync", 1), ("rename", 1), ("fsync", 2)]


@pytest.mark.models
def test_what_was_acknowledged_outlives_kills_at_any_write(tmp_path: Path) -> None:
    acknowledged = Acknowledged()
    with model_in_a_process() as base_url:
        for number, at_call in enumerate(KILLS):
            talk_and_die(tmp_path, base_url, acknowledged, Kill(first=number * 1000, after_s=30.0, at_call=at_call))
            assert faults(tmp_path, acknowledged) == []
    assert acknowledged.questions
    assert acknowledged.answers
