from pathlib import Path

from assistant.core.live_settings import LiveSettings
from assistant.core.machine import events as ev
from assistant.core.messages import Message, Role, ToolUse
from assistant.core.records.agents import AgentId
from assistant.core.settings import Settings
from assistant.engine.chat_wiring import build_chat
from assistant.host.places import Places
from assistant.host.texts import load_texts
from assistant.tools.folders.notes import NoteFolder
from assistant.voice.session.session import Session
from assistant.voice.work import Work
from tests.fakes.clock import FakeClock
from tests.fakes.system.volume import FakeVolume

TEXTS = load_texts("ko")


async def test_what_is_around_a_conversation_is_expected_when_sori_begins_to_listen(tmp_path: Path) -> None:
    live = LiveSettings(Settings(language="ko"))
    chat = await build_chat(tmp_path, live, TEXTS, clock=FakeClock(), volume=FakeVolume())
    conversation = await chat.storage.conversations.create()
    use = ToolUse(id="1", name="add_note", arguments={"title": "블라인드"})
    for message in (
        Message(role=Role.USER, text="불닭 켜 줘"),
        Message(role=Role.ASSISTANT, text="서재 조명을 켰어요.", tool_uses=(use,)),
        Message(role=Role.TOOL, text="비밀", tool_use_id="1"),
    ):
        await chat.storage.conversations.add(conversation, message)
    chat.agents.workspaces.add_workspace("home", "우리집")
    chat.agents.workspaces.add_agent(
        AgentId(workspace="home", name="coach"), {"display_name": "코치", "wake_phrase": "도치야"}
    )
    NoteFolder(Places(tmp_path).notes).create("장보기", "달걀")
    await chat.tools.timers.set(180, name="라면")
    work = Work()
    session = Session(
        chat.answers.board,
        chat.answers.engine,
        live,
        TEXTS,
        meaning=chat.answers.commands.meaning,
        publish=lambda _: None,
        work=work,
        conversation=conversation,
        expects=chat.answers.expects,
    )
    session.tell(ev.VoiceToggled())
    await work.wait_until_idle()
    words = session.likely_words
    assert words[0] == "라면"
    assert {"도치야", "코치", "우리집", "장보기", "서재", "조명", "블라인드"} <= set(words)
    assert not {"불닭", "비밀", "달걀"} & set(words)

    other = await chat.storage.conversations.create()
    assert "서재" not in await chat.answers.expects(other)
    await session.close()
    await chat.close()
