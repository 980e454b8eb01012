from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.core.errors import EngineError, ModelFileError
from assistant.speech.tts.choice import SynthesizerSet, TooSlowError
from assistant.speech.tts.pace import Pace
from assistant.speech.tts.registry import synthesizers
from assistant.speech.tts.synthesizer import NamedVoice, Synthesizer, SynthesizerEngine, Voice

KO, EN = Voice(language="ko"), Voice(language="en")


class Tone:
    """A synthesiser that yields its own number once per word."""

    def __init__(self, number: int, *, fails_after: int | None = None) -> None:
        self.number = number
        self.fails_after = fails_after
        self.closed = False
        self.asked: list[tuple[str, str]] = []

    @property
    def sample_rate(self) -> int:
        return 1_000 * self.number

    def synthesize(self, text: str, voice: Voice) -> Iterator[NDArray[np.int16]]:
        self.asked.append((text, voice.name))
        for spoken, _ in enumerate(text.split()):
            if spoken == self.fails_after:
                raise EngineError("tone", "out of breath")
            yield np.full(10, self.number, dtype=np.int16)

    def close(self) -> None:
        self.closed = True


def engine(
    name: str,
    languages: str,
    *,
    neural: bool = False,
    demanding: bool = False,
    voices: tuple[NamedVoice, ...] = (),
    create: Callable[[], Synthesizer] = lambda: Tone(1),
) -> SynthesizerEngine:
    return SynthesizerEngine(
        id=name,
        languages=frozenset(languages.split()),
        models=(),
        neural=neural,
        demanding=demanding,
        voices=voices,
        create=lambda _path, _threads: create(),
    )


def chosen(preferred: str, *engines: SynthesizerEngine) -> SynthesizerSet:
    return SynthesizerSet(preferred, lambda name: Path(name), engines=engines)


def broken() -> Synthesizer:
    raise ModelFileError("the voice is gone", model="voice")


def said(voices: SynthesizerSet, text: str, voice: Voice) -> list[tuple[int, int]]:
    return [(int(pcm[0]), rate) for pcm, rate in voices.synthesize(text, voice)]


def test_a_human_voice_is_preferred_where_it_speaks_the_language() -> None:
    voices = chosen(
        "auto",
        engine("plain", "ko en", create=lambda: Tone(1)),
        engine("human", "en", neural=True, create=lambda: Tone(2)),
    )
    assert voices.speaking == ""
    assert said(voices, "hello", EN) == [(2, 2_000)]
    assert voices.speaking == "human"
    assert said(voices, "안녕", KO) == [(1, 1_000)]
    assert voices.speaking == "plain"


def test_the_users_choice_comes_before_a_human_voice() -> None:
    voices = chosen("plain", engine("plain", "ko en"), engine("human", "en", neural=True, create=lambda: Tone(2)))
    assert said(voices, "hello", EN) == [(1, 1_000)]


def test_the_users_choice_is_passed_over_where_it_does_not_speak_the_language() -> None:
    voices = chosen("human", engine("plain", "ko en"), engine("human", "en", neural=True, create=lambda: Tone(2)))
    assert said(voices, "안녕", KO) == [(1, 1_000)]


def test_the_next_engine_speaks_when_one_cannot_be_loaded_and_it_is_not_tried_again() -> None:
    tries: list[str] = []

    def failing() -> Synthesizer:
        tries.append("tried")
        return broken()

    voices = chosen("auto", engine("plain", "en"), engine("human", "en", neural=True, create=failing))
    assert said(voices, "hello", EN) == [(1, 1_000)]
    assert said(voices, "hello", EN) == [(1, 1_000)]
    assert tries == ["tried"]


def test_the_next_engine_speaks_when_one_fails_before_its_first_sound() -> None:
    voices = chosen(
        "auto", engine("plain", "en"), engine("human", "en", neural=True, create=lambda: Tone(2, fails_after=0))
    )
    assert said(voices, "hello", EN) == [(1, 1_000)]
    assert voices.order("en") == ("human", "plain")


def test_nobody_repeats_what_was_already_heard() -> None:
    voices = chosen(
        "auto", engine("plain", "en"), engine("human", "en", neural=True, create=lambda: Tone(2, fails_after=1))
    )
    pieces = voices.synthesize("two words", EN)
    assert int(next(pieces)[0][0]) == 2
    with pytest.raises(EngineError, match="out of breath"):
        next(pieces)


def test_when_nobody_can_speak_every_reason_is_told() -> None:
    voices = chosen(
        "auto", engine("human", "en", create=broken), engine("mute", "en", create=lambda: Tone(1, fails_after=0))
    )
    for _ in range(2):
        with pytest.raises(EngineError) as raised:
            said(voices, "hello", EN)
        assert "the voice is gone" in raised.value.detail
        assert "out of breath" in raised.value.detail
        assert raised.value.message_key == "error.speech_unavailable"


def test_an_engine_that_hangs_is_loaded_anew_and_after_the_second_time_the_next_one_speaks() -> None:
    loaded: list[Tone] = []

    def human() -> Synthesizer:
        loaded.append(Tone(2))
        return loaded[-1]

    voices = chosen("human", engine("human", "en ko", neural=True, create=human), engine("plain", "ko en"))
    hanging = voices.synthesize("hello there", EN)
    assert next(hanging)[1] == 2_000
    voices.replace_hung()
    assert said(voices, "hello", EN) == [(2, 2_000)]
    assert len(loaded) == 2
    assert list(hanging) == []
    assert not loaded[0].closed
    voices.replace_hung()
    assert said(voices, "hello", EN) == said(voices, "안녕", KO) == [(1, 1_000)]


def test_a_call_that_fails_after_it_was_abandoned_tries_no_other_engine() -> None:
    abandoned: list[str] = []

    class Hanging(Tone):
        def synthesize(self, text: str, voice: Voice) -> Iterator[NDArray[np.int16]]:
            voices.replace_hung()
            return super().synthesize(text, voice)

    def plain() -> Synthesizer:
        abandoned.append("spoke")
        return Tone(1)

    voices = chosen(
        "human", engine("human", "en", create=lambda: Hanging(2, fails_after=0)), engine("plain", "en", create=plain)
    )
    with pytest.raises(EngineError, match="out of breath"):
        said(voices, "hello", EN)
    assert not abandoned


def test_a_language_without_engines_is_an_error() -> None:
    with pytest.raises(EngineError, match="no engine speaks xx"):
        said(chosen("auto", engine("plain", "en")), "hello", Voice(language="xx"))


def test_preparing_loads_the_engine_that_will_speak() -> None:
    loaded: list[str] = []

    def human() -> Synthesizer:
        loaded.append("human")
        return Tone(2)

    voices = chosen("auto", engine("plain", "en"), engine("human", "en", neural=True, create=human))
    assert voices.prepare("en") == "human"
    said(voices, "hello", EN)
    assert loaded == ["human"]


def test_preparing_falls_back_as_speaking_does() -> None:
    voices = chosen("auto", engine("plain", "en"), engine("human", "en", neural=True, create=broken))
    assert voices.prepare("en") == "plain"
    with pytest.raises(EngineError):
        voices.prepare("xx")


def test_closing_frees_the_voices() -> None:
    tone = Tone(1)
    voices = chosen("auto", engine("plain", "en", create=lambda: tone))
    said(voices, "hello", EN)
    voices.close()
    assert tone.closed


@pytest.mark.models
def test_a_human_voice_speaks_both_languages(model_path: Callable[[str], Path]) -> None:
    voices = SynthesizerSet("auto", model_path, 2)
    assert (voices.prepare("en"), voices.prepare("ko")) == ("kokoro", "kokoro")
    voices.close()


def test_without_any_model_both_languages_are_still_spoken(tmp_path: Path) -> None:
    voices = SynthesizerSet("auto", lambda _: tmp_path, engines=synthesizers().engines.values())
    for voice, text in ((KO, "안녕하세요"), (EN, "Hello")):
        assert sum(len(pcm) for pcm, _ in voices.synthesize(text, voice)) > 5_000


FAST = Pace(real_time_factor=0.2, first_s=0.3)
SLUGGISH = Pace(real_time_factor=0.5, first_s=0.9)
BEARABLE = Pace(real_time_factor=0.9, first_s=1.6)
SLOW = Pace(real_time_factor=2.0, first_s=3.0)


class Known:
    """Paces that were measured earlier."""

    def __init__(self, pace: Pace | None) -> None:
        self.pace = pace
        self.kept: list[str] = []

    def known(self, engine: str) -> Pace | None:
        return self.pace

    def keep(self, engine: str, pace: Pace) -> None:
        self.kept.append(engine)


HUMAN_VOICES = (NamedVoice(name="ann", language="en"), NamedVoice(name="bob", language="en"))


def paced(pace: Pace | None, tone: Tone, *, preferred: str = "auto", voices: tuple[str, ...] = ()) -> SynthesizerSet:
    human = engine("human", "en ko", neural=True, demanding=True, voices=HUMAN_VOICES, create=lambda: tone)
    engines = (human, engine("plain", "en ko"))
    return SynthesizerSet(preferred, Path, engines=engines, voices=voices, paces=Known(pace))


def test_a_human_voice_that_is_too_slow_here_gives_way_and_the_reason_is_kept() -> None:
    tone = Tone(2)
    chosen = paced(SLOW, tone).choose("en")
    assert chosen.engine == "plain"
    (reason,) = chosen.passed_over
    assert isinstance(reason, TooSlowError)
    assert reason.pace == SLOW
    assert tone.closed


def test_a_bearable_human_voice_speaks_where_no_other_one_does() -> None:
    tones = []

    def human() -> Synthesizer:
        tones.append(Tone(2))
        return tones[-1]

    engines = (
        engine("human", "en ko", neural=True, demanding=True, create=human),
        engine("other", "en", neural=True, create=lambda: Tone(3)),
        engine("plain", "en ko"),
    )
    for order in (("ko", "en", "ko"), ("en", "ko", "en")):
        tones.clear()
        voices = SynthesizerSet("auto", Path, engines=engines, paces=Known(BEARABLE))
        assert {language: voices.choose(language).engine for language in order} == {"ko": "human", "en": "other"}
        assert said(voices, "안녕", KO) == [(2, 2_000)]
        assert [tone.closed for tone in tones][-1:] == [False]


@pytest.mark.parametrize(("preferred", "voices"), [("human", ()), ("auto", ("bob",))])
def test_who_asks_for_a_slow_voice_gets_it(preferred: str, voices: tuple[str, ...]) -> None:
    assert paced(SLOW, Tone(2), preferred=preferred, voices=voices).choose("en").engine == "human"


def test_a_voice_that_was_never_measured_here_is_measured_once() -> None:
    paces = Known(None)
    human = engine("human", "en", neural=True, demanding=True, create=lambda: Tone(24))
    voices = SynthesizerSet("auto", Path, engines=[human], paces=paces)
    assert voices.unmeasured
    assert voices.choose("en").pace is not None
    assert not voices.unmeasured


def test_only_the_first_words_that_somebody_waits_for_are_cut_short_and_only_where_that_helps() -> None:
    text = "Your meeting with the team was moved to the afternoon, and the room is another one."
    awaited = Voice(language="en", awaited=True)
    for pace, voice, parts in ((SLUGGISH, awaited, 2), (SLUGGISH, EN, 1), (FAST, awaited, 1)):
        tone = Tone(2)
        said(paced(pace, tone), text, voice)
        assert len(tone.asked) == parts
        assert " ".join(part for part, _ in tone.asked) == text


def test_the_voice_that_the_settings_name_speaks_and_else_the_engines_first() -> None:
    for wanted, name in (((), "ann"), (("bob",), "bob"), (("nobody", "bob"), "bob"), (("nobody",), "ann")):
        tone = Tone(2)
        voices = paced(FAST, tone, voices=wanted)
        assert voices.choose("en").voice == name
        said(voices, "hello", EN)
        assert tone.asked == [("hello", name)]


def test_a_voice_asked_for_by_name_comes_before_the_preferred_engine() -> None:
    tone = Tone(2)
    voices = paced(FAST, tone, preferred="plain")
    assert said(voices, "hello", Voice(language="en", name="bob")) == [(2, 2_000)]
    assert said(voices, "hello", EN) == [(1, 1_000)]


def test_of_several_named_voices_the_one_of_the_language_speaks_and_the_unusable_one_is_known() -> None:
    korean, english = NamedVoice(name="k", language="ko"), NamedVoice(name="e", language="en")
    plain = NamedVoice(name="p", language="ko")
    tone = Tone(1)
    voices = chosen(
        "auto",
        engine("plain", "ko en", voices=(plain,), create=lambda: tone),
        engine("human", "ko", neural=True, voices=(korean,), create=broken),
        engine("other", "en", neural=True, voices=(english,), create=lambda: Tone(3)),
    )
    assert said(voices, "안녕", Voice(language="ko", name="e, k")) == [(1, 1_000)]
    assert said(voices, "hello", Voice(language="en", name="p, e")) == [(3, 3_000)]
    assert tone.asked == [("안녕", "p")]
    assert voices.unusable("e, k", "ko") == "k"
    assert voices.unusable("nobody", "en") == "nobody"
    assert voices.unusable("e, p", "ko") == ""
