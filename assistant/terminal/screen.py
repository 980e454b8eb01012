"""Writes what the engine publishes into the terminal."""

from collections.abc import Callable, Sequence
from textwrap import shorten
from typing import Protocol, assert_never

from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.display.citations import source_lines
from assistant.core.display.escaping import printable, visible
from assistant.core.display.flows import flow_line
from assistant.core.errors import KEY_MISSING
from assistant.core.knowledge.passages import Citation
from assistant.core.machine.states import NO_TURN, InteractionState, Snapshot, TurnId
from assistant.core.messages import Role
from assistant.core.records.agents import SORI
from assistant.core.records.conversations import ConversationEntry
from assistant.core.records.flows import FlowShown
from assistant.core.service.connection import GONE_NOTICE
from assistant.core.service.requests.conversations import RestoreConversation, RestoreMessages
from assistant.core.service.requests.models import OfferedModels
from assistant.core.texts import Texts
from assistant.terminal import pages
from assistant.terminal.markdown import ReadableMarkdown
from assistant.terminal.questions import late_words, question_lines

_LONGEST_REASON = 200
"""Maximum characters of the reason of a failed tool. The rest, such as a list of other tools, is for the model."""


class Paper(Protocol):
    """An output for text."""

    def write(self, text: str, /) -> int:
        """Write text."""
        ...

    def flush(self) -> object:
        """Flush the output."""
        ...


class Screen:
    """Writes updates as text, from the engine's thread.

    Args:
        texts: the user's texts.
        out: the output.
        changed: called when ``busy`` or ``stopped`` has changed.
        width: gives the terminal's width in cells.

    Attributes:
        conversation: id of the open conversation; empty before the first one.
        deleted: what undoes the last deletion; ``None`` for none.
        entries: the conversations as they were listed last without a search, newest first.
        models: references of the models that can be chosen.
    """

    def __init__(
        self,
        texts: Texts,
        out: Paper,
        changed: Callable[[], None] = lambda: None,
        *,
        width: Callable[[], int] = lambda: 80,
    ) -> None:
        self.width = width
        self._markdown = ReadableMarkdown(width)
        self.conversation = ""
        self.deleted: RestoreConversation | RestoreMessages | None = None
        self.entries: tuple[ConversationEntry, ...] = ()
        self.models: tuple[str, ...] = ()
        self._list_is_old = True
        self._texts = texts
        self._out = out
        self._changed = changed
        self._asked = NO_TURN
        self._own: set[TurnId] = set()
        self._opened_with: set[str] = set()
        """Turns of this terminal, which shows their messages already."""
        self._waiting: tuple[TurnId, str] | None = None
        self.asking: pk.Ask | None = None
        """The newest question."""
        self._answering = False
        self._sources: list[Citation] = []
        self._placeholder_told = False
        self._halves: dict[str, int] = {}
        self._notice = ""
        self._listed: list[str] | None = None
        self._chosen = ""
        self.stopped = False
        self.failed = False

    @property
    def busy(self) -> bool:
        """Whether an answer to typed text is pending."""
        return self._asked != NO_TURN

    @property
    def awaited(self) -> TurnId:
        """The turn whose answer to typed text is pending; ``NO_TURN`` for none."""
        return self._asked

    @property
    def answering(self) -> bool:
        """Whether an answer is being written, to typed or spoken text."""
        return self._answering

    @property
    def question(self) -> tuple[TurnId, str] | None:
        """The question that waits for an answer: its turn and its id."""
        return self._waiting

    def take_question(self) -> tuple[TurnId, str] | None:
        """The question that waits, to be answered now; it is asked no more."""
        question, self._waiting = self._waiting, None
        return question

    def say(self, text: str) -> None:
        """Write a line."""
        self._line(text)

    def expect_answer(self, turn: TurnId) -> None:
        """Note that a turn of this terminal begins."""
        self._own.add(turn)
        self._asked = turn

    def expect_no_answer(self, turn: TurnId) -> None:
        """Note that a turn of this terminal did not begin."""
        if turn == self._asked:
            self._end_answer()

    def list_models(self) -> None:
        """Write the available models, each as soon as it is known."""
        self._listed = []
        self._line(self._texts("desktop.model.searching"))

    def reference(self, word: str) -> str:
        """The model reference for ``word``: a number from the list, ``auto`` for none, else the reference itself."""
        if self._listed and word.isdecimal() and 1 <= int(word) <= len(self._listed):
            return self._listed[int(word) - 1]
        return "" if word in {"0", "auto"} else word

    def take_entries(self, entries: tuple[ConversationEntry, ...]) -> None:
        """Keep the conversations, newest first."""
        self.entries = entries

    def list_is_old(self) -> bool:
        """Whether the conversations have changed since this was asked last."""
        old, self._list_is_old = self._list_is_old, False
        return old

    def show(self, update: up.Update) -> None:
        """Write the relevant part of an update."""
        if isinstance(update, up.ConversationUpdate):
            if self._is_open(update):
                self._show_conversation(update)
            elif isinstance(update, up.PacketEmitted) and isinstance(update.packet, pk.Ask):
                self._line(self._texts("desktop.notice.asks_elsewhere", question=visible(update.packet.text)))
        elif isinstance(update, up.EngineUpdate):
            self._show_engine(update)
        elif isinstance(update, up.ModelsOffered):
            self.show_models(update.models)
        elif isinstance(update, up.NoticePosted):
            self._show_notice(update)
        elif isinstance(update, up.MemoryChanged):
            change = update.change
            key = "changed" if change.former else "forgot" if change.removed else f"remembered_{change.scope}"
            self._line(self._texts(f"console.{key}", fact=change.text, former=change.former))
        elif isinstance(update, up.ListUpdate):
            self._show_list(update)
        elif isinstance(update, up.Missed) and update.count:
            self._line(self._texts("console.missed"))
        else:
            pass  # a notice has told that the engine is back; timers, names and weights are for windows

    def _is_open(self, update: up.ConversationUpdate) -> bool:
        """Whether an update belongs to the open conversation. The answer of one that was left goes on unseen."""
        opened = isinstance(update, up.ConversationOpened) or not self.conversation
        return opened or update.conversation == self.conversation

    def _show_notice(self, notice: up.NoticePosted) -> None:
        self._notice = f"! {self._texts(notice.key, **notice.values)}"
        self._line(self._notice)
        if notice.key == GONE_NOTICE:
            self._waiting = None
            self._end_answer()

    def _show_list(self, update: up.ListUpdate) -> None:
        match update:
            case up.ConversationsChanged():
                self._list_is_old = True
            case up.ConversationDeleted(conversation=conversation, title=title, undo_s=undo_s):
                self.deleted = RestoreConversation(conversation=conversation)
                named = title or self._texts("conversations.untitled")
                self._line(self._texts("console.deleted", title=named, seconds=round(undo_s)))
            case _:
                pass

    def show_opened(self, update: up.ConversationOpened) -> None:
        """Write the newest messages, or that the conversation is new.

        An awaited answer in the open conversation begins a new version of a message; nothing is written then.
        """
        if self.busy and update.conversation == self.conversation:
            return
        self._waiting = None
        self._end_answer()
        if not update.messages and self.conversation not in {"", update.conversation}:
            self._line(self._texts("console.new"))
        elif update.conversation != self.conversation and update.agent != SORI:
            name = " · ".join(filter(None, (update.agent.name, update.agent.workspace)))
            self._line(self._texts("console.agent_answers", name=name))
        self.conversation = update.conversation
        self._opened_with = {each.id for each in update.messages}
        for line in pages.opened(update, self._texts, self.width()):
            self._line(line)

    def _show_conversation(self, update: up.ConversationUpdate) -> None:
        match update:
            case up.PacketEmitted(turn=turn, packet=packet):
                self._show_packet(turn, packet)
            case up.MessageAdded():
                self._show_message(update)
            case up.TurnWithdrawn():
                self._line(self._texts("console.withdrawn"))
            case up.ConversationOpened():
                self.show_opened(update)
            case up.MessagesDeleted(deletion=deletion, count=count, undo_s=undo_s):
                self.deleted = RestoreMessages(deletion=deletion)
                self._line(self._texts("console.messages_deleted", count=count, seconds=round(undo_s)))
            case up.PartialHeard() | up.SentenceBegun() | up.AnswerInterrupted() | up.ProjectChosen():
                pass
            case up.FlowChanged(flow=flow):
                self._show_flow(flow)
            case _:
                assert_never(update)

    def _show_flow(self, flow: FlowShown | None) -> None:
        """Show where a guided flow stands, if it goes on."""
        if flow is not None:
            self._line(flow_line(flow))

    def _show_engine(self, update: up.EngineUpdate) -> None:
        match update:
            case up.StateChanged(snapshot=snapshot):
                self._show_state(snapshot)
            case up.ModelChosen():
                self._show_model(update)
            case up.VoiceAvailable():
                self._tell_once(self._voice_words(update))
            case up.EngineProgressed(part=part, fraction=fraction):
                self._show_progress(part, fraction)
            case up.EngineStopped(reason=reason):
                self._show_end(reason)
            case up.LevelMeasured():
                pass
            case _:
                assert_never(update)

    def _show_question(self, turn: TurnId, packet: pk.Ask | pk.Answered) -> None:
        """Write what exactly would run; whoever waits gets a prompt, whoever types behind another gets commands."""
        if isinstance(packet, pk.Ask):
            for line in question_lines(packet, self._texts, beside=not self.busy):
                self._line(line)
            self._waiting, self.asking = (turn, packet.question), packet
        else:
            if self._waiting is not None and self._waiting[1] == packet.question:
                self._waiting = None
            if packet.outcome in {"late", "unseen"}:
                self._line(f"({late_words(self.asking, self._texts, packet.outcome)})")
        self._changed()

    def _show_state(self, snapshot: Snapshot) -> None:
        if snapshot.interaction is InteractionState.LISTENING:
            self._line(self._texts("console.listening"))

    def _show_message(self, added: up.MessageAdded) -> None:
        message = added.message
        if message.id and message.id in self._opened_with:
            return  # a turn is told again from its beginning to whoever comes in the middle
        if message.role is Role.ASSISTANT:
            self._line(f"{self._texts('console.sori')} {message.text}")
        elif added.turn not in self._own:
            self._line(f"{self._texts('console.heard' if added.spoken else 'console.prompt')} {message.text}")

    def _show_model(self, chosen: up.ModelChosen) -> None:
        if chosen.placeholder and not self._placeholder_told:
            self._placeholder_told = True
            self._line(self._texts("console.placeholder", model=chosen.model))
        if chosen.reference != self._chosen:
            self._chosen = chosen.reference
            key = "console.chosen" if chosen.reference else "console.automatic"
            self._line(self._texts(key, model=chosen.reference))

    def show_models(self, offers: Sequence[up.ModelOffer]) -> None:
        """Write the models with numbers for ``/model``. Models found later are appended, so that no number changes."""
        self.models = tuple(each.reference for each in offers)
        if self._listed is None or not offers:
            return
        if not self._listed:
            self._write_model(0, self._texts("desktop.model.automatic"), chosen=not self._chosen)
        for offer in offers:
            if offer.reference in self._listed:
                continue
            self._listed.append(offer.reference)
            marks = [self._texts("desktop.model.mark_local")] if offer.local else []
            marks += [self._texts("desktop.model.mark_images")] if offer.images else []
            words = " · ".join((offer.reference, *marks))
            self._write_model(len(self._listed), words, chosen=offer.reference == self._chosen)

    def show_offered(self, offered: OfferedModels) -> None:
        """Write the models, and why those of some providers are missing."""
        self.show_models(offered.models)
        for each in offered.unlisted:
            self._line(f"! {each.provider}: {each.message}")

    def _write_model(self, number: int, words: str, *, chosen: bool) -> None:
        self._line(f"{'*' if chosen else ' '} {number:>2}  {words}")

    def _show_progress(self, part: str, fraction: float) -> None:
        """Write once at half of the progress and once at the end."""
        halves = int(fraction * 2)
        if halves > self._halves.get(part, 0):
            self._halves[part] = halves
            self._line(self._texts("console.progress", part=self._texts(part), percent=halves * 50))

    def _voice_words(self, voice: up.VoiceAvailable) -> str:
        if not voice.microphone:
            return f"! {voice.microphone_reason}" if voice.microphone_reason else ""
        if voice.muted:
            return self._texts("console.muted")
        if not voice.called:
            return self._texts("console.voice_without_wake_word", microphone=voice.microphone)
        return self._texts("console.voice", microphone=voice.microphone, wake_word=voice.called)

    def _tell_once(self, words: str) -> None:
        """Write a status, unless it was the last one written."""
        if words and words != self._notice:
            self._notice = words
            self._line(words)

    def _show_end(self, reason: str) -> None:
        self.stopped = True
        self.failed = bool(reason)
        if reason:
            self._line(self._texts("console.stopped", reason=reason))
        self._end_answer()

    def _show_packet(self, turn: TurnId, packet: pk.Packet) -> None:
        match packet:
            case pk.AnswerDelta(text=text):
                if not self._answering:
                    self._answering = True
                    self._write(f"{self._texts('console.sori')} ")
                self._write(self._markdown.feed(text))
            case pk.Ask() | pk.Answered():
                self._show_question(turn, packet)
            case pk.ToolCall() | pk.ToolResult() | pk.PageOffer():
                self._show_beside(packet)
            case pk.Status():
                self._show_status(packet)
            case pk.Failure(message=message):
                self._line(f"! {message}")
                self._offer(packet)
            case pk.Done():
                self._show_done(turn, packet)
            case pk.Cited(citation=citation):
                self._sources.append(citation)
            case pk.ReasoningDelta() | pk.AskShown() | pk.FlowStep():
                pass
            case _:
                assert_never(packet)

    def _show_done(self, turn: TurnId, done: pk.Done) -> None:
        if done.finish == "cancelled" and self._answering:
            self._line(f"({self._texts('desktop.mark.cancelled')})")
        self._show_sources()
        if turn == self._asked or not self.busy:
            self._end_answer()
        else:
            self._end_text()

    def _show_sources(self) -> None:
        sources, self._sources = self._sources, []
        for line in source_lines(sources, self._texts):
            self._line(line)

    def _show_beside(self, packet: pk.ToolCall | pk.ToolResult | pk.PageOffer) -> None:
        """Show what comes with an answer and is no text of it."""
        if isinstance(packet, pk.PageOffer):
            if packet.command:
                self._line(self._texts("chat.page_offer", title=packet.title, command=packet.command))
        elif isinstance(packet, pk.ToolCall):
            self._line(self._texts("console.tool", name=packet.name))
        elif packet.is_error:
            reason = shorten(packet.text, _LONGEST_REASON, placeholder=" …")
            self._line(self._texts("console.tool_failed", name=packet.name, reason=reason))
        else:
            for file in packet.files:
                self._line(self._texts("chat.made_file", path=file.path))

    def _show_status(self, packet: pk.Status) -> None:
        if packet.status == "loading_model":
            self._line(f"({self._texts('chat.loading_model', model=packet.detail)})")
        elif packet.status == pk.WAITS:
            self._line(f"({self._texts('desktop.status.waits')})")
        elif packet.status == pk.WERE_THOUGHTS:
            self._line(self._texts("chat.were_thoughts"))
        elif packet.detail and packet.status != "command":
            self._line(f"({packet.detail})")

    def _offer(self, failure: pk.Failure) -> None:
        """Write the remedies, each with the command to type."""
        for offer in failure.offers:
            if offer == "api_key" and failure.reason == KEY_MISSING:
                continue  # the error message has this remedy
            if offer == "other_model" and failure.alternatives:
                for reference in failure.alternatives:
                    self._line(self._texts("console.offer_retry_with", model=reference))
            elif (key := f"console.offer_{offer}") in self._texts:
                self._line(self._texts(key, provider=failure.provider or self._texts("cli.name")))

    def _end_answer(self) -> None:
        self._end_text()
        self._asked = NO_TURN
        self._changed()

    def _line(self, text: str) -> None:
        self._end_text()
        self._write(f"{text}\n")

    def _end_text(self) -> None:
        """End the text of an answer, if one is being written."""
        if self._answering:
            self._answering = False
            self._write(f"{self._markdown.end()}\n")

    def _write(self, text: str) -> None:
        self._out.write(printable(text))
        self._out.flush()
