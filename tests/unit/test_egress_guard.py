"""Only these files may open connections: what opens them elsewhere would leave no row in the egress ledger."""

import ast
from pathlib import Path

from assistant.host.places import PROJECT

_CLIENTS = {
    "aiohttp",
    "anthropic",
    "ftplib",
    "google.genai",
    "http.client",
    "httpx",
    "httpx2",
    "openai",
    "psycopg",
    "requests",
    "smtplib",
    "telegram",
    "socket",
    "urllib.request",
    "urllib3",
    "websockets",
}

_ALLOWED = {
    # Requests of providers, all of them made by clients with the recording hook.
    "llm/transport/sdk_clients.py": "makes what every client is made with",
    "llm/transport/recorded_requests.py": "the hook",
    "llm/openai/chat.py": "asks through the hook",
    "llm/openai/errors.py": "exceptions",
    "llm/anthropic/chat.py": "asks through the hook",
    "llm/anthropic/errors.py": "exceptions",
    "llm/google/chat.py": "asks through the hook",
    "llm/google/connection.py": "asks through the hook",
    "llm/google/errors.py": "exceptions",
    "llm/google/format.py": "types",
    "llm/google/images.py": "asks through the hook",
    "llm/openai/speech.py": "asks through the hook",
    "llm/transport/answer_bodies.py": "types",
    "llm/transport/event_stream.py": "types",
    "llm/transport/server_errors.py": "exceptions",
    # Requests that are written down where they are made.
    "llm/facts/discovery.py": "asks this machine",
    "weights/url_source.py": "downloads",
    "tools/web/pages.py": "opens pages and searches",
    "tools/mcp/running/http.py": "asks through the hook",
    "tools/web/public_addresses.py": "looks up the names of pages",
    "remote/telegram/bot.py": "asks through the hook",
    **{
        f"remote/telegram/{name}.py": "calls the client, types and exceptions"
        for name in (
            *("chat/buttons", "chat/conversing", "chat/replies", "chat/worker", "delivery", "door", "files"),
            *("form/cards", "incoming", "linking", "polling", "progress", "surroundings"),
        )
    },
    "storage/postgres/answered.py": "the connections of that server; ends silent ones",
    "storage/postgres/server.py": "writes each transaction down before it is sent",
    "sync/postgres/account_keys.py": "asks through that server; exceptions",
    "sync/postgres/least_role.py": "asks through that server; names of users",
    "sync/postgres/postgres_store.py": "asks through that server; exceptions",
    # Sockets that lead nowhere else.
    "engine/domains/sync/devices.py": "asks for the name of this machine",
    "llm/embedded/embedded_slots.py": "tells Sori's own server what to keep",
    "engine/checks/health.py": "the sound server's socket",
    "engine/checks/phone_checks.py": "asks the page for phones on this machine for its certificate",
    "remote/local/client.py": "the socket of this user's programs",
    "remote/local/endpoint.py": "the socket of this user's programs",
    "remote/local/framing.py": "the socket of this user's programs",
    "remote/local/server.py": "the socket of this user's programs",
    "remote/http/door.py": "listens on loopback",
    "remote/http/phone/door.py": "listens in the local network",
    "remote/http/serving.py": "listens where its doors say",
    "app/commands/tokens.py": "asks whether HTTP listens on loopback",
    "app/window.py": "a pair of sockets for signals",
    "setup/network.py": "asks the system for a way, and sends nothing",
    "desktop/keyboard/shortcuts/portal.py": "ends the connection to the session bus",
}


def imported(path: Path) -> set[str]:
    """Names of the modules that a file imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
    return found


def test_no_other_file_can_open_a_connection() -> None:
    root = PROJECT / "assistant"
    files = {path.relative_to(root).as_posix(): imported(path) for path in root.rglob("*.py")}
    opening = {name for name, modules in files.items() if _reaches(modules)}
    assert opening == set(_ALLOWED)


def _reaches(modules: set[str]) -> bool:
    return any(module == client or module.startswith(f"{client}.") for module in modules for client in _CLIENTS)
