from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.speech.endpoint.completeness import text_completeness
from assistant.speech.endpoint.policy import _PRESETS, Belief, EndpointPolicy, PauseSigns, Preset

PRESETS: tuple[Preset, ...] = _PRESETS
LONGEST_MS = 3_500
"""Upper bound of the required silence for any evidence."""
maybe = st.none() | st.floats(min_value=0, max_value=1)


def required(preset: Preset, probability: float | None, completeness: float | None, *, speech_ms: int = 2_000) -> int:
    evidence = PauseSigns(silence_ms=0, speech_ms=speech_ms, probability=probability, completeness=completeness)
    return EndpointPolicy(preset).decide(evidence).required_ms


@pytest.mark.parametrize("preset", PRESETS)
def test_agreement_on_the_end_asks_for_the_least_silence(preset: Preset) -> None:
    agreed = required(preset, 0.97, 0.95)
    for probability in (None, 0.97, 0.5, 0.02):
        for completeness in (None, 0.95, 0.5, 0.15):
            assert required(preset, probability, completeness) >= agreed


def test_a_whole_sentence_ends_within_450_ms_even_when_the_sound_denies_it() -> None:
    for probability in (0.97, 0.5, 0.02):
        assert 250 <= required("balanced", probability, text_completeness("모든 불을 다 바꿔 줘.", "ko")) <= 450


def test_an_english_sentence_that_sounds_whole_ends_within_450_ms() -> None:
    assert required("balanced", 0.97, text_completeness("Turn the lights on", "en")) <= 450


def test_words_that_could_be_whole_wait_where_the_sound_denies_it() -> None:
    could_be_whole = text_completeness("Play some quiet piano music", "en")
    assert required("balanced", 0.02, could_be_whole) >= 800
    assert required("balanced", 0.5, could_be_whole) >= 600


def test_a_bare_noun_gets_time_for_its_verb() -> None:
    assert 800 <= required("balanced", 0.97, text_completeness("모든 불닭", "ko")) <= 1_200


def test_doubt_puts_the_answer_off_until_shortly_before_the_end_that_it_asks_for() -> None:
    def probable(text: str, silence_ms: int) -> bool:
        completeness = text_completeness(text, "ko")
        evidence = PauseSigns(silence_ms=silence_ms, speech_ms=1_500, probability=0.97, completeness=completeness)
        return EndpointPolicy("balanced").decide(evidence).probable

    end = required("balanced", 0.97, text_completeness("모든 불닭", "ko"))
    assert not probable("모든 불닭", end - 410)
    assert probable("모든 불닭", end - 400)
    assert probable("모든 불을 다 바꿔 줘.", 100)


@pytest.mark.parametrize("probability", [None, 0.02, 0.5, 0.97])
def test_a_pause_of_800_ms_inside_a_sentence_is_not_its_end(probability: float | None) -> None:
    policy = EndpointPolicy("balanced")
    completeness = text_completeness("모든 불을 파란색으로", "ko")
    evidence = PauseSigns(silence_ms=800, speech_ms=1_500, probability=probability, completeness=completeness)
    assert not policy.decide(evidence).end


def test_without_any_evidence_silence_alone_decides() -> None:
    policy = EndpointPolicy("balanced")
    assert not policy.decide(PauseSigns(silence_ms=899, speech_ms=1_000)).end
    assert policy.decide(PauseSigns(silence_ms=900, speech_ms=1_000)).end


def test_the_words_are_waited_for_while_they_are_being_read() -> None:
    policy = EndpointPolicy("balanced")
    waiting = PauseSigns(silence_ms=450, speech_ms=2_000, probability=0.97, transcribing=True)
    assert not policy.decide(waiting).end
    read = PauseSigns(silence_ms=450, speech_ms=2_000, probability=0.97, completeness=0.95, transcribing=True)
    assert policy.decide(read).end


def test_a_single_short_sound_gets_time_to_go_on_unless_it_is_an_answer() -> None:
    assert required("balanced", 0.97, 0.8, speech_ms=250) > required("balanced", 0.97, 0.8)
    assert required("balanced", 0.97, text_completeness("네.", "ko"), speech_ms=250) == required("balanced", 0.97, 0.95)


@given(st.integers(0, 4_000), st.integers(0, 30_000), maybe, maybe, st.booleans())
def test_presets_are_ordered_and_silence_always_ends_in_time(
    silence: int, speech: int, probability: float | None, completeness: float | None, transcribing: bool
) -> None:
    evidence = PauseSigns(
        silence_ms=silence,
        speech_ms=speech,
        probability=probability,
        completeness=completeness,
        transcribing=transcribing,
    )
    decisions = [EndpointPolicy(preset).decide(evidence) for preset in PRESETS]
    assert all(one.required_ms < other.required_ms for one, other in pairwise(decisions))
    for decision in decisions:
        assert decision.required_ms <= LONGEST_MS
        assert decision.end == (silence >= decision.required_ms)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_models_are_asked_before_the_earliest_end(preset: Preset) -> None:
    policy = EndpointPolicy(preset)
    assert policy.probe_at_ms[-1] < required(preset, 0.97, 0.95)
    assert list(policy.probe_at_ms) == sorted(policy.probe_at_ms)


def test_the_decision_tells_what_it_believed() -> None:
    decision = EndpointPolicy("fast").decide(PauseSigns(silence_ms=0, speech_ms=900, probability=0.1, completeness=0.8))
    assert (decision.sound, decision.words) == (Belief.UNFINISHED, Belief.FINISHED)
