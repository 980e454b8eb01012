"""The domain of files that are to go with a message."""

from collections.abc import Callable

from assistant.agent.context.model_form import is_document
from assistant.agent.context.tokens import estimated_tokens, room_for_prompt
from assistant.agent.model_choice import ModelChoice, choose_for, remembered
from assistant.core.display.words import provider_words
from assistant.core.knowledge.texts import ExtractedText
from assistant.core.messages import Attachment
from assistant.core.service.events import Audience
from assistant.core.service.requests import turns as rq
from assistant.core.service.requests.models import FileWarning
from assistant.core.updates import FileReading, Update
from assistant.engine.chat_wiring import Chat
from assistant.engine.serving.table import Asker, Domain, serves
from assistant.knowledge.reading.media_types import media_type_of
from assistant.knowledge.reading.reader import UnreadableFileError
from assistant.llm.attachments.file_types import text_of
from assistant.llm.backend import UnsentFile
from assistant.llm.facts.model_facts import known_model

_SHARE_OF_ROOM = 0.75
"""Share of a model's room that the files of a message may fill. The rest is for instructions, tools and words."""
_COUNTED = 1_000_000
"""Characters of the longest text that is counted exactly; a longer one fits no model of Sori's own server."""


class FilesForMessages(Domain):
    """Owns the requests for files of messages.

    Args:
        chat: has the files, the models and the settings.
        deliver: takes events and whom they are for.
    """

    def __init__(self, chat: Chat, deliver: Callable[[Update, Audience], None]) -> None:
        self._chat, self._deliver = chat, deliver

    @serves()
    async def _prepare_file(self, request: rq.PrepareFile, asker: Asker) -> rq.PreparedFile:
        """Read a file for a message.

        Raises:
            StorageError: the choice of the conversation cannot be read.
        """
        file, to = request.file, Audience(client=asker.client)
        kind = media_type_of(file.head, file.name)
        if kind.partition("/")[0] in ("image", "audio", "video"):
            return rq.PreparedFile(media_type=kind)
        choice = await self._choice(request)
        try:
            text = await self._text(file, lambda share: self._deliver(FileReading(file=request.id, fraction=share), to))
        except UnreadableFileError as error:
            return self._unread(file, kind, error, choice)
        tokens = await self._tokens(text.text, choice)
        notes = tuple(self._chat.basis.texts(f"file_note.{each}") for each in text.notes)
        prepared = rq.PreparedFile(
            media_type=kind, characters=len(text.text), tokens=tokens, pages=text.pages, notes=notes
        )
        return self._within_room(prepared, choice)

    async def _text(self, file: Attachment, progress: Callable[[float], None]) -> ExtractedText:
        if is_document(file):
            return await self._chat.storage.message_files.read(file, progress)
        # A plain text goes to the model as it is.
        text = text_of(file.read()) or ""
        if not text.strip():
            raise UnreadableFileError("no_text" if file.size else "empty")
        return ExtractedText(text=text, blocks=())

    async def _choice(self, request: rq.PrepareFile) -> ModelChoice:
        settings, chosen = self._chat.basis.live.current, request.model
        if not chosen and request.conversation:
            chosen = remembered(settings, await self._chat.storage.conversations.chosen_model(request.conversation))
        return choose_for(settings, attachments=1, chosen=chosen).choices[0]

    async def _tokens(self, text: str, choice: ModelChoice) -> int:
        counted = None
        if len(text) <= _COUNTED:
            backend = self._chat.models.router.backend_for(choice.provider)
            counted = await backend.count_tokens(choice.provider, choice.model, text)
        return estimated_tokens(text) if counted is None else counted

    def _within_room(self, prepared: rq.PreparedFile, choice: ModelChoice) -> rq.PreparedFile:
        """The file, failed if the model that answers has no room for it."""
        settings, texts = self._chat.basis.live.current, self._chat.basis.texts
        known = known_model(choice.provider, choice.model, settings.models)
        limits = [prepared.characters <= settings.context.max_size * _SHARE_OF_ROOM]
        if known.context_tokens is not None:
            room = room_for_prompt(known.context_tokens, settings.llm.max_output_tokens)
            limits.append(prepared.tokens <= room * _SHARE_OF_ROOM)
        if all(limits):
            return prepared
        values = {"tokens": f"{prepared.tokens:,}", "model": self._model_words(choice)}
        failure = FileWarning(
            message=texts("file_warning.tokens", **values),
            remedy=texts("file_warning.tokens_remedy"),
            other_model=True,
        )
        return rq.PreparedFile(
            media_type=prepared.media_type,
            characters=prepared.characters,
            tokens=prepared.tokens,
            pages=prepared.pages,
            notes=prepared.notes,
            failure=failure,
            for_project=True,
        )

    def _unread(self, file: Attachment, kind: str, error: UnreadableFileError, choice: ModelChoice) -> rq.PreparedFile:
        """A file without text. The model may read it itself, as some read scanned pages."""
        texts = self._chat.basis.texts
        # The first sentence says what is wrong, the second what helps.
        reason, _, remedy = texts(f"file_reason.{error.reason}", detail=error.detail).partition(". ")
        reason += "." if remedy else ""
        backend = self._chat.models.router.backend_for(choice.provider)
        unsent = UnsentFile(mime_type=file.mime_type, size=file.size, head=file.head)
        if (
            is_document(file)
            and error.reason in ("scanned", "no_letters", "no_text")
            and backend.misfit(choice.provider, choice.model, unsent) is None
        ):
            return rq.PreparedFile(media_type=kind, notes=(texts("file_note.seen_by_model"),))
        remedy = texts("file_warning.scanned_remedy") if error.reason == "scanned" else remedy
        return rq.PreparedFile(
            media_type=kind,
            failure=FileWarning(message=reason, remedy=remedy, other_model=error.reason in ("scanned", "no_letters")),
        )

    def _model_words(self, choice: ModelChoice) -> str:
        return choice.model or provider_words(self._chat.basis.texts, choice.provider.name)
