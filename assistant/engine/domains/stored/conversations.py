"""The domain of stored conversations: lists, renames, exports and imports them. It needs no voice session."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

from assistant.core import updates as up
from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.records.conversations import ConversationEntry
from assistant.core.service.events import Audience
from assistant.core.service.requests import conversations as rq
from assistant.core.texts import Texts
from assistant.engine.serving.table import Asker, Domain, serves
from assistant.storage.attachments import part_of
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore, unknown_conversation
from assistant.storage.database import Database
from assistant.storage.private_file import private_file
from assistant.storage.transfer.importing import imports, is_export
from assistant.storage.transfer.page import markdown
from assistant.storage.transfer.pieces import json_pieces, pages


class StoredConversations(Domain):
    """Owns the requests for conversations that need no voice session.

    Args:
        database: the database.
        conversations: the list.
        store: the messages.
        clock: gives the time of an export.
        texts: the user's words, for exports.
        publish: takes events.
        index: has new messages indexed soon.
        tell: takes events for one client.
    """

    def __init__(
        self,
        database: Database,
        conversations: ConversationList,
        store: ConversationStore,
        clock: Clock,
        texts: Texts,
        *,
        publish: up.Publish = lambda _: None,
        index: Callable[[], None] = lambda: None,
        tell: Callable[[up.Update, Audience], None] = lambda _, __: None,
    ) -> None:
        self._database, self._conversations, self._store = database, conversations, store
        self._clock, self._texts, self._publish, self._index, self._tell = clock, texts, publish, index, tell

    @serves()
    async def _list_conversations(self, request: rq.ListConversations) -> tuple[ConversationEntry, ...]:
        entries = await self._conversations.entries(request.query, request.limit or -1)
        if request.query:
            self._index()
        return entries

    @serves()
    async def _count_messages(self, _: rq.CountMessages) -> dict[str, int]:
        return await self._conversations.message_counts()

    @serves()
    async def _create_conversation(self, _: rq.CreateConversation) -> str:
        return await self._store.create()

    @serves()
    async def _delete_conversation(self, request: rq.DeleteConversation) -> None:
        """Delete at once and for good, where nobody is offered to undo it."""
        if not await self._conversations.delete(request.conversation):
            raise unknown_conversation()
        await self._conversations.purge(request.conversation)

    @serves()
    async def _read_file(self, request: rq.ReadFile) -> rq.FilePart:
        length = min(request.length or rq.READ_BYTES, rq.READ_BYTES)
        if request.offset < 0 or length < 0:
            raise SoriError(ErrorCode.INVALID_REQUEST, "a negative offset or length", message_key="unknown_file")
        found = await self._database.read(
            lambda connection: part_of(connection, request.reference, request.offset, length)
        )
        if found is None:
            raise SoriError(ErrorCode.INVALID_REQUEST, "no such file", message_key="unknown_file")
        file, size = found
        return rq.FilePart(name=file.name, mime_type=file.mime_type, size=size, data=file.read())

    @serves()
    async def _rename_conversation(self, request: rq.RenameConversation) -> None:
        if not await self._conversations.rename(request.conversation, request.title):
            raise unknown_conversation()
        self._publish(up.ConversationsChanged())

    @serves()
    async def _read_title(self, request: rq.ReadTitle) -> str:
        return (await self._conversations.titling(request.conversation)).title

    @serves()
    async def _pin_conversation(self, request: rq.PinConversation) -> None:
        if not await self._conversations.pin(request.conversation, pinned=request.pinned):
            raise unknown_conversation()
        self._publish(up.ConversationsChanged())

    @serves()
    async def _find_in_conversation(self, request: rq.FindInConversation) -> tuple[str, ...]:
        return await self._conversations.find(request.conversation, request.query)

    @serves()
    async def _export_conversation(self, request: rq.ExportConversation) -> str:
        (entry,) = await self._entries((request.conversation,))
        if request.form is rq.ExportForm.PAGE:
            return markdown(entry, await self._store.messages(entry.id), self._texts)
        async with aclosing(self._pieces((entry,), request.form)) as pieces:
            return "".join([piece async for piece in pieces])

    @serves()
    async def _write_conversations(self, request: rq.WriteConversations) -> int:
        # The oldest first, so that an import adds them in the order in which they were.
        entries = tuple(reversed(await self._entries(request.conversations)))
        with private_file(Path(request.path)) as file:
            async with aclosing(self._pieces(entries, request.form)) as pieces:
                async for piece in pieces:
                    file.write(piece)
        return len(entries)

    async def _entries(self, conversations: tuple[str, ...]) -> tuple[ConversationEntry, ...]:
        """These conversations, or all of them without an id, newest first."""
        every = await self._conversations.entries()
        found = tuple(each for each in every if not conversations or each.id in conversations)
        if len(found) < len({*conversations}):
            raise unknown_conversation()
        return found

    def _pieces(self, entries: tuple[ConversationEntry, ...], form: rq.ExportForm) -> AsyncGenerator[str, None]:
        if form is rq.ExportForm.JSON:
            return json_pieces(self._database, self._store, self._clock, entries)
        return pages(self._store, entries, self._texts)

    @serves()
    async def _recognise_export(self, request: rq.RecogniseExport) -> bool:
        return await asyncio.to_thread(is_export, Path(request.path))

    @serves()
    async def _import_conversations(self, request: rq.ImportConversations, asker: Asker) -> rq.ImportedConversations:
        try:
            return await self._imported(request.path, asker)
        finally:  # Also of an import that is given up, what was added stays.
            self._publish(up.ConversationsChanged())
            self._index()

    async def _imported(self, path: str, asker: Asker) -> rq.ImportedConversations:
        """Take the conversations that are not stored yet; the result tells also why it ended early."""
        done, passed = rq.ImportedConversations(), 0
        try:
            async with aclosing(imports(self._database, self._clock, Path(path))) as steps:
                async for step, fraction in steps:
                    done, passed = step, passed + 1
                    told = up.ImportProgressed(path=path, added=done.added, passed=passed, fraction=fraction)
                    self._tell(told, Audience(client=asker.client))
        except SoriError as error:
            return replace(done, failure=self._texts(error.message_key, **error.values))
        return done
