"""Paths of the program's own files and of the user's files.

``SORI_HOME`` moves all of the user's files. ``SORI_MODELS`` moves only the weights, so that several homes can
share them.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

PROJECT = Path(__file__).resolve().parents[2]
"""The folder of the package: in a checkout its root with ``main.py``, elsewhere ``site-packages``."""

RESOURCES = PROJECT / "assistant" / "resources"


def start_command() -> list[str]:
    """What starts Sori: ``main.py`` of the checkout, an AppImage, or the installed package."""
    main = PROJECT / "main.py"
    if image := os.environ.get("APPIMAGE", ""):
        return [image]  # It is mounted at another path at each start.
    return [sys.executable, str(main)] if main.is_file() else [sys.executable, "-P", "-m", "assistant.app.start"]


def default_home(environment: Mapping[str, str] = os.environ) -> Path:
    """The user's folder: ``SORI_HOME``, or the platform's place for an application's data."""
    chosen = environment.get("SORI_HOME", "")
    return Path(chosen).expanduser().absolute() if chosen else platformdirs.user_data_path("sori", appauthor=False)


def models_folder(home: Path, environment: Mapping[str, str] = os.environ) -> Path:
    """Where weights are kept: ``SORI_MODELS``, or ``models`` in the user's folder."""
    chosen = environment.get("SORI_MODELS", "")
    return Path(chosen).expanduser().absolute() if chosen else home / "models"


@dataclass(frozen=True, slots=True)
class Places:
    """Paths below the user's folder ``home``; no path is created."""

    home: Path

    @property
    def config(self) -> Path:
        """The settings file."""
        return self.home / "config.toml"

    @property
    def first_language(self) -> Path:
        """The language of the first start, for processes whose environment names none."""
        return self.home / "first-language"

    @property
    def uploads(self) -> Path:
        """Files of messages while they are read, and the texts that were read of them."""
        return self.home / "knowledge" / "uploads"

    @property
    def database(self) -> Path:
        """The database with conversations, timers, usage and egress."""
        return self.home / "sori.db"

    @property
    def knowledge(self) -> Path:
        """Folder of what is known of the user's files: copies, texts, passages and their index."""
        return self.home / "knowledge"

    @property
    def learnt_models(self) -> Path:
        """Dialects of models, learnt from their servers."""
        return self.home / "learnt-models.json"

    @property
    def last_setting(self) -> Path:
        """The setting that was changed last by the user's words, to undo it."""
        return self.home / "last-setting.json"

    @property
    def first_run(self) -> Path:
        """Where the first run stands."""
        return self.home / "first-run.json"

    @property
    def suggestion(self) -> Path:
        """The day on which a better model was suggested last."""
        return self.home / "suggested-model.json"

    @property
    def awaited_model(self) -> Path:
        """The model that answers as soon as it has been fetched."""
        return self.home / "awaited-model.json"

    @property
    def grants(self) -> Path:
        """The servers and folders whose tools are always allowed."""
        return self.home / "grants.json"

    @property
    def prompt_states(self) -> Path:
        """Folder of the embedded server's prompt states."""
        return self.home / "prompt-states"

    @property
    def personal_memory(self) -> Path:
        """The facts about the user."""
        return self.home / "memory" / "user.md"

    @property
    def workspaces(self) -> Path:
        """Folder of the workspaces with their agents and memories."""
        return self.home / "workspaces"

    @property
    def current_agent(self) -> Path:
        """The workspace and the agent of new conversations."""
        return self.home / "current-agent.toml"

    @property
    def mcp_servers(self) -> Path:
        """The user's MCP servers, in the form that other desktop apps use."""
        return self.home / "mcp.json"

    @property
    def mcp_approvals(self) -> Path:
        """What the user approved of these servers: their commands and tools."""
        return self.home / "mcp-approvals.json"

    @property
    def mcp_tools(self) -> Path:
        """What these servers said of their tools at their last start."""
        return self.home / "mcp-tools.json"

    @property
    def flows(self) -> Path:
        """Folder of the user's own services of guided flows, one a folder."""
        return self.home / "flows"

    @property
    def flow_data(self) -> Path:
        """Folder below which each service has a folder for its own files."""
        return self.home / "flows-data"

    @property
    def flow_approvals(self) -> Path:
        """Which files of the user's own services the user has allowed to run."""
        return self.home / "flow-approvals.json"

    @property
    def pictures(self) -> Path:
        """Folder of the pictures that models have made for the user."""
        return self.home / "pictures"

    @property
    def notes(self) -> Path:
        """Folder of the user's notes."""
        return self.home / "notes"

    @property
    def keys(self) -> Path:
        """API keys in a file, for systems without a keyring."""
        return self.home / "keys.json"

    @property
    def tokens(self) -> Path:
        """Hashes of the tokens of programs that call Sori over HTTP."""
        return self.home / "http-tokens.json"

    @property
    def phones(self) -> Path:
        """Hashes of the tokens of the user's phones."""
        return self.home / "phones.json"

    @property
    def phone_certificate(self) -> Path:
        """The certificate of the page for phones, with its private key."""
        return self.home / "phone-certificate.pem"

    @property
    def typed_lines(self) -> Path:
        """History of lines typed in the terminal."""
        return self.home / "typed-lines.jsonl"

    @property
    def logs(self) -> Path:
        """Folder of the log files."""
        return self.home / "logs"

    @property
    def models(self) -> Path:
        """Folder of the weights."""
        return models_folder(self.home)
