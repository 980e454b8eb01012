"""Random calls of every kind of caller: none passes the gate against the rules."""

import pytest

from assistant.core.permissions import Permissions, Verdict
from benchmarks.mind.gate import wrongly_run


async def test_no_random_call_passes_the_gate_against_the_rules() -> None:
    ran, wrong = await wrongly_run(2_000)
    assert ran > 100
    assert wrong == 0


async def test_a_gate_without_confirmations_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Permissions, "verdict", lambda *_: Verdict.RUN)
    _, wrong = await wrongly_run(500)
    assert wrong > 10
