"""A called name in an utterance, which is no part of the request. Pure."""

from dataclasses import dataclass, replace

from assistant.speech.addressee import addressed
from assistant.speech.stt.recognizer import Transcript
from assistant.speech.text.names.calls import request_after


@dataclass(frozen=True, slots=True, kw_only=True)
class NameSaid:
    """A name that was called in the same breath as a request; the utterance includes its sound.

    Attributes:
        phrase: the wake phrase.
        spellings: further spellings of it.
        stays: whether the name stays in the words, because they are another agent's.
    """

    phrase: str
    spellings: tuple[str, ...] = ()
    stays: bool = False

    def sound_to_read(self, pcm: bytes, speech_ms: int) -> bytes:
        """The audio to transcribe for the utterance ``pcm``, which has ``speech_ms`` of voice."""
        del speech_ms
        return pcm

    def request_in(self, transcript: Transcript, speech_ms: int) -> Transcript:
        """The transcript without the name, or with the name as it is written.

        Without it, the text is empty if nothing but the name was said.
        """
        del speech_ms
        names = (self.phrase, *self.spellings)
        calls = (addressed(transcript.text, each, known=known) for known in (False, True) for each in names)
        call = next((each for each in calls if each is not None), None)
        if call is None:
            return transcript
        rest = request_after(transcript.text, call)
        return replace(transcript, text=f"{self.phrase}, {rest}".rstrip(", ") if self.stays else rest)
