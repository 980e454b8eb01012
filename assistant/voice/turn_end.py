"""Endpoint detection for a captured utterance: probes the models in a pause and asks the policy in every frame."""

import logging

import numpy as np

from assistant.core.errors import SoriError
from assistant.core.live_settings import LiveSettings
from assistant.speech.endpoint.completeness import text_completeness
from assistant.speech.endpoint.continuation import Relation, joined_text
from assistant.speech.endpoint.policy import POLICIES, Decision, EndpointPolicy, PauseSigns
from assistant.tasks import TaskSupervisor
from assistant.voice.capture import Capture
from assistant.voice.ears import Ears
from assistant.voice.transcribing import Transcribing

log = logging.getLogger(__name__)


class TurnEnd:
    """Judges pauses.

    Args:
        ears: the engines.
        settings: the live settings, for the turn-taking preset.
        transcribing: transcribes the utterance so far.
        tasks: runs the background tasks.
    """

    def __init__(self, ears: Ears, settings: LiveSettings, transcribing: Transcribing, tasks: TaskSupervisor) -> None:
        self._ears = ears
        self._tasks = tasks
        self._transcribing = transcribing
        self._settings = settings

    def decision(self, capture: Capture) -> Decision:
        """Whether the utterance, in its current pause, is over, or probably is. Call it in every frame."""
        self._probe(capture)
        utterance = capture.utterance
        evidence = PauseSigns(
            silence_ms=utterance.silence_ms,
            speech_ms=utterance.speech_ms,
            probability=capture.current_probability,
            completeness=_completeness(capture),
            transcribing=capture.recognising,
        )
        return self._policy.decide(evidence)

    @property
    def _policy(self) -> EndpointPolicy:
        return POLICIES[self._settings.current.voice.turn_taking]

    def _probe(self, capture: Capture) -> None:
        utterance = capture.utterance
        if capture.probed_revision != utterance.revision:
            capture.probed_revision, capture.probes = utterance.revision, 0
            # The words take longest to judge.
            self._transcribing.want(capture)
        times = self._policy.probe_at_ms
        if capture.probes < len(times) and utterance.silence_ms >= times[capture.probes]:
            capture.probes += 1
            self._tasks.start(self._judge_sound(capture), name="judge the end of a turn")
            self._transcribing.want(capture)

    async def _judge_sound(self, capture: Capture) -> None:
        if self._ears.turn_end is None:
            return
        revision = capture.utterance.revision
        pcm = np.frombuffer(capture.utterance.pcm, "<i2")

        def judge() -> float:
            # The engine is replaced if one of its calls hangs, also while this call waits.
            return 0.0 if self._ears.turn_end is None else self._ears.turn_end.probability(pcm)

        try:
            probability = await self._ears.turn_end_thread.run(judge)
        except SoriError as error:
            log.warning("the end of the turn is judged without its model: %s", error)
            return
        if capture.utterance.revision == revision:
            # Keep the lowest probability of a pause: with a longer silence, any sound is judged as finished more often.
            lowest = min(probability, capture.current_probability or 1.0)
            capture.probability, capture.judged = lowest, revision


def _completeness(capture: Capture) -> float | None:
    transcript = capture.current_transcript
    if transcript is None:
        return None
    text = transcript.text
    before = capture.before
    if before is not None and capture.relation_to(before, text, transcript.language) is Relation.HALVES:
        text = joined_text(before.text, text)
    return text_completeness(text, transcript.language)
