"""Over a turn the cleaned sound is judged, and without an echo the microphone signal; words decide short speech."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from assistant.audio.echo.onset import Rest
from assistant.audio.echo.presence import Echo
from assistant.audio.echo.separation import Separated
from assistant.core.audio import FRAME_SAMPLES
from assistant.core.errors import EngineError
from assistant.core.machine import events as ev
from assistant.core.machine.events import Meaning
from assistant.core.machine.states import TurnId
from assistant.speech.endpoint.continuation import Relation, relation
from assistant.speech.stt.recognizer import Transcript, Weighed
from assistant.voice.heard_sound import HeardSound
from assistant.voice.overlap.hearing import UNREAD_WORD_MS, WORDS_WITHIN_MS, OverlapHearing
from assistant.voice.overlap.judge import CONFIRM_MS, ENDED_MS, HEARD_MS, HEARD_SURE_MS, SUSPECT_MS
from assistant.voice.overlap.user_level import ELSEWHERE_DB, RoomVoices, UserLevel
from assistant.voice.trace import Trace
from tests.fakes.conversation import FakeConversation
from tests.fakes.sound.scene import ToneActivity

SPOKEN = np.full(FRAME_SAMPLES, 6_000, np.int16).tobytes()
REMOVED = bytes(2 * FRAME_SAMPLES)
"""The residue of a voice that echo cancellation takes for an echo."""
PLAYED = np.full(FRAME_SAMPLES, 9_000, np.int16).tobytes()
TURN = TurnId("1")
SURELY_LOUD_MS = 100
"""Time after which the user is known to be louder than the others."""


class Hearing:
    """Feeds frames and keeps the reports.

    Args:
        words: what the recogniser reads; an error is raised, ``None`` never comes.
    """

    def __init__(self, words: str | EngineError | None = "") -> None:
        self.words = words
        self.voice = True
        self.sure = -0.2
        self.fits: dict[str, float] = {}
        self.silent: dict[str, float] = {}
        self.called: tuple[str, ...] = ()
        self.heard_ms = 0
        self.level = UserLevel()
        self.others = RoomVoices()
        self.ended_ms_ago = 60_000
        self.request = "길게 말해 줘."
        self.trace: list[dict[str, object]] = []
        self.conversation = FakeConversation(
            trace=Trace(lambda: 0.0, self.trace.append), meanings={"대화 종료": Meaning.CLOSING}
        )
        self.events = self.conversation.events
        self.it = OverlapHearing(ToneActivity(), self.conversation, self)
        self.it.begin()

    @property
    def names(self) -> tuple[str, ...]:
        return self.called

    def relation(self, text: str, language: str) -> Relation:
        return relation(self.request, text, language)

    def unfinished(self) -> bool:
        return relation(self.request, "what time is it", "en", answered=True) is Relation.HALVES

    def ended_within(self, limit_ms: int) -> bool:
        return self.ended_ms_ago <= limit_ms

    async def compute(self, _work: object) -> Rest:
        return Rest(pcm=SPOKEN, voice=self.voice)

    async def read_draft(self, _pcm: bytes) -> Transcript:
        if self.words is None:
            await asyncio.Event().wait()
        if isinstance(self.words, EngineError):
            raise self.words
        return Transcript(text=str(self.words), language="ko", samples=1, average_log_probability=self.sure)

    async def weigh(self, _pcm: bytes, phrases: Sequence[str], language: str) -> Weighed:
        assert language == "ko"
        fits = {phrase: fit for phrase, fit in self.fits.items() if phrase in phrases}
        return Weighed(transcript=await self.read_draft(_pcm), fits=fits, silent=self.silent)

    def hear(
        self, ms: int, echo: Echo, *, heard: bytes = SPOKEN, cleaned: bytes = REMOVED, played: bytes = PLAYED
    ) -> None:
        sound = HeardSound(heard=heard, cleaned=cleaned, speech=cleaned != REMOVED, played=played, echo=echo)
        for _ in range(ms // 10):
            self.it.hear(TURN, sound)

    def speak(self, ms: int, below_db: float = 0.0, echo: Echo = Echo.ABSENT) -> None:
        """Speech that is weaker than the user's; the voice pauses as soon as it is heard."""
        pcm = np.full(FRAME_SAMPLES, round(6_000 * 10 ** (-below_db / 20)), np.int16).tobytes()
        for _ in range(ms // 10):
            paused = self.told()[-1:] == ["Heard"]
            self.hear(10, echo, heard=pcm, cleaned=pcm, played=REMOVED if paused else PLAYED)

    async def word(self, ms: int = 400, echo: Echo = Echo.ABSENT) -> None:
        """Speech of this duration, and its words."""
        self.hear(ms, echo, cleaned=SPOKEN)
        self.hear(ENDED_MS, echo, heard=REMOVED)
        for _ in range(5):
            await asyncio.sleep(0)

    def told(self) -> list[str]:
        return [type(event).__name__.removeprefix("Overlap") for event in self.events]


def test_a_voice_that_was_removed_as_an_echo_counts_as_soon_as_it_is_known_that_there_is_none() -> None:
    hearing = Hearing()
    hearing.hear(HEARD_MS, Echo.EXPECTED)
    assert not hearing.events
    hearing.hear(10, Echo.ABSENT, cleaned=SPOKEN)
    assert hearing.told() == ["Heard"]
    onset = hearing.it.take_onset()
    assert onset.pcm == SPOKEN * (HEARD_MS // 10 + 1)
    assert onset.unprocessed is None
    assert onset.began_ms_ago == HEARD_MS + 10


@pytest.mark.parametrize("echo", [Echo.EXPECTED, Echo.RECOGNISED])
def test_what_is_removed_never_interrupts_while_it_may_be_an_echo(echo: Echo) -> None:
    hearing = Hearing()
    hearing.hear(2_000, echo)
    assert not hearing.events


def test_a_short_sound_that_was_removed_is_suspected_and_dismissed_only() -> None:
    hearing = Hearing()
    hearing.hear(SUSPECT_MS, Echo.EXPECTED)
    hearing.hear(500, Echo.ABSENT, heard=REMOVED)
    assert hearing.told() == ["Suspected", "Dismissed"]


def test_the_sound_before_echo_cancellation_is_kept_while_it_is_unknown_whether_there_is_an_echo() -> None:
    hearing = Hearing()
    hearing.hear(100, Echo.EXPECTED)
    onset = hearing.it.take_onset()
    assert (onset.pcm, onset.unprocessed) == (REMOVED * 10, SPOKEN * 10)
    assert onset.both == (SPOKEN * 10, PLAYED * 10)
    hearing.hear(100, Echo.RECOGNISED)
    assert hearing.it.take_onset().unprocessed is None


def beside_echo(*, trusted: bool, cleaned: bytes = REMOVED) -> HeardSound:
    """A voice beside a recognised echo."""
    return HeardSound(
        heard=SPOKEN,
        cleaned=cleaned,
        speech=cleaned != REMOVED,
        played=PLAYED,
        echo=Echo.RECOGNISED,
        separated=Separated(SPOKEN, trusted=trusted),
    )


def test_a_voice_beside_a_recognised_echo_interrupts_though_echo_cancellation_removed_it() -> None:
    hearing = Hearing()
    for _ in range(CONFIRM_MS // 10):
        hearing.it.hear(TURN, beside_echo(trusted=True))
    assert hearing.told() == ["Suspected", "Heard", "Confirmed"]


def test_a_sure_voice_beside_an_echo_pauses_soon() -> None:
    hearing = Hearing()
    for _ in range(HEARD_SURE_MS // 10):
        hearing.it.hear(TURN, beside_echo(trusted=True))
    assert hearing.told() == ["Suspected", "Heard"]


@pytest.mark.parametrize(("cleaned", "heard"), [(REMOVED, False), (SPOKEN, True)])
def test_beside_an_echo_of_unknown_path_echo_cancellation_must_leave_the_voice_as_well(
    cleaned: bytes, heard: bool
) -> None:
    hearing = Hearing()
    for _ in range(HEARD_MS // 10):
        hearing.it.hear(TURN, beside_echo(trusted=False, cleaned=cleaned))
    assert ("Heard" in hearing.told()) is heard


def test_what_the_model_of_an_unknown_path_removed_is_nobody_speaking() -> None:
    hearing = Hearing()
    sound = replace(beside_echo(trusted=False, cleaned=SPOKEN), separated=Separated(REMOVED, trusted=False))
    for _ in range(CONFIRM_MS // 10):
        hearing.it.hear(TURN, sound)
    assert not hearing.events


@pytest.mark.parametrize(("ago_ms", "soon"), [(3_000 + CONFIRM_MS, True), (3_010 + CONFIRM_MS, False)])
def test_speech_may_continue_the_request_by_its_beginning_not_by_its_confirmation(ago_ms: int, soon: bool) -> None:
    hearing = Hearing()
    hearing.ended_ms_ago = ago_ms
    hearing.hear(CONFIRM_MS, Echo.ABSENT, cleaned=SPOKEN)
    assert hearing.events[-1] == ev.OverlapConfirmed(turn=TURN, soon=soon)


@pytest.mark.parametrize(("ms", "outcome"), [(UNREAD_WORD_MS, "Confirmed"), (UNREAD_WORD_MS - 60, "Dismissed")])
async def test_a_mumble_just_after_the_request_may_be_its_end(ms: int, outcome: str) -> None:
    hearing = Hearing("")
    hearing.ended_ms_ago = 1_000
    await hearing.word(ms)
    assert hearing.told()[-1] == outcome


@pytest.mark.parametrize(
    ("words", "outcome"), [("네", "Dismissed"), ("", "Dismissed"), ("그만", "Confirmed"), ("다른 거", "Confirmed")]
)
async def test_the_words_of_short_speech_decide(words: str, outcome: str) -> None:
    hearing = Hearing(words)
    await hearing.word()
    assert hearing.told() == ["Suspected", "Heard", outcome]
    transcript = hearing.it.take_onset().transcript
    assert (None if transcript is None else transcript.text) == (words if outcome == "Confirmed" else None)


@pytest.mark.parametrize("asked", [True, False])
async def test_a_yes_to_a_question_is_an_answer(asked: bool) -> None:
    hearing = Hearing("네")
    hearing.it.answers = asked
    hearing.conversation.says = "" if asked else "내일 다시 알려 드릴까요?"
    await hearing.word()
    assert hearing.told()[-1] == "Confirmed"


async def test_closing_words_interrupt_even_if_sori_says_them() -> None:
    hearing = Hearing("대화 종료")
    hearing.conversation.says = "대화 종료라고 말하면 끝나요."
    await hearing.word(echo=Echo.RECOGNISED)
    assert hearing.told()[-1] == "Confirmed"


async def test_closing_words_that_the_recogniser_invents_from_what_is_left_of_the_echo_end_nothing() -> None:
    hearing = Hearing("대화 종료")
    hearing.voice, hearing.sure = False, -1.5
    await hearing.word(echo=Echo.RECOGNISED)
    assert hearing.told()[-1] == "Dismissed"


@pytest.mark.parametrize(("voice", "outcome"), [(False, "Dismissed"), (True, "Confirmed")])
async def test_doubtful_words_in_what_is_left_of_the_echo_are_no_interruption(voice: bool, outcome: str) -> None:
    hearing = Hearing("다른 거")
    hearing.voice, hearing.sure = voice, -0.75
    await hearing.word(echo=Echo.RECOGNISED)
    assert hearing.told()[-1] == outcome


async def test_clear_words_over_a_loud_echo_interrupt() -> None:
    hearing = Hearing("다른 거")
    hearing.voice = False
    await hearing.word(echo=Echo.RECOGNISED)
    assert hearing.told()[-1] == "Confirmed"


async def test_after_a_pause_by_the_own_echo_the_same_answer_needs_more_speech() -> None:
    hearing = Hearing("")
    await hearing.word(echo=Echo.RECOGNISED)
    hearing.events.clear()
    hearing.hear(HEARD_MS, Echo.RECOGNISED, cleaned=SPOKEN)
    assert hearing.told() == ["Suspected"]
    hearing.it.reset()
    hearing.it.begin()
    hearing.hear(HEARD_MS, Echo.RECOGNISED, cleaned=SPOKEN)
    assert hearing.told()[-1] == "Heard"


@pytest.mark.parametrize(("ms", "outcome"), [(UNREAD_WORD_MS, "Confirmed"), (UNREAD_WORD_MS - 60, "Dismissed")])
async def test_with_a_broken_recogniser_a_word_interrupts_and_a_cough_does_not(ms: int, outcome: str) -> None:
    hearing = Hearing(EngineError("tone", "broken"))
    await hearing.word(ms)
    assert hearing.told() == ["Suspected", "Heard", outcome]


async def test_a_recogniser_that_hangs_is_not_waited_for() -> None:
    hearing = Hearing(None)
    await hearing.word()
    assert hearing.told() == ["Suspected", "Heard"]
    hearing.hear(WORDS_WITHIN_MS, Echo.ABSENT, heard=REMOVED)
    assert hearing.told() == ["Suspected", "Heard", "Confirmed"]
    await hearing.conversation.listening.close()


async def test_words_of_speech_that_went_on_are_dropped() -> None:
    hearing = Hearing("네")
    hearing.hear(400, Echo.ABSENT, cleaned=SPOKEN)
    hearing.hear(ENDED_MS, Echo.ABSENT, heard=REMOVED)
    hearing.hear(50, Echo.ABSENT, cleaned=SPOKEN)
    for _ in range(5):
        await asyncio.sleep(0)
    assert hearing.told() == ["Suspected", "Heard"]
    assert hearing.it.suspected


async def test_why_the_answer_went_on_is_traced() -> None:
    hearing = Hearing("네")
    await hearing.word()
    assert [each for each in hearing.trace if each["event"] != "overlap"] == [
        {"t": 0.0, "event": "resumed", "reason": "agreement", "text": "네"}
    ]


@pytest.mark.parametrize("echo", [Echo.ABSENT, Echo.RECOGNISED])
@pytest.mark.parametrize(("below_db", "outcome"), [(ELSEWHERE_DB - 3, "Confirmed"), (ELSEWHERE_DB + 3, "Dismissed")])
async def test_long_speech_that_is_much_weaker_than_the_users_does_not_end_the_answer(
    echo: Echo, below_db: float, outcome: str
) -> None:
    hearing = Hearing("오늘의 주요 뉴스입니다")
    hearing.level.learn(SPOKEN * 50)
    hearing.speak(CONFIRM_MS, below_db, echo)
    for _ in range(5):
        await asyncio.sleep(0)
    assert hearing.told() == ["Suspected", "Heard", outcome]


async def test_a_stop_word_counts_from_afar() -> None:
    hearing = Hearing("그만")
    hearing.level.learn(SPOKEN * 50)
    hearing.speak(CONFIRM_MS, ELSEWHERE_DB + 3)
    for _ in range(5):
        await asyncio.sleep(0)
    assert hearing.told()[-1] == "Confirmed"


@pytest.mark.parametrize(("fit", "last"), [(-2.0, "Confirmed"), (-9.0, "Dismissed")])
async def test_a_stop_word_that_was_not_understood_ends_the_answer_if_it_fits_the_sound(fit: float, last: str) -> None:
    hearing = Hearing("굿만히")
    hearing.sure, hearing.fits = -1.1, {"그만": fit}
    await hearing.word()
    assert hearing.told()[-1] == last


async def test_no_stop_words_are_weighed_for_words_that_were_understood() -> None:
    hearing = Hearing("응")
    hearing.sure, hearing.fits = -0.3, {"그만": 0.0}
    await hearing.word()
    assert hearing.told()[-1] == "Dismissed"


async def test_a_television_pauses_an_answer_once_and_the_user_still_interrupts() -> None:
    hearing = Hearing("오늘의 주요 뉴스입니다")
    hearing.level.learn(SPOKEN * 50)
    for _ in range(10):
        hearing.speak(500, ELSEWHERE_DB + 3)
        for _ in range(5):
            await asyncio.sleep(0)
    assert hearing.told() == ["Suspected", "Heard", "Dismissed"]
    assert [each["reason"] for each in hearing.trace if each["event"] == "resumed"] == ["elsewhere"]
    hearing.speak(CONFIRM_MS + SURELY_LOUD_MS)
    assert hearing.told()[3:6] == ["Suspected", "Heard", "Confirmed"]


async def test_the_next_answer_is_paused_by_others_anew() -> None:
    hearing = Hearing("오늘의 주요 뉴스입니다")
    hearing.level.learn(SPOKEN * 50)
    hearing.speak(CONFIRM_MS, ELSEWHERE_DB + 3)
    for _ in range(5):
        await asyncio.sleep(0)
    hearing.events.clear()
    hearing.it.reset()
    hearing.it.begin()
    hearing.speak(300, ELSEWHERE_DB + 3)
    assert hearing.told() == ["Suspected", "Heard"]


async def test_a_television_and_a_recogniser_that_hangs_do_not_silence_the_answer() -> None:
    hearing = Hearing(None)
    hearing.level.learn(SPOKEN * 50)
    hearing.speak(CONFIRM_MS, ELSEWHERE_DB + 3)
    await asyncio.sleep(0)
    assert hearing.told() == ["Suspected", "Heard"]
    hearing.speak(WORDS_WITHIN_MS, ELSEWHERE_DB + 3)
    assert hearing.told() == ["Suspected", "Heard", "Dismissed"]
    await hearing.conversation.listening.close()


@pytest.mark.parametrize(("below_db", "outcome"), [(ELSEWHERE_DB - 3, "Confirmed"), (ELSEWHERE_DB + 3, "Dismissed")])
async def test_without_an_echo_short_words_of_others_are_told_apart(below_db: float, outcome: str) -> None:
    hearing = Hearing("오늘의 뉴스")
    hearing.level.learn(SPOKEN * 50)
    hearing.speak(400, below_db)
    hearing.hear(ENDED_MS, Echo.ABSENT, heard=REMOVED)
    for _ in range(5):
        await asyncio.sleep(0)
    assert hearing.told() == ["Suspected", "Heard", outcome]


async def test_single_loud_vowels_of_others_do_not_pause_the_answer_again() -> None:
    hearing = Hearing("오늘의 주요 뉴스입니다")
    hearing.level.learn(SPOKEN * 50)
    hearing.speak(CONFIRM_MS, ELSEWHERE_DB + 3)
    for _ in range(5):
        await asyncio.sleep(0)
    for _ in range(10):
        hearing.speak(40)
        hearing.speak(260, ELSEWHERE_DB + 3)
    assert hearing.told() == ["Suspected", "Heard", "Dismissed"]


async def test_a_called_name_ends_the_answer_although_it_was_hardly_understood() -> None:
    for called, ends in ((("도치야",), True), ((), False)):
        hearing = Hearing("도치야")
        hearing.called, hearing.sure = called, -1.2
        await hearing.word(400, Echo.RECOGNISED)
        assert (hearing.told()[-1] == "Confirmed") is ends
        assert hearing.it.take_onset().name == ("도치야" if ends else "")


async def test_a_name_is_weighed_against_a_sound_that_the_recogniser_misspells() -> None:
    hearing = Hearing("더쳐")
    hearing.called, hearing.sure, hearing.fits = ("도치야",), -1.2, {"도치야": -1.0}
    await hearing.word(400, Echo.RECOGNISED)
    assert hearing.told()[-1] == "Confirmed"
    onset = hearing.it.take_onset()
    assert (onset.name, onset.stops) == ("도치야", False)


async def test_a_name_that_is_probable_with_silence_is_not_taken_for_short_speech() -> None:
    hearing = Hearing("더쳐")
    hearing.called, hearing.sure, hearing.fits = ("도치야",), -1.2, {"도치야": -1.0}
    hearing.silent = {"도치야": -2.0}
    await hearing.word(400, Echo.RECOGNISED)
    assert hearing.told()[-1] == "Dismissed"


SOFTER = (
    ("I'd like a double shot mocha", "with brown sugar and some almond milk", True),
    ("Set an alarm", "for seven", True),
    ("Can I have a large latte", "and a muffin", True),
    ("Turn on the lamp.", "police are looking for two men", True),  # a quiet room: nobody else was heard
    ("내일 서울", "날씨 어때", True),
    ("커피 적어 줘.", "그리고 빵도", True),
    ("길게 말해 줘.", "오늘의 주요 뉴스입니다", False),
    ("불 꺼 줘.", "삼십 대 남성이 붙잡혔습니다", False),
)


@pytest.mark.parametrize(("request_before", "words", "users"), SOFTER)
async def test_softer_speech_right_after_a_request_is_its_rest_if_its_words_can_be(
    request_before: str, words: str, users: bool
) -> None:
    hearing = Hearing(words)
    hearing.request, hearing.ended_ms_ago = request_before, 1_000
    hearing.level.learn(SPOKEN * 50)
    for _ in range(30):
        hearing.speak(100, ELSEWHERE_DB + 6)
        await asyncio.sleep(0)
        if hearing.told()[-1] in ("Confirmed", "Dismissed"):
            break
    assert hearing.told()[-1] == ("Confirmed" if users else "Dismissed")
    assert any(isinstance(event, ev.OverlapConfirmed) and event.soon for event in hearing.events) is users


async def test_a_television_that_was_heard_before_does_not_continue_a_request_later() -> None:
    hearing = Hearing("police are looking for two men")
    hearing.request, hearing.ended_ms_ago = "Turn on the lamp.", 3_500
    hearing.level.learn(SPOKEN * 50)
    hearing.others.learn(np.full(FRAME_SAMPLES * 50, 6_000 * 10 ** (-(ELSEWHERE_DB + 6) / 20), np.int16).tobytes(), 0)
    for _ in range(30):
        hearing.speak(100, ELSEWHERE_DB + 6)
        await asyncio.sleep(0)
    assert "Confirmed" not in hearing.told()
