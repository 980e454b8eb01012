"""What somebody says to steer a text that is read aloud (D-09). Only the whole utterance counts. Pure."""

import re
import unicodedata
from typing import Final

from assistant.core.service.requests.voice import ReadingStep

_PLEASE = r"(요|줘|줘요|주세요|줄래|줄래요|줄수있어)?"
_READ = rf"(읽어|말해|들려){_PLEASE}"
_KOREAN: Final = {
    ReadingStep.NEXT: rf"(그?다음(문장|단락|부분)?(을|으로|로)?({_READ}|(넘어가|넘겨|가|건너뛰어){_PLEASE})?"
    rf"|(이|그|한)?문장(은|을)?(건너뛰어|넘겨|넘어가){_PLEASE}|건너뛰어{_PLEASE})",
    ReadingStep.PREVIOUS: rf"((바로)?(이전|앞|앞의|전)문장(을|으로|로)?"
    rf"({_READ}|(돌아가|가){_PLEASE}|부터({_READ})?|다시({_READ})?)?"
    rf"|한문장(앞|뒤)?으?로?돌아가{_PLEASE})",
    ReadingStep.AGAIN: rf"((이|그|방금)?문장(을)?(한번더|다시)({_READ})?|(한번더|다시)(한번)?{_READ})",
    ReadingStep.GO_ON: rf"(계속(해|해서)?({_READ})?{_PLEASE}|(이어서|이어|마저){_READ})",
}
_SENTENCE = r"(sentence|one|part|paragraph)"
_ENGLISH: Final = {
    ReadingStep.NEXT: rf"((go|skip|move|jump)( on)? to )?(the )?next {_SENTENCE}|next|"
    rf"(skip|skip over) (this|that|the|one|a) {_SENTENCE}|skip|skip (it|this|that|ahead)|read the next {_SENTENCE}",
    ReadingStep.PREVIOUS: rf"((go|move|jump) )?(back )?(to )?(the )?previous {_SENTENCE}|go back (one|a) {_SENTENCE}|"
    rf"back (one|a) {_SENTENCE}|read the previous {_SENTENCE}( again)?",
    ReadingStep.AGAIN: rf"(read|say) (it|that|this|(that|this|the) {_SENTENCE}) again|"
    rf"repeat (that|this|the) {_SENTENCE}",
    ReadingStep.GO_ON: r"(continue|resume|keep|go on)( with)?( the)? reading|continue|go on|read on|carry on|resume|"
    r"read the rest|keep going",
}
_POLITE = re.compile(r"^((can|could|would|will) you )?(please )?|( please)$")


def reading_step(text: str) -> ReadingStep | None:
    """The step that an utterance asks for; ``None`` for anything that is not wholly understood."""
    plain = " ".join(re.sub(r"[\W_]+", " ", unicodedata.normalize("NFC", text).casefold()).split())
    joined, english = plain.replace(" ", ""), _POLITE.sub("", plain)
    for step in _KOREAN:
        if re.fullmatch(_KOREAN[step], joined) or re.fullmatch(_ENGLISH[step], english):
            return step
    return None
