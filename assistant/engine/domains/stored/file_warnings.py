"""Tells of files, before they are sent, whether the model that answers would get them."""

from assistant.agent.model_choice import ModelChoice, choose_for, remembered
from assistant.core.display.words import provider_words
from assistant.core.service.requests import models as rq
from assistant.core.texts import Texts
from assistant.engine.chat_wiring import Chat
from assistant.llm.attachments.fitting import OTHER_MODELS_READ, kind_of_reader
from assistant.llm.backend import ProviderBackend, UnsentFile


async def file_warnings(chat: Chat, request: rq.CheckFiles) -> tuple[rq.FileWarning | None, ...]:
    """Why the model that a message would be answered by does not get its files; ``None`` for one that it gets.

    Raises:
        SoriError: the conversation cannot be read, or its model is gone.
    """
    conversations, settings = chat.storage.conversations, chat.basis.live.current
    chosen = request.model
    if not chosen and request.conversation:
        chosen = remembered(settings, await conversations.chosen_model(request.conversation))
    choice = choose_for(settings, attachments=len(request.files), chosen=chosen).choices[0]
    backend = chat.models.router.backend_for(choice.provider)
    return tuple(_warning_of(each, backend, choice, chat.basis.texts) for each in request.files)


def _warning_of(
    file: rq.FileHead, backend: ProviderBackend, choice: ModelChoice, texts: Texts
) -> rq.FileWarning | None:
    unsent = UnsentFile(mime_type=file.mime_type, size=file.size, head=file.head)
    reason = backend.misfit(choice.provider, choice.model, unsent)
    if reason is None:
        return None
    reader = kind_of_reader(file.head, file.mime_type)
    if reader in ("pdf", "other"):
        # Sori reads documents itself: ``PrepareFile`` tells whether it can, and whether they are too long.
        return None
    key = reason if reason != "type" else reader
    model = choice.model or provider_words(texts, choice.provider.name)
    return rq.FileWarning(
        message=texts(f"file_warning.{key}", model=model),
        remedy=texts(f"file_warning.{key}_remedy"),
        other_model=key in OTHER_MODELS_READ,
    )
