"""Only these files may open connections: what opens them elsewhere would leave no row in the egress ledger."""

import ast
from pathlib import Path

from assistant.app.places import PROJECT

_CLIENTS = {
    "aiohttp",
    "anthropic",
    "ftplib",
    "google.genai",
    "http.client",
    "httpx",
    "httpx2",
    "openai",
    "requests",
    "smtplib",
    "socket",
    "urllib.request",
    "urllib3",
    "websockets",
}

_ALLOWED = {
    # Requests of providers, all of them made by clients with the recording hook.
    "llm/sdk_clients.py": "makes what every client is made with",
    "llm/recorded_requests.py": "the hook",
    "llm/openai_chat.py": "asks through the hook",
    "llm/openai_errors.py": "exceptions",
    "llm/anthropic_chat.py": "asks through the hook",
    "llm/anthropic_errors.py": "exceptions",
    "llm/google_chat.py": "asks through the hook",
    "llm/google_connection.py": "asks through the hook",
    "llm/google_errors.py": "exceptions",
    "llm/google_format.py": "types",
    "llm/answer_bodies.py": "types",
    "llm/event_stream.py": "types",
    "llm/server_errors.py": "exceptions",
    # Requests that are written down where they are made.
    "llm/discovery.py": "asks this machine",
    "app/url_source.py": "downloads",
    # Sockets that lead nowhere else.
    "llm/embedded_slots.py": "tells Sori's own server what to keep",
    "app/health.py": "the sound server's socket",
    "app/single_instance.py": "Sori's own socket",
    "app/window.py": "a pair of sockets for signals",
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
