"""Meanings from a server with the OpenAI format, through the engine's wiring (K-03, P-25)."""

from pathlib import Path

from assistant.core import updates as up
from assistant.core.live_settings import LiveSettings
from assistant.core.records.egress import DataClass
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.engine.settings.reading import settings_here
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.host.texts import load_texts
from tests.fakes.model_server.script import RecordedRequest, Reply, refusal
from tests.fakes.model_server.server import ModelServer
from tests.fakes.model_server.wire_embeddings import EmbeddingWire, vectors
from tests.fakes.system.volume import FakeVolume


def _settings(home: Path, server: ModelServer, model: str) -> LiveSettings:
    places = Places(home)
    home.mkdir(exist_ok=True)
    provider = f'[[providers]]\nname = "mine"\nkind = "openai"\nbase_url = "{server.base_url}"\napi_key = "k"\n'
    places.config.write_text(f'[files]\nmeanings = "mine/{model}"\n{provider}', encoding="utf-8")
    return LiveSettings(settings_here(places.config, home))


async def _chat(home: Path, server: ModelServer, model: str, updates: list[up.Update]) -> Chat:
    live = _settings(home, server, model)
    chat = await build_chat(home, live, load_texts("ko"), updates.append, clock=SystemClock(), volume=FakeVolume())
    await chat.projects.read_here()
    return chat


async def _settled(chat: Chat) -> None:
    await chat.projects.pipeline.done()
    await chat.projects.index.settled()


def _documents(tmp_path: Path) -> str:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.txt").write_text("강아지 산책", encoding="utf-8")
    (docs / "b.txt").write_text("You can get a refund.", encoding="utf-8")
    return str(docs)


def _models(server: ModelServer) -> set[str]:
    return {each.body["model"] for each in server.requests if each.body and "input" in each.body}


async def test_a_server_finds_by_meaning_and_another_model_makes_all_anew(tmp_path: Path) -> None:
    home, updates = tmp_path / "home", list[up.Update]()
    async with ModelServer(vectors, wire=EmbeddingWire(), api_key="k") as server:
        chat = await _chat(home, server, "one", updates)
        project = (await chat.projects.add("p", "", [_documents(tmp_path)])).id
        await _settled(chat)
        found = await chat.projects.search("walk the dog", [project])
        assert found[0].name == "a.txt"
        sent = [each for each in await chat.storage.ledger.rows(local=True) if each.purpose == "embedding"]
        assert len(sent) == len(server.requests)
        assert {each.data for each in sent} == {(DataClass.DOCUMENT,), (DataClass.QUERY,)}
        assert {each.provider for each in sent} == {"mine"}
        await chat.close()
        assert _models(server) == {"one"}

        server.requests.clear()
        chat = await _chat(home, server, "two", updates)
        await _settled(chat)
        assert (await chat.projects.index.state(project)).waiting == 0
        assert (await chat.projects.search("walk the dog", [project]))[0].name == "a.txt"
        await chat.close()
        assert _models(server) == {"two"}
        assert sorted(text for each in server.requests for text in each.body["input"]) == [
            "You can get a refund.",
            "walk the dog",
            "강아지 산책",
        ]
    assert not [each for each in updates if isinstance(each, up.NoticePosted)]


async def test_a_model_gets_texts_as_it_was_trained_on_them(tmp_path: Path) -> None:
    async with ModelServer(vectors, wire=EmbeddingWire(), api_key="k") as server:
        chat = await _chat(tmp_path / "home", server, "multilingual-e5-large", [])
        project = (await chat.projects.add("p", "", [_documents(tmp_path)])).id
        await _settled(chat)
        await chat.projects.search("walk the dog", [project])
        await chat.close()
        assert sorted(text for each in server.requests for text in each.body["input"]) == [
            "passage: You can get a refund.",
            "passage: 강아지 산책",
            "query: walk the dog",
        ]


async def test_words_find_while_the_server_fails_and_it_is_told_once(tmp_path: Path) -> None:
    def refused(_: RecordedRequest) -> Reply:
        return refusal(500, "out of memory")

    updates = list[up.Update]()
    async with ModelServer(refused, wire=EmbeddingWire()) as server:
        chat = await _chat(tmp_path / "home", server, "one", updates)
        project = (await chat.projects.add("p", "", [_documents(tmp_path)])).id
        await _settled(chat)
        for _ in range(2):
            assert (await chat.projects.search("refund", [project]))[0].name == "b.txt"
        assert not (await chat.projects.index.state(project)).meaning
        await chat.close()
    (notice,) = [each for each in updates if isinstance(each, up.NoticePosted)]
    assert notice.key == "notice.meanings_failed"
    assert all(str(notice.values["reason"]) in load_texts(each)(notice.key, **notice.values) for each in ("ko", "en"))
