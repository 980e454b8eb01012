"""A called name at the beginning of an utterance, which is removed from its transcripts. Pure."""

from dataclasses import dataclass, replace

from assistant.speech.stt.recognizer import Transcript
from assistant.speech.text.names.calls import called, request_after


@dataclass(frozen=True, slots=True, kw_only=True)
class NameSaid:
    """A name that was called in the same breath as a request; the utterance includes its sound.

    Attributes:
        phrase: the wake phrase.
        spellings: further spellings of it.
    """

    phrase: str
    spellings: tuple[str, ...] = ()

    def sound_to_read(self, pcm: bytes, speech_ms: int) -> bytes:
        """The audio to transcribe for the utterance ``pcm``, which has ``speech_ms`` of voice."""
        del speech_ms
        return pcm

    def request_in(self, transcript: Transcript, speech_ms: int) -> Transcript:
        """The transcript without the name; its text is empty if nothing but the name was said."""
        del speech_ms
        names = (self.phrase, *self.spellings)
        calls = (called(transcript.text, each, known=known) for known in (False, True) for each in names)
        call = next((each for each in calls if each is not None), None)
        return transcript if call is None else replace(transcript, text=request_after(transcript.text, call))
