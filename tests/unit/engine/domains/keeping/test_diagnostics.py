"""The diagnostics hold no secret, wherever one was planted, and no words of conversations (N-03, N-05)."""

import json
import logging
from pathlib import Path

import pytest

from assistant.core.records.diagnostics import archive_of
from assistant.core.settings import Provider, Settings
from assistant.engine.checks import weight_checks
from assistant.engine.checks.examination import examine
from assistant.engine.domains.keeping import cleaning
from assistant.engine.domains.keeping import diagnostics as made
from assistant.engine.domains.keeping.cleaning import Cleaner, known_secrets
from assistant.host.logs import start_logging
from assistant.host.places import Places
from assistant.host.texts import load_texts
from assistant.knowledge.projects.figures import figures
from tests.unit.knowledge.projects.conftest import opened, settled

PLANTED = {
    "environment": "Xk71envQwertyZ",
    "key file": "Xk72fileQwertyZ",
    "settings": "Xk73confQwertyZ",
    "provider's environment": "Xk74provQwertyZ",
    "address": "Xk75user:Xk75addrQwertyZ",
    "query": "Xk76queryQwertyZ",
    "mcp environment": "Xk77mcpeQwertyZ",
    "mcp header": "Xk78mcphQwertyZ",
    "mcp argument": "Xk79mcpaQwertyZ",
    "token": "Xk80tokenQwertyZ",
    "log": "Xk81logQwertyZ",
    "error": "Xk82errQwertyZ",
    "memory": "Xk83memQwertyZ",
    "notes": "Xk84notesQwertyZ",
    "typed": "Xk85typedQwertyZ",
    "folder": "Xk86folderQwertyZ",
    "reminder": "Xk87reminderQwertyZ",
    "persona": "Xk88personaQwertyZ",
    "wake word": "Xk89wakeQwertyZ",
    "project": "Xk90projectQwertyZ",
}


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    monkeypatch.setattr(weight_checks, "needed_models", lambda _: [])
    monkeypatch.setenv("SORI_HOME", str(tmp_path))
    return Places(tmp_path)


def plant(places: Places, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("SOME_SERVICE_API_KEY", PLANTED["environment"])
    monkeypatch.setenv("MINE_KEY", PLANTED["provider's environment"])
    places.keys.write_text(json.dumps({"openai": PLANTED["key file"]}), "utf-8")
    places.tokens.write_text(json.dumps({"phone": {"hash": PLANTED["token"]}}), "utf-8")
    server = {
        "command": "npx",
        "args": ["-y", "server", f"--api-key={PLANTED['mcp argument']}"],
        "env": {"PASSPHRASE": PLANTED["mcp environment"]},
        "headers": {"X-Auth": f"Bearer {PLANTED['mcp header']}"},
    }
    places.mcp_servers.write_text(json.dumps({"mcpServers": {"web": server}}), "utf-8")
    places.personal_memory.parent.mkdir()
    places.personal_memory.write_text(f"- my code is {PLANTED['memory']}\n", "utf-8")
    places.notes.mkdir()
    (places.notes / "a.md").write_text(PLANTED["notes"], "utf-8")
    places.typed_lines.write_text(json.dumps(PLANTED["typed"]), "utf-8")
    agent = places.workspaces / "default" / "agents" / "sori"
    agent.mkdir(parents=True)
    (agent / "persona.md").write_text(PLANTED["persona"], "utf-8")
    address = f"https://{PLANTED['address']}@example.com/v1?x={PLANTED['query']}"
    providers = (
        Provider(name="mine", kind="openai", base_url=address, api_key=PLANTED["settings"], api_key_env="MINE_KEY"),
    )
    return Settings(
        providers=providers,
        files=type(Settings().files)(folders=(f"/home/x/{PLANTED['folder']}",)),
        voice=type(Settings().voice)(wake_word=PLANTED["wake word"]),
    )


def write_logs(places: Places) -> None:
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    start_logging(places.logs, "window")
    log = logging.getLogger("sori.test")
    log.warning("the request failed: Authorization: Bearer %s", PLANTED["log"])
    log.warning("the environment was %s", PLANTED["environment"])
    log.warning("nobody has stopped %r", PLANTED["reminder"])
    try:
        int(f"password={PLANTED['error']}")
    except ValueError:
        log.exception("it failed in “%s”", PLANTED["reminder"])
    for handler in root.handlers[:]:
        if handler not in before:
            root.removeHandler(handler)
            handler.close()
    root.setLevel(level)
    logging.captureWarnings(capture=False)
    (places.logs / "broken.log").write_text(f"{PLANTED['log']} no JSON\n[1]\n", "utf-8")


def test_no_planted_secret_is_in_the_archive(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = plant(places, monkeypatch)
    write_logs(places)
    texts = made.diagnostics(places, load_texts("en"), settings, loads=False)
    whole = "\n".join(f"{each.name}\n{each.text}" for each in texts)
    found = [where for where, secret in PLANTED.items() for part in secret.split(":") if part in whole]
    assert found == []
    assert b"Xk" not in archive_of(texts)
    assert str(places.home) not in whole
    assert [each.name for each in texts] == [
        "report.txt",
        "versions.txt",
        "settings.txt",
        "projects.txt",
        "logs/broken.log",
        "logs/window.log",
    ]


def test_what_helps_is_there(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = plant(places, monkeypatch)
    write_logs(places)
    texts = {each.name: each.text for each in made.diagnostics(places, load_texts("en"), settings, loads=False)}
    assert "Python" in texts["report.txt"]
    assert "Sori 0." in texts["versions.txt"]
    assert "numpy" in texts["versions.txt"]
    assert "files.folders: changed by the user" in texts["settings.txt"]
    assert "provider of the kind openai" in texts["settings.txt"]
    log = texts["logs/window.log"]
    assert "the request failed" in log
    assert "Traceback" in log
    assert all(json.loads(line) for line in log.splitlines())


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("key sk-abcdefghijklmnop", "key [secret]"),
        ("Authorization: Bearer abcdefgh12345", "[secret]"),
        ("token=abcdef123456", "[secret]"),
        ("https://me:pass1234@host/x", "https://[secret]@host/x"),
        ("planted-value here", "[secret] here"),
        ("/tmp/home-of-sori/sori.db", "[sori]/sori.db"),
        ("AIzaSyA1234567890abcdefghijklmn", "[secret]"),
        ("123456789:AAabcdefghijklmnopqrstuvwxyz0123456789", "[secret]"),
        ("nothing to hide: 3 timers, 0.25 s", "nothing to hide: 3 timers, 0.25 s"),
        ("모델을 불러오지 못했어요", "모델을 불러오지 못했어요"),
        ("[Errno 2] No such file", "[Errno 2] No such file"),
    ],
)
def test_texts_are_cleaned(text: str, clean: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cleaning, "_user", lambda: "")
    monkeypatch.setattr(cleaning, "_host", lambda: "")
    monkeypatch.setenv("HOME", "/nowhere/x1")
    cleaner = Cleaner(frozenset({"planted-value"}), Path("/tmp/home-of-sori"))
    told = cleaner(text)
    assert told.startswith(clean) if clean == "[secret]" else told == clean


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("the note 'my diary' is gone", "the note '…' is gone"),
        ('it said "내 비밀" and ended', "it said '…' and ended"),
        ("“일기”에 적었어요", "'…'에 적었어요"),
        ("it's fine, isn't it", "it'…'t it"),
        ("no quotes at all", "no quotes at all"),
    ],
)
def test_quoted_words_are_left_out_of_logs(text: str, clean: str) -> None:
    assert Cleaner(frozenset(), Path("/tmp/home-of-sori")).without_quotes(text) == clean


def test_names_of_this_computer_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cleaning, "_user", lambda: "mina")
    monkeypatch.setattr(cleaning, "_host", lambda: "mina-laptop")
    monkeypatch.setenv("HOME", "/home/mina")
    clean = Cleaner(frozenset(), Path("/data/sori"))
    assert clean("/home/mina/.cache on mina-laptop by mina, feminine") == "~/.cache on [name] by [name], feminine"


def test_secrets_of_damaged_files_stop_nothing(places: Places) -> None:
    places.keys.write_text("{", "utf-8")
    places.mcp_servers.write_bytes(b"\xff\xfe")
    assert known_secrets(places, Settings(), {}) == frozenset()


def test_a_running_sori_loads_no_voice_for_its_diagnostics(places: Places) -> None:
    names = {loads: {each.name for each in examine(places, load_texts("en"), loads=loads)} for loads in (True, False)}
    assert names[True] - names[False] == {"voice", "wake_word"}


async def test_projects_are_told_in_numbers_and_states_alone(places: Places, tmp_path: Path) -> None:
    name = PLANTED["project"]
    folder = tmp_path / name
    folder.mkdir()
    (folder / f"{name}.md").write_text(f"# {name}\n\n비밀은 {name}이다.\n", encoding="utf-8")
    (folder / f"{name}.exe").write_bytes(b"MZ")
    (folder / "empty.txt").write_bytes(b"")
    async with opened(places.knowledge) as projects:
        made_project = await projects.add(name, "default", [str(folder)])
        await settled(projects)
        await projects.add_bytes(made_project.id, f"{name}.txt", name.encode())
        await projects.pipeline.done()
        texts = made.diagnostics(places, load_texts("ko"), Settings(), loads=False)
    told = next(each.text for each in texts if each.name == "projects.txt")
    for part in (
        "1 projects",
        "project 1: 1 folders, 0 of them out of reach",
        "4 files, 0 of them pages of the web",
        "state: ready 2, skipped 2",
        "reason: empty 1, program 1",
        "media_type: text/markdown 1, text/plain 1",
    ):
        assert part in told
    assert "Xk" not in "".join(each.text for each in texts)


@pytest.mark.parametrize(("content", "told"), [(None, "no projects"), (b"no database", "cannot be read")])
def test_projects_that_are_not_there_or_damaged_stop_no_diagnostics(
    tmp_path: Path, content: bytes | None, told: str
) -> None:
    if content is not None:
        (tmp_path / "knowledge.db").write_bytes(content)
    assert told in "\n".join(figures(tmp_path))
