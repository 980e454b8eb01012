"""Fits attachments to a model (P-12): accepted files are sent, images are made smaller, other files are left out.

Nothing is left out silently. The user gets an ``AttachmentLeftOut``, and the model gets a sentence in the file's place.
``model_facts`` says of many models whether they can see images. For other models the server's refusal shows it, and the
refusal is remembered while Sori runs.
"""

import asyncio
import base64
import binascii
import hashlib
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from assistant.core.errors import ProviderError
from assistant.core.formats.mail import is_mail, mail_text
from assistant.core.settings import ModelFacts, Provider
from assistant.llm.attachments.file_types import plain_type, text_of, true_type
from assistant.llm.attachments.images import DECODED_TYPES, ImageLimits, UnfitImageError, fit_image
from assistant.llm.backend import (
    AttachmentLeftOut,
    MisfitReason,
    ModelAttachment,
    ModelDelta,
    ModelMessage,
    ModelRequest,
    UnsentFile,
)
from assistant.llm.facts.model_facts import known_model

Family = Literal["image", "audio", "file"]

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """The files that an API accepts.

    Attributes:
        image: limits of images.
        files: media types of other files.
        linked_files: whether files other than images may be given as an address.
        total: maximum size of all files of a request, in bytes of base64.
    """

    image: ImageLimits
    files: frozenset[str] = frozenset()
    linked_files: bool = False
    total: int


OPENAI = Accepted(
    image=ImageLimits(edge=2048, size=15 * _MIB),
    files=frozenset({"audio/wav", "audio/mpeg"}),
    total=48 * _MIB,
)
"""OpenAI's guide "Images and vision": PNG, JPEG, WebP and still GIF, 20 MB an image and 50 MB a request, scaled to fit
2048 x 2048 pixels. Its chat completions reference: ``input_audio`` is wav or mp3."""

ANTHROPIC = Accepted(
    image=ImageLimits(edge=1568, size=5 * _MIB * 3 // 4),
    files=frozenset({"application/pdf"}),
    linked_files=True,
    total=30 * _MIB,
)
"""Anthropic's guides "Vision" and "PDF support": JPEG, PNG, GIF and WebP, 5 MB an image as base64, scaled down above
1568 pixels, at most 2000 pixels if there are more than 20 images, 32 MB a request."""

_GOOGLE_FILES = (
    *(f"video/{each}" for each in ("mp4", "mpeg", "mpegs", "mpegps", "mpg", "mov", "quicktime", "avi", "x-flv")),
    *(f"video/{each}" for each in ("webm", "wmv", "3gpp")),
    *(f"audio/{each}" for each in ("wav", "mp3", "mpeg", "mpga", "m4a", "mp4", "aiff", "aac", "ogg", "opus", "flac")),
    *(f"audio/{each}" for each in ("pcm", "webm")),
    *(f"text/{each}" for each in ("plain", "html", "css", "javascript", "x-typescript", "x-python", "csv")),
    *(f"text/{each}" for each in ("markdown", "xml", "rtf")),
    "application/pdf",
)

GOOGLE = Accepted(
    image=ImageLimits(edge=2048, size=7 * _MIB),
    files=frozenset(_GOOGLE_FILES),
    linked_files=True,
    total=19 * _MIB,
)
"""Google's guides "Image understanding" and "File input methods": 20 MB a request with files on every model, 7 MB an
image. Images above 3072 pixels are scaled down; 2048 pixels give as many tiles as other vendors use. The types are from
the guides "Video understanding", "Audio understanding", "Document understanding", "Prompting with media files" and
Firebase's "Supported input files and requirements". A file of another type makes the API refuse the whole request."""

ZAI = Accepted(image=ImageLimits(edge=2048, size=5 * _MIB * 3 // 4), total=48 * _MIB)
"""Z.AI's chat completions reference: JPEG and PNG, less than 5 MB and 6000 x 6000 pixels each; no audio."""

LOCAL = Accepted(image=ImageLimits(edge=1024, size=4 * _MIB), total=48 * _MIB)
"""llama.cpp, Ollama and LM Studio decode JPEG and PNG. A vision encoder that does not scale images down can fill a
small context: 1024 x 1024 pixels are about 1,300 tokens with Qwen2.5-VL."""

_REFUSED = {
    "image": r"image|vision|visual|multi-?modal|mmproj",
    "audio": r"audio|sound",
    "file": r"\bpdf|document|\bfile\b|video|mime",
}
_NOT_TAKEN = re.compile(
    r"not support|unsupported|only supported|does ?n[o']t (accept|support|have)|not (enabled|allowed|available|capable)"
    r"|missing data required|no endpoints found|unknown (variant|type|content)|invalid (content )?type"
    r"|(content|messages)\W.{0,40}must be a string|should be a valid string|expected (a )?string",
    re.IGNORECASE,
)
"""Refusals of a file by a model without that ability, as seen from OpenAI, Anthropic, Gemini, Mistral, xAI, OpenRouter,
DeepSeek, Groq, vLLM, llama.cpp and Ollama."""

_PLAIN_TEXT_WANTED = re.compile(r"must be a string|valid string|expected (a )?string", re.IGNORECASE)

LONGEST_QUOTATION = 60_000
"""Most characters of a text file that is quoted in the message. The whole message must still fit the context."""

_LONGEST_CHARACTER = 4
"""Bytes of a character at most."""

_KEPT = 24
"""Number of fitted files to keep: enough for the next tool round of a long conversation."""


def not_shown(attachment: ModelAttachment) -> str:
    """The sentence that tells a model about a file that was left out."""
    name = f" {attachment.name}" if attachment.name else ""
    return f"[The attached file{name} ({attachment.mime_type}) cannot be shown to you.]"


def quoted(name: str, text: str) -> str:
    """A text file as a part of the message, with marks at its beginning and end."""
    return f'<file name="{name}">\n{text.rstrip()}\n</file>'


def family_of(mime_type: str) -> Family:
    """The ability that a model needs for a file of this type."""
    medium = plain_type(mime_type).partition("/")[0]
    return "image" if medium == "image" else "audio" if medium == "audio" else "file"


OTHER_MODELS_READ = frozenset({"image", "pdf", "audio", "video"})
"""Of ``kind_of_reader``: what some models read that others do not."""


def kind_of_reader(head: bytes, declared: str) -> str:
    """What a model must be able to read: ``image``, ``pdf``, ``audio``, ``video``; else ``picture`` or ``other``.

    A ``picture`` is an image in a format that is sent to no model.
    """
    kind = true_type(head, declared)
    medium = kind.partition("/")[0]
    if medium == "image":
        return "image" if kind in DECODED_TYPES else "picture"
    return "pdf" if kind == "application/pdf" else medium if medium in OTHER_MODELS_READ else "other"


def refused(error: ProviderError, kinds: set[str]) -> str | None:
    """The media type or family that a server's refusal names, or ``None`` if the refusal is not about files.

    The result is a type in ``kinds`` if the refusal names one, else a family. If the refusal names several types, the
    first one counts, because a list of accepted types may follow it.
    """
    if error.status is None or not _NOT_TAKEN.search(error.detail):
        return None
    words, families = error.detail.lower(), {family_of(kind) for kind in kinds}
    if named := [kind for kind in kinds if kind in words]:
        return min(named, key=words.index)
    for family in ("image", "audio", "file"):
        if family in families and re.search(_REFUSED[family], error.detail, re.IGNORECASE):
            return family
    # A text-only server may refuse without naming the type of the file.
    return next(iter(sorted(families)), None) if _PLAIN_TEXT_WANTED.search(error.detail) else None


@dataclass(frozen=True, slots=True)
class _Quotation:
    """The content of a text file that the API accepts only as text."""

    text: str


@dataclass(slots=True, kw_only=True)
class _Fitted:
    """A request with fitted attachments, and the attachments that were left out of it."""

    request: ModelRequest
    left_out: list[AttachmentLeftOut]

    @property
    def kinds(self) -> set[str]:
        """The media types of the request's attachments."""
        return {each.mime_type for message in self.request.messages for each in message.attachments}


_Outcome = ModelAttachment | _Quotation | MisfitReason
"""A file in the form to send, or the reason for leaving it out."""


@dataclass(slots=True)
class AttachmentPost:
    """Fits the attachments of requests to the provider. Lives on one event loop.

    Attributes:
        accepted: the files that the provider's API accepts.
        facts: returns the user's own facts of models.
    """

    accepted: Accepted
    facts: Callable[[], tuple[ModelFacts, ...]] = tuple
    _refused: dict[tuple[str, str, str], set[str]] = field(default_factory=dict, init=False)
    _one: threading.Lock = field(default_factory=threading.Lock, init=False)
    _fitted: dict[tuple[bytes, str, ImageLimits], _Outcome] = field(default_factory=dict, init=False)

    def fitting(self, provider: Provider, request: ModelRequest) -> "RequestFitting":
        """Fit a request to its provider; its model is named."""
        return RequestFitting(self, provider, request)

    def learn(self, provider: Provider, model: str, kind: str) -> None:
        """Remember a media type or family that a model has refused."""
        self._refusals(provider, model).add(kind)

    def _refusals(self, provider: Provider, model: str) -> set[str]:
        """The media types and families that a model has refused."""
        return self._refused.setdefault((provider.kind, provider.base_url, model), set())

    def misfit(self, provider: Provider, model: str, file: UnsentFile) -> MisfitReason | None:
        """Why a file would be left out, as far as its first bytes tell; see ``ProviderBackend.misfit``."""
        kind = true_type(file.head, file.mime_type)
        family, without = family_of(kind or file.mime_type), self._without(provider, model)
        if not kind or not file.size:
            return "broken"
        if family == "image":
            return "type" if kind not in DECODED_TYPES or without & {kind, family} else None
        if kind in self.accepted.files and not without & {kind, family}:
            return "size" if file.size * 4 / 3 > self.accepted.total else None
        if is_mail(kind):
            return None
        if family != "file" or kind == "application/pdf":
            return "type"
        if text_of(file.head, is_cut=len(file.head) < file.size) is None:
            return "type"
        return "size" if file.size > LONGEST_QUOTATION * _LONGEST_CHARACTER else None

    def _without(self, provider: Provider, model: str) -> set[str]:
        """The media types and families that a model does not take."""
        blind = not known_model(provider, model, self.facts()).images
        return self._refusals(provider, model) | ({"image"} if blind else set())

    async def fit(self, provider: Provider, request: ModelRequest) -> _Fitted:
        """The request with the attachments in the form that the model accepts."""
        if not any(message.attachments for message in request.messages):
            return _Fitted(request=request, left_out=[])
        without = self._without(provider, request.model)
        # Decoding a photograph takes up to a second.
        return await asyncio.to_thread(self._fit_all, request, without)

    def _fit_all(self, request: ModelRequest, without: set[str]) -> _Fitted:
        """Fit one request at a time across threads, because scaling a large photograph takes half a gigabyte."""
        with self._one:
            return self._fit_messages(request, without)

    def _fit_messages(self, request: ModelRequest, without: set[str]) -> _Fitted:
        left_out: list[AttachmentLeftOut] = []
        messages: list[ModelMessage] = []
        room = self.accepted.total
        newest = _newest_turn(request.messages)
        # The newest message comes first, so that the oldest files are left out when the room is used up.
        for index, message in reversed(list(enumerate(request.messages))):
            outcomes = [self._fit_one(each, without) for each in message.attachments]
            kept, missing, quotations = [], [], []
            for given, outcome in zip(message.attachments, outcomes, strict=True):
                if isinstance(outcome, _Quotation):
                    quotations.append(quoted(given.name, outcome.text))
                elif isinstance(outcome, ModelAttachment) and len(outcome.data) <= room:
                    room -= len(outcome.data)
                    kept.append(outcome)
                else:
                    reason = "size" if isinstance(outcome, ModelAttachment) else outcome
                    missing.append(AttachmentLeftOut(name=given.name, mime_type=given.mime_type, reason=reason))
            messages.append(_with_files(message, kept, missing, quotations))
            if index >= newest:
                left_out[:0] = missing
        return _Fitted(request=replace(request, messages=tuple(reversed(messages))), left_out=left_out)

    def _fit_one(self, attachment: ModelAttachment, without: set[str]) -> _Outcome:
        if not attachment.data:
            return self._linked(attachment, without)
        digest = hashlib.sha256(attachment.data.encode()).digest()
        place = (digest, f"{attachment.mime_type} {attachment.name}", self.accepted.image)
        outcome = self._fitted.pop(place, None) or self._examined(attachment)
        self._fitted[place] = outcome
        while len(self._fitted) > _KEPT:
            del self._fitted[next(iter(self._fitted))]
        if isinstance(outcome, ModelAttachment):
            family = family_of(outcome.mime_type)
            if without & {outcome.mime_type, family}:
                return _quotation(base64.b64decode(outcome.data), outcome.mime_type) if family == "file" else "type"
        return outcome

    def _linked(self, attachment: ModelAttachment, without: set[str]) -> ModelAttachment | MisfitReason:
        """A file that the server fetches from an address. Only its declared type is checked."""
        if not attachment.url:
            return "broken"
        kind = plain_type(attachment.mime_type)
        family = family_of(kind)
        if without & {kind, family}:
            return "type"
        taken = family == "image" or (self.accepted.linked_files and kind in self.accepted.files)
        return replace(attachment, mime_type=kind) if taken else "type"

    def _examined(self, attachment: ModelAttachment) -> _Outcome:
        """The file in the form to send, by the API's limits. The model's own refusals are not considered here."""
        try:
            data = base64.b64decode("".join(attachment.data.split()), validate=True)
        except (binascii.Error, ValueError):
            return "broken"
        kind = true_type(data, attachment.mime_type)
        if not kind or not data:
            return "broken"
        if family_of(kind) == "image":
            if kind not in DECODED_TYPES:
                return "type"
            try:
                kind, data = fit_image(data, self.accepted.image)
            except UnfitImageError as error:
                return error.reason
        elif kind not in self.accepted.files:
            return _quotation(data, kind)
        return replace(attachment, mime_type=kind, data=base64.b64encode(data).decode("ascii"))


class RequestFitting:
    """Fits the attachments of one request, anew after each refusal of a file.

    Files left out of earlier turns are not reported again: they were reported in their own turn.

    Args:
        post: fits attachments.
        provider: the provider of the model.
        request: the request.
    """

    def __init__(self, post: AttachmentPost, provider: Provider, request: ModelRequest) -> None:
        self._post = post
        self._provider = provider
        self._request = request
        self._fitted = _Fitted(request=request, left_out=[])
        self._begun = False

    async def fitted(self) -> ModelRequest:
        """The request to send."""
        self._fitted = await self._post.fit(self._provider, self._request)
        return self._fitted.request

    def heard(self, delta: ModelDelta) -> Sequence[ModelDelta]:
        """The deltas to pass on for the next delta of the reply: before the first one, those for files left out.

        The first delta must come from the server, because the server may still refuse the request.
        """
        if self._begun:
            return (delta,)
        self._begun = True
        return (*self._fitted.left_out, delta)

    def refused(self, error: ProviderError) -> bool:
        """Whether the error is a refusal of a file, which the next fitting leaves out."""
        untaken = None if self._begun else refused(error, self._fitted.kinds)
        if untaken is not None:
            self._post.learn(self._provider, self._request.model, untaken)
        return untaken is not None


def _quotation(data: bytes, kind: str) -> _Quotation | MisfitReason:
    """A file that the API does not accept as a file: its quoted text, else the reason for leaving it out."""
    if is_mail(kind):
        text = mail_text(data) or None
    else:
        text = None if family_of(kind) != "file" or kind == "application/pdf" else text_of(data)
    if text is None or not text.strip():
        return "type" if text is None else "broken"
    return _Quotation(text) if len(text) <= LONGEST_QUOTATION else "size"


def _with_files(
    message: ModelMessage, kept: list[ModelAttachment], missing: list[AttachmentLeftOut], quotations: list[str]
) -> ModelMessage:
    """The message with its accepted files, its quoted text files, and a sentence for each file that was left out."""
    if not message.attachments:
        return message
    told = [not_shown(ModelAttachment(mime_type=each.mime_type, name=each.name)) for each in missing]
    text = "\n\n".join([*([message.text] if message.text else []), *quotations, *told])
    return replace(message, text=text, attachments=tuple(kept))


def _newest_turn(messages: tuple[ModelMessage, ...]) -> int:
    """Index of the newest turn's first message: the one after the last answer without a tool call."""
    answers = (index for index, each in enumerate(messages) if each.role == "assistant" and not each.tool_calls)
    return max(answers, default=-1) + 1
