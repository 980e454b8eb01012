"""The conversation in the terminal: what is written, and what typing does."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeGuard

import pytest

from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.knowledge.passages import Citation
from assistant.core.machine.states import NO_TURN, InteractionState, ProcessingState, SessionState, Snapshot, TurnId
from assistant.core.messages import Attachment, MadeFile, Message, Role
from assistant.core.records.agents import AgentShown
from assistant.core.records.memory import MemoryChange, Scope
from assistant.core.service.request import Request
from assistant.core.service.requests.memory import UndoMemory
from assistant.core.service.requests.models import ChooseModel, FileWarning, ListModels, OfferedModels, UnlistedModels
from assistant.core.service.requests.turns import AnswerAgain, BeginTurn, PreparedFile, PrepareFile, TurnOptions
from assistant.core.service.requests.voice import SetMuted, Stop, ToggleVoice
from assistant.host.texts import load_texts
from assistant.terminal.asking import TerminalRequests
from assistant.terminal.keyboard import Keyboard
from assistant.terminal.screen import Screen
from tests.fakes.front.connection import RecordedConnection
from tests.fakes.front.terminal import FilesOnly, TypingLine

TEXTS = load_texts("en")
TURN = TurnId("1")


def packet(it: pk.Packet) -> up.PacketEmitted:
    return up.PacketEmitted(conversation="a", turn=TURN, packet=it)


def answer(text: str) -> up.PacketEmitted:
    return packet(pk.AnswerDelta(turn_index=0, text=text))


def done(finish: Any = "complete") -> up.PacketEmitted:
    return packet(pk.Done(turn_index=0, finish=finish))


def state(interaction: InteractionState, processing: ProcessingState | None = None) -> up.StateChanged:
    snapshot = Snapshot(interaction=interaction, session=SessionState.ACTIVE, processing=processing, turn=TURN)
    return up.StateChanged(conversation="a", snapshot=snapshot)


def message(role: Role, text: str) -> up.MessageAdded:
    return up.MessageAdded(conversation="a", turn=TURN, message=Message(role=role, text=text), spoken=True)


@pytest.fixture
def out() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def screen(out: io.StringIO) -> Screen:
    return Screen(TEXTS, out)


def shown(screen: Screen, out: io.StringIO, *updates: up.Update) -> str:
    for update in updates:
        screen.show(update)
    return out.getvalue()


# The screen


def test_an_answer_grows_on_one_line(screen: Screen, out: io.StringIO) -> None:
    assert shown(screen, out, answer("Good "), answer("morning."), done()) == "Sori: Good morning.\n"


def test_the_markdown_of_an_answer_is_readable_and_complete_when_something_interrupts(
    screen: Screen, out: io.StringIO
) -> None:
    call = packet(pk.ToolCall(turn_index=1, id="1", name="weather"))
    rows = answer("|a|b|\n|-|-|\n|가|**나**|")
    written = shown(screen, out, answer("**Good** mor"), answer("ning\n"), rows, call, answer("a"), done())
    assert written == "Sori: Good morning\na   b\n──────\n가  나\n(running weather)\nSori: a\n"


def test_a_tool_and_an_error_stand_on_lines_of_their_own(screen: Screen, out: io.StringIO) -> None:
    call = packet(pk.ToolCall(turn_index=1, id="1", name="weather"))
    failure = packet(pk.Failure(turn_index=3, code="network", message="Network error."))
    written = shown(screen, out, answer("Let me see."), call, answer("It is"), failure, done("failed"))
    assert written == "Sori: Let me see.\n(running weather)\nSori: It is\n! Network error.\n"


def test_a_tool_that_fails_says_why_and_one_that_does_not_says_nothing(screen: Screen, out: io.StringIO) -> None:
    failed = packet(pk.ToolResult(turn_index=1, id="1", name="weather", text="no\nnetwork", is_error=True))
    fine = packet(pk.ToolResult(turn_index=1, id="2", name="clock", text="noon"))
    assert shown(screen, out, failed, fine) == "(weather failed: no network)\n"


def test_a_stopped_answer_is_marked(screen: Screen, out: io.StringIO) -> None:
    assert shown(screen, out, done("cancelled")) == ""
    written = shown(screen, out, answer("It is"), done("cancelled"))
    assert written == f"Sori: It is\n({TEXTS('desktop.mark.cancelled')})\n"


def test_what_a_failed_tool_tells_the_model_at_length_is_cut(screen: Screen, out: io.StringIO) -> None:
    text = f"There is no weather. Tools: {', '.join(['current_time'] * 40)}"
    written = shown(screen, out, packet(pk.ToolResult(turn_index=1, id="1", name="weather", text=text, is_error=True)))
    assert written.startswith("(weather failed: There is no weather.")
    assert written.endswith(" …)\n")
    assert len(written) < 250


def test_the_path_of_a_made_file_is_told(screen: Screen, out: io.StringIO) -> None:
    made = MadeFile(attachment=Attachment(mime_type="image/png", name="cat.png", data=b"x"), path="/p/cat.png")
    result = packet(pk.ToolResult(turn_index=1, id="1", name="generate_image", text="Saved", files=(made,)))
    assert shown(screen, out, result) == "(saved as /p/cat.png)\n"


def test_what_was_typed_is_not_repeated_and_what_was_heard_is_shown(screen: Screen, out: io.StringIO) -> None:
    screen.expect_answer(TURN)
    assert shown(screen, out, message(Role.USER, "Hello")) == ""
    heard = replace(message(Role.USER, "Hello"), turn=TurnId("2"))
    assert shown(screen, out, heard) == "You (heard): Hello\n"


def test_a_message_that_waits_says_so_and_is_awaited_until_it_is_taken_back(screen: Screen, out: io.StringIO) -> None:
    waits = packet(pk.Status(turn_index=0, status=pk.WAITS))
    screen.show(waits)
    assert screen.awaited == NO_TURN  # Another door has sent it.
    screen.expect_answer(TURN)
    assert shown(screen, out, waits).endswith("(Waiting for the answer before it)\n")
    assert screen.awaited == TURN
    screen.show(done("cancelled"))
    assert screen.awaited == NO_TURN


def test_what_was_typed_at_another_door_is_not_called_heard(screen: Screen, out: io.StringIO) -> None:
    typed = replace(message(Role.USER, "Hello"), turn=TurnId("2"), spoken=False)
    assert shown(screen, out, typed) == "You> Hello\n"


def test_whoever_comes_in_the_middle_of_a_turn_reads_its_message_once(screen: Screen, out: io.StringIO) -> None:
    asked = Message(role=Role.USER, text="Count", id="m1")
    shown(screen, out, up.ConversationOpened(conversation="a", messages=(asked,)))
    again = replace(message(Role.USER, "Count"), message=asked, spoken=False)
    assert shown(screen, out, again, answer("One"), done()).count("Count") == 1


@pytest.mark.parametrize(("count", "told"), [(0, ""), (3, f"{TEXTS('console.missed')}\n")])
def test_only_a_terminal_that_fell_behind_is_told_so(screen: Screen, out: io.StringIO, count: int, told: str) -> None:
    assert shown(screen, out, up.Missed(count=count, conversations=())) == told


def test_an_announcement_interrupts_the_line(screen: Screen, out: io.StringIO) -> None:
    written = shown(screen, out, answer("As I was"), message(Role.ASSISTANT, "Your timer is done."))
    assert written == "Sori: As I was\nSori: Your timer is done.\n"


def voice(microphone: str = "Headset", *, muted: bool = False, called: str = "Hey Jarvis") -> up.VoiceAvailable:
    return up.VoiceAvailable(
        microphone=microphone,
        microphone_reason="" if microphone else "There is no microphone.",
        speaker="",
        speaker_reason="",
        muted=muted,
        called=called,
    )


def test_how_it_stands_with_hearing_is_told_whenever_it_changes(screen: Screen, out: io.StringIO) -> None:
    changes = (voice(""), voice(""), voice(), voice(muted=True), voice(called=""), state(InteractionState.LISTENING))
    written = shown(screen, out, *changes)
    assert written.splitlines() == [
        "! There is no microphone.",
        TEXTS("console.voice", microphone="Headset", wake_word="Hey Jarvis"),
        TEXTS("console.muted"),
        TEXTS("console.voice_without_wake_word", microphone="Headset"),
        TEXTS("console.listening"),
    ]


def test_what_keeps_an_answer_waiting_is_told(screen: Screen, out: io.StringIO) -> None:
    loading = packet(pk.Status(turn_index=0, status="loading_model", detail="smollm2-135m"))
    retrying = packet(pk.Status(turn_index=0, status="retrying", detail="Trying again: network error."))
    command = packet(pk.Status(turn_index=0, status="command", detail="Time"))
    written = shown(screen, out, loading, retrying, command)
    assert written.splitlines() == [
        f"({TEXTS('chat.loading_model', model='smollm2-135m')})",
        "(Trying again: network error.)",
    ]


def test_the_placeholder_is_admitted_once(screen: Screen, out: io.StringIO) -> None:
    chosen = up.ModelChosen(provider="embedded", model="smollm2-135m", placeholder=True)
    real = up.ModelChosen(provider="mine", model="great", placeholder=False)
    written = shown(screen, out, real, chosen, chosen)
    assert written.splitlines() == [TEXTS("console.placeholder", model="smollm2-135m")]


def test_notices_are_told(screen: Screen, out: io.StringIO) -> None:
    notice = up.NoticePosted(key="notice.no_microphone", severity=up.Severity.WARNING)
    assert shown(screen, out, notice, notice) == f"! {TEXTS('notice.no_microphone')}\n" * 2


@pytest.mark.parametrize(
    ("update", "busy"),
    [
        (state(InteractionState.PROCESSING, ProcessingState.STREAMING), True),
        (answer("Hel"), True),
        (state(InteractionState.IDLE), True),
        (replace(done(), turn=TurnId("another")), True),
        (done("cancelled"), False),
        (up.EngineStopped(), False),
    ],
)
def test_an_answer_is_waited_for_until_it_is_complete(screen: Screen, update: up.Update, busy: bool) -> None:
    screen.expect_answer(TURN)
    assert screen.busy
    screen.show(update)
    assert screen.busy is busy


def test_the_end_of_an_answer_and_of_the_engine_are_told(out: io.StringIO) -> None:
    told: list[str] = []
    it = Screen(TEXTS, out, lambda: told.append("changed"))
    for ending in (done(), up.EngineStopped()):
        it.expect_answer(TURN)
        it.show(answer("Hel"))
        assert (it.busy, it.answering) == (True, True)
        it.show(ending)
        assert (it.busy, it.answering) == (False, False)
    assert told == ["changed"] * 2
    assert it.stopped


@pytest.mark.parametrize("reason", ["", "disk full"])
def test_an_engine_that_ends_by_itself_is_a_failure_and_one_that_was_asked_to_is_none(
    screen: Screen, out: io.StringIO, reason: str
) -> None:
    written = shown(screen, out, answer("Hal"), up.EngineStopped(reason=reason))
    assert screen.stopped
    assert screen.failed is bool(reason)
    assert reason in written


def opened(conversation: str, *texts: str) -> up.ConversationOpened:
    messages = tuple(Message(role=Role.USER, text=text) for text in texts)
    return up.ConversationOpened(conversation=conversation, messages=messages)


def test_a_conversation_that_is_opened_shows_its_messages_and_a_new_one_says_so(
    screen: Screen, out: io.StringIO
) -> None:
    assert shown(screen, out, opened("a")) == ""
    written = shown(screen, out, opened("b", "Hello"), opened("c"))
    assert written.splitlines() == ["You> Hello", TEXTS("console.new")]


def test_a_conversation_of_another_agent_names_it(screen: Screen, out: io.StringIO) -> None:
    coach = AgentShown(name="Coach", workspace="Work")
    written = shown(screen, out, replace(opened("a", "Hello"), agent=coach))
    assert written.splitlines() == [TEXTS("console.agent_answers", name="Coach · Work"), "You> Hello"]


def test_the_answer_of_a_conversation_that_was_left_is_not_shown(screen: Screen, out: io.StringIO) -> None:
    screen.show(opened("a"))
    screen.expect_answer(TURN)
    shown(screen, out, message(Role.USER, "Hello"), answer("Good"), opened("b"))
    assert not screen.busy
    assert shown(screen, out, answer(" morning"), done()) == f"Sori: Good\n{TEXTS('console.new')}\n"


def test_a_turn_that_was_refused_is_not_waited_for(screen: Screen) -> None:
    screen.expect_answer(TURN)
    screen.expect_no_answer(TurnId("another"))
    assert screen.busy
    screen.expect_no_answer(TURN)
    assert not screen.busy


def test_a_new_version_that_is_begun_does_not_show_the_conversation_again(screen: Screen, out: io.StringIO) -> None:
    screen.show(opened("a"))
    screen.expect_answer(TURN)
    assert shown(screen, out, opened("a", "Hello there")) == ""
    screen.show(done())
    assert shown(screen, out, opened("a", "Hello")) == "You> Hello\n"


# The keyboard


class Answering(RecordedConnection):
    """Answers every message at once."""

    def __init__(self, screen: Screen) -> None:
        super().__init__(self._answer)
        self._screen = screen
        screen.conversation = "a"

    def _answer(self, request: Request[Any]) -> object:
        if isinstance(request, BeginTurn | AnswerAgain):
            if isinstance(request, BeginTurn):
                self._screen.show(replace(message(Role.USER, request.text), turn=request.turn))
            for each in (answer("Certainly."), done()):
                self._screen.show(replace(each, turn=request.turn))
        return None


def keyboard_for(connection: RecordedConnection, screen: Screen, *, hears: bool = True) -> Keyboard:
    asking = TerminalRequests(connection, TypingLine(), screen)
    return Keyboard(asking, screen, TEXTS, FilesOnly(Path("unused")), hears=hears)


@pytest.fixture
def connection(screen: Screen) -> Answering:
    return Answering(screen)


@pytest.fixture
def keyboard(screen: Screen, connection: Answering) -> Keyboard:
    return keyboard_for(connection, screen)


@pytest.mark.parametrize(
    ("line", "request_sent"),
    [("/voice", ToggleVoice()), ("/stop", Stop())],
)
def test_a_command_becomes_a_request(
    keyboard: Keyboard, connection: Answering, line: str, request_sent: Request[Any]
) -> None:
    keyboard.take(line)
    assert connection.sent == [request_sent]


def test_mute_goes_back_and_forth(keyboard: Keyboard, connection: Answering) -> None:
    keyboard.take("/mute")
    keyboard.take("/mute")
    assert connection.sent == [SetMuted(muted=True), SetMuted(muted=False)]


def test_help_names_every_command(keyboard: Keyboard, out: io.StringIO) -> None:
    keyboard.take("/help")
    printed = out.getvalue()
    assert all(
        command in printed for command in ("/voice", "/mute", "/stop", "/new", "/quit", "/model", "/retry", "/attach")
    )


@pytest.mark.parametrize("line", ["/voice", "/mute"])
def test_a_typed_conversation_has_no_voice(screen: Screen, out: io.StringIO, line: str) -> None:
    engine = RecordedConnection()
    keyboard_for(engine, screen, hears=False).take(line)
    assert engine.sent == []
    assert out.getvalue() == f"{TEXTS('console.not_heard')}\n"


def test_an_unknown_command_is_named_and_sent_nowhere(
    keyboard: Keyboard, connection: Answering, out: io.StringIO
) -> None:
    keyboard.take("/fly")
    assert "/fly" in out.getvalue()
    assert connection.sent == []


def test_a_message_is_sent_and_its_answer_waited_for(
    keyboard: Keyboard, connection: Answering, out: io.StringIO
) -> None:
    keyboard.take("안녕하세요")
    assert connection.sent == [BeginTurn(turn=TURN, conversation="a", text="안녕하세요")]
    assert out.getvalue() == "Sori: Certainly.\n"


def test_an_empty_line_does_nothing(keyboard: Keyboard, connection: Answering) -> None:
    keyboard.take("")
    assert connection.sent == []


def test_getting_ready_is_told_at_half_and_at_the_end(screen: Screen, out: io.StringIO) -> None:
    for fraction in (0.0, 0.3, 0.5, 0.6, 0.5, 0.99, 1.0, 1.0):
        screen.show(up.EngineProgressed(part="progress.speech_models", fraction=fraction))
    assert out.getvalue().splitlines() == [
        "(Getting the voice models ready 50%)",
        "(Getting the voice models ready 100%)",
    ]


CHOSEN = up.ModelChosen(provider="mine", model="big", placeholder=False, conversation="a", reference="mine/big")
OFFERED = up.ModelsOffered(
    models=(
        up.ModelOffer(reference="mine/big", provider="mine", model="big", images=True),
        up.ModelOffer(reference="ollama/qwen3", provider="ollama", model="qwen3", local=True),
    ),
)


def test_models_are_listed_when_asked_for_and_chosen_by_number(
    keyboard: Keyboard, connection: Answering, screen: Screen, out: io.StringIO
) -> None:
    before = shown(screen, out, CHOSEN)
    keyboard.take("/model")
    more = (up.ModelOffer(reference="claude/c", provider="claude", model="c"), *OFFERED.models)
    written = shown(screen, out, OFFERED, OFFERED, replace(OFFERED, models=more)).removeprefix(before)
    for word in ("2", "auto", "mine/other"):
        keyboard.take(f"/model {word}")

    assert before == "(mine/big answers from now on.)\n"
    assert written.splitlines() == [
        TEXTS("desktop.model.searching"),
        "   0  Automatic (as set)",
        "*  1  mine/big · images",
        "   2  ollama/qwen3 · this computer",
        "   3  claude/c",
    ]
    assert connection.sent == [
        ListModels(conversation="a"),
        *(ChooseModel(conversation="a", model=each) for each in ("ollama/qwen3", "", "mine/other")),
    ]


def test_a_provider_whose_models_cannot_be_listed_is_told_with_the_reason(screen: Screen, out: io.StringIO) -> None:
    away = UnlistedModels(provider="acme", code="network", reason="Away.", message="Check that acme is running.")
    screen.list_models()
    screen.show_offered(OfferedModels(chosen="", models=OFFERED.models, unlisted=(away,)))
    assert out.getvalue().splitlines()[-2:] == [
        "   2  ollama/qwen3 · this computer",
        "! acme: Check that acme is running.",
    ]


def test_a_model_that_was_chosen_is_confirmed_once(screen: Screen, out: io.StringIO) -> None:
    automatic = replace(CHOSEN, reference="")
    assert shown(screen, out, automatic, CHOSEN, CHOSEN, automatic).splitlines() == [
        "(mine/big answers from now on.)",
        "(The model of the settings answers from now on.)",
    ]


def test_a_message_is_answered_again_also_by_another_model(keyboard: Keyboard, connection: Answering) -> None:
    keyboard.take("/retry")
    keyboard.take("/retry mine/big")

    assert connection.sent == [
        AnswerAgain(turn=TurnId("1"), conversation="a"),
        AnswerAgain(turn=TurnId("2"), conversation="a", model="mine/big"),
    ]


def test_a_file_that_is_too_long_for_a_message_says_why_and_what_takes_it(
    screen: Screen, tmp_path: Path, out: io.StringIO
) -> None:
    failure = FileWarning(message="Too long (90,000).", remedy="Add it to a project.", other_model=True)
    prepared = PreparedFile(media_type="text/plain", failure=failure, for_project=True)
    keyboard = keyboard_for(
        RecordedConnection(lambda each: prepared if isinstance(each, PrepareFile) else None), screen
    )
    (tmp_path / "long.txt").write_text("words", encoding="utf-8")
    keyboard.take(f"/attach {tmp_path / 'long.txt'}")
    assert "! long.txt: Too long (90,000). Add it to a project." in out.getvalue()


def test_a_file_goes_with_the_next_message_only(
    keyboard: Keyboard, connection: Answering, tmp_path: Path, out: io.StringIO
) -> None:
    (tmp_path / "a b.txt").write_text("words", encoding="utf-8")
    keyboard.take(f"/attach {tmp_path / 'a b.txt'}")
    keyboard.take("Read this")
    keyboard.take("Thanks")
    keyboard.take(f"/attach {tmp_path / 'gone.txt'}")
    sent = [(each.text, [file.name for file in each.attachments]) for each in connection.sent if _is_text(each)]

    assert sent == [("Read this", ["a b.txt"]), ("Thanks", [])]
    attached, refused = (line for line in out.getvalue().splitlines() if "Certainly" not in line)
    assert attached == "(a b.txt goes with your next message.)"
    assert refused.startswith("! ")


@pytest.mark.parametrize("quoted", ["'{}'", '"{}"'])
def test_a_file_may_be_dropped_onto_the_terminal_which_quotes_it(
    keyboard: Keyboard, tmp_path: Path, out: io.StringIO, quoted: str
) -> None:
    (tmp_path / "a b.txt").write_text("words", encoding="utf-8")
    keyboard.take(f"/attach {quoted.format((tmp_path / 'a b.txt').as_posix())}")
    keyboard.take("/attach")
    assert out.getvalue().splitlines() == [
        "(a b.txt goes with your next message.)",
        "Name the file to attach: /attach FILE",
    ]


def _is_text(request: Request[Any]) -> TypeGuard[BeginTurn]:
    return isinstance(request, BeginTurn)


def test_a_failure_tells_what_to_type_for_what_could_help(screen: Screen, out: io.StringIO) -> None:
    failure = pk.Failure(
        turn_index=0,
        code="timeout",
        message="Too late.",
        provider="mine",
        offers=("retry", "other_model", "api_key", "new"),
        alternatives=("mine/big",),
    )
    assert shown(screen, out, packet(failure)).splitlines() == [
        "! Too late.",
        "  Try again: /retry",
        "  Use another model: /retry mine/big",
        "  Enter the API key: sori keys set mine",
    ]


def test_a_page_that_an_answer_names_is_told_as_its_command(screen: Screen, out: io.StringIO) -> None:
    offer = pk.PageOffer(turn_index=0, page="settings", title="Voice", setting="voice.voice", command="sori voices")
    assert shown(screen, out, packet(offer), packet(replace(offer, command=""))) == "Voice: sori voices\n"


def test_the_sources_of_an_answer_are_listed_under_it(screen: Screen, out: io.StringIO) -> None:
    first = Citation(number=3, title="회의록.md\x1b[2J", file="f1", passage=2, page=4, text="세 시")
    second = Citation(number=1, title="Fig", url="https://example.org/fig")
    told = shown(
        screen,
        out,
        packet(pk.Cited(turn_index=0, citation=first)),
        packet(pk.AnswerDelta(turn_index=0, text="세 시예요 [3].")),
        packet(pk.Cited(turn_index=0, citation=second)),
        packet(pk.AnswerDelta(turn_index=0, text=" 네 [1].")),
        packet(pk.Done(turn_index=1, finish="complete")),
    )
    assert "세 시예요 [3]. 네 [1]." in told
    assert "\x1b" not in told
    assert told.splitlines()[-3:][0] == "Sources:"
    assert told.splitlines()[-2:][0] == "  [1] Fig · https://example.org/fig"
    assert told.splitlines()[-1].endswith("· page 4 · sori files show f1 --passage 2")


def test_a_key_that_is_missing_is_told_with_its_remedy_once(screen: Screen, out: io.StringIO) -> None:
    failure = pk.Failure(
        turn_index=0,
        code="authentication",
        reason="api_key_missing",
        message="There is none. Store it with: sori keys set mine",
        provider="mine",
        offers=("api_key",),
    )
    assert shown(screen, out, packet(failure)).splitlines() == ["! There is none. Store it with: sori keys set mine"]


def test_an_answer_to_half_a_message_is_said_to_be_withdrawn(screen: Screen, out: io.StringIO) -> None:
    half, whole = message(Role.USER, "Tomorrow in Seoul"), message(Role.USER, "Tomorrow in Seoul, the weather?")
    withdrawn = up.TurnWithdrawn(conversation="a", turn=half.turn)
    lines = shown(screen, out, half, answer("What about"), withdrawn, whole).splitlines()
    assert lines[2:] == [
        "(You continued speaking. Sori withdraws that answer and answers the whole request.)",
        "You (heard): Tomorrow in Seoul, the weather?",
    ]


def test_a_remembered_fact_is_shown_and_can_be_undone(screen: Screen, out: io.StringIO) -> None:
    engine = RecordedConnection()
    change = MemoryChange(id="c", scope=Scope.AGENT, text="short answers")
    assert "Noted in the memory of this agent: short answers" in shown(screen, out, up.MemoryChanged(change=change))
    assert "Forgotten: cat" in shown(
        screen, out, up.MemoryChanged(change=MemoryChange(id="d", scope=Scope.PERSONAL, text="cat", removed=True))
    )
    replaced = MemoryChange(id="e", scope=Scope.PERSONAL, text="two cats", former="one cat")
    assert "Memory changed: one cat → two cats" in shown(screen, out, up.MemoryChanged(change=replaced))
    keyboard = keyboard_for(engine, screen)
    for line in ("/memory undo", "/memory of what"):
        keyboard.take(line)
    assert engine.sent == [UndoMemory()]
    assert out.getvalue().endswith(f"{TEXTS('console.memory_what')}\n")


@pytest.mark.parametrize("line", ["안녕하세요", "Hello.", "/retry"])
def test_the_options_of_the_command_line_go_with_every_turn(screen: Screen, line: str) -> None:
    connection, options = Answering(screen), TurnOptions(provider="mine", temperature=0.2, reasoning=False)
    asking = TerminalRequests(connection, TypingLine(), screen, options)
    Keyboard(asking, screen, TEXTS, FilesOnly(Path("unused")), hears=False).take(line)
    (sent,) = connection.sent
    assert isinstance(sent, BeginTurn | AnswerAgain)
    assert sent.options == options
