"""The folders of the workspaces and their agents (M-01).

::

    workspaces/{workspace}/workspace.toml                 its name
    workspaces/{workspace}/memory.md                      what all its agents remember
    workspaces/{workspace}/agents/{agent}/agent.toml      see agent_file
    workspaces/{workspace}/agents/{agent}/persona.md
    workspaces/{workspace}/agents/{agent}/prompt.md       its custom prompt
    workspaces/{workspace}/agents/{agent}/memory.md       what only this agent remembers
    workspaces/{workspace}/agents/{agent}/wake_sound.npz  how its user says its wake phrase
    workspaces/{workspace}/agents/{agent}/own_words.npz   how Sori's voices say its wake phrase

Every file may be missing. The default workspace and the default agent of each workspace exist without a folder. Files
are read for each request: with 100 facts that takes 2 ms, and a changed file is never overlooked, as it could be if
times of changes were compared.
"""

import re
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from assistant.agent.workspaces.agent_file import (
    AgentFile,
    DefaultAgentFile,
    EntryValue,
    new_file,
    parse_agent,
    with_values,
)
from assistant.agent.workspaces.files import FileProblem, is_own, read, shortened
from assistant.agent.workspaces.names import InvalidNameError, checked_name, is_name, same_name, spoken_form
from assistant.agent.workspaces.own_agents import OwnAgents
from assistant.core.clock import Clock
from assistant.core.configuration.parsing import parse_table
from assistant.core.errors import ErrorCode, SettingsError, SoriError, StorageError
from assistant.core.formats.toml_text import line_of
from assistant.core.listeners import Listeners
from assistant.core.records.agents import DEFAULT_AGENT, DEFAULT_WORKSPACE, AgentId
from assistant.core.records.memory import Scope
from assistant.memory.memory_file import MemoryFile
from assistant.speech.text.names.calls import alike, has_sounds
from assistant.storage.atomic import UNFINISHED, read_text, sync_folder, write_bytes, write_text
from assistant.storage.file_names import child

WAKE_SOUND = "wake_sound.npz"
"""File of an agent with the sound of its wake phrase as its user has enrolled it."""
OWN_WORDS = "own_words.npz"
"""File of an agent with its wake phrase as Sori's own voices say it."""
_REMOVED = ".removed"
"""Folder of removed agents and workspaces. The user may move them back or delete them."""
_TIME_OF_REMOVAL = re.compile(r" \d{4}-\d{2}-\d{2} \d{6}$")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceFile:
    """The entries of ``workspace.toml``: ``name``, which the user reads; empty for the name of the folder."""

    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One agent, as its files describe it.

    Attributes:
        id: its name and its workspace.
        file: the entries of ``agent.toml``.
        persona: the text of ``persona.md``.
        prompt: the text of ``prompt.md``.
        folder: its folder, which may be missing.
        problems: the files that cannot be used as they are. The rest of the agent is used.
        own: whether its words are the user's own, or approved.
    """

    id: AgentId
    file: AgentFile
    persona: str = ""
    prompt: str = ""
    folder: Path
    problems: tuple[FileProblem, ...] = ()
    own: bool = True

    @property
    def title(self) -> str:
        """The name that the user reads."""
        return self.file.display_name.strip() or self.id.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """One workspace: its name, the name that the user reads, and its files that cannot be used."""

    name: str
    title: str
    problems: tuple[FileProblem, ...] = ()


def missing_agent(name: str, known: Collection[str]) -> SoriError:
    """The error for an agent that does not exist."""
    return _missing("agent_unknown", name, known)


class Workspaces:
    """Reads and changes the folders. Its methods use the disk, so call them in a thread.

    Args:
        folder: the folder of all workspaces; it may be missing.
        clock: gives the day of new facts and the time of removals.
        most: gives the maximum size of a memory file in characters.

    Attributes:
        opened: told each memory file when it is first used, and its scope.
    """

    def __init__(self, folder: Path, clock: Clock, most: Callable[[], int]) -> None:
        self.folder = folder
        self._clock = clock
        self._most = most
        self._memories: dict[Path, MemoryFile] = {}
        self._own = OwnAgents(folder.parent / "own-agents.json")
        self.opened: Listeners[[MemoryFile, Scope], None] = Listeners()

    # Workspaces

    def workspaces(self) -> tuple[Workspace, ...]:
        """All workspaces; the default one comes first."""
        names = {DEFAULT_WORKSPACE, *self._names_in(self.folder)}
        return tuple(self.workspace(name) for name in sorted(names, key=lambda name: (name != DEFAULT_WORKSPACE, name)))

    def workspace(self, name: str) -> Workspace:
        """A workspace with this folder, which may be missing."""
        path = child(self.folder, name) / "workspace.toml"
        try:
            title = parse_table(WorkspaceFile, read(path, self.folder)).name.strip()
        except SettingsError as error:
            return Workspace(name=name, title=name, problems=(FileProblem(path=path, error=error),))
        return Workspace(name=name, title=title or name)

    def find_workspace(self, wanted: str) -> Workspace:
        """The workspace with this name or title, however it is spaced.

        Raises:
            SoriError: there is none.
        """
        known = self.workspaces()
        found = _found(wanted, {each.name: each.title for each in known})
        if found is None:
            raise _missing("workspace_unknown", wanted, [each.title for each in known])
        return self.workspace(found)

    def add_workspace(self, name: str, title: str = "") -> Workspace:
        """Add a workspace.

        Raises:
            InvalidNameError: no folder can have this name.
            SoriError: the name is taken.
            StorageError: the folder cannot be written.
        """
        name = checked_name(name)
        if any(same_name(name, each.name) for each in self.workspaces()):
            raise _taken(name)
        self._add_folder(self.folder / name, {"workspace.toml": with_values("", {"name": title or name})})
        return self.workspace(name)

    def rename_workspace(self, name: str, title: str) -> Workspace:
        """Give a workspace another name for the user; its folder stays.

        Raises:
            SoriError: the name is empty, or another workspace has it.
            SettingsError: its file is not valid.
            StorageError: the file cannot be written.
        """
        if not title.strip():
            raise InvalidNameError(title, "empty")
        title = title.strip()
        if any(same_name(title, other.title) for other in self.workspaces() if other.name != name):
            raise _taken(title)
        path = self._folder(name) / "workspace.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        self._write(path, with_values(read(path, self.folder), {"name": title}))
        return self.workspace(name)

    def restore(self, place: Path) -> Path:
        """Bring back an agent or a workspace that was set aside; returns its folder.

        Args:
            place: where it is now, as its removal has told.

        Raises:
            SoriError: there is nothing that was set aside, or its name is taken meanwhile.
            StorageError: the folder cannot be moved.
        """
        home: Path = place.parent.parent
        name = _TIME_OF_REMOVAL.sub("", place.name)
        inside = place.is_relative_to(self.folder) and ".." not in place.parts
        if not inside or place.parent.name != _REMOVED or not place.is_dir() or not is_own(place, self.folder):
            raise _missing("agent_unknown", name, [])
        if (home / name).exists():
            raise _taken(name)
        try:
            place.rename(home / name)
            sync_folder(home)
        except OSError as error:
            raise StorageError(str(place), error.strerror or str(error), cause=error) from error
        return home.joinpath(name)

    def remove_workspace(self, name: str) -> Path:
        """Set a workspace aside with its agents and memories; returns its new place.

        Raises:
            SoriError: it is the default workspace, or there is no such folder.
            StorageError: the folder cannot be moved.
        """
        if name == DEFAULT_WORKSPACE:
            raise SoriError(ErrorCode.INVALID_REQUEST, "the default workspace stays", message_key="workspace_stays")
        return self._set_aside(child(self.folder, name))

    # Agents

    def agents(self, workspace: str) -> tuple[Agent, ...]:
        """The agents of a workspace; the default one comes first.

        A wake phrase that two agents have belongs to the first of them. The other one gets a problem.
        """
        names = {DEFAULT_AGENT, *self._names_in(child(self.folder, workspace) / "agents")}
        agents: list[Agent] = []
        for name in sorted(names, key=lambda name: (name != DEFAULT_AGENT, name)):
            agents.append(_woken_alone(self._agent(AgentId(workspace=workspace, name=name)), agents))
        return tuple(agents)

    def agent(self, wanted: AgentId) -> Agent:
        """An agent as its files describe it.

        Raises:
            SoriError: it does not exist.
        """
        if wanted.workspace != DEFAULT_WORKSPACE and not self._folder(wanted.workspace).is_dir():
            raise _missing("workspace_unknown", wanted.workspace, [each.title for each in self.workspaces()])
        if wanted.name != DEFAULT_AGENT and not self._agent_folder(wanted).is_dir():
            raise missing_agent(wanted.name, [each.title for each in self.agents(wanted.workspace)])
        return self._agent(wanted)

    def find_agent(self, workspace: str, wanted: str) -> Agent:
        """The agent of a workspace with this name, display name or wake phrase, however it is spaced.

        Raises:
            SoriError: there is none.
        """
        known = self.agents(workspace)
        found = _found(wanted, {each.id.name: each.title for each in known})
        found = found or _found(wanted, {each.id.name: each.file.wake_phrase for each in known})
        if found is None:
            raise missing_agent(wanted, [each.title for each in known])
        return next(each for each in known if each.id.name == found)

    def wake_phrases(self, current: str) -> tuple[tuple[AgentId, str], ...]:
        """The wake phrases and their further spellings: those of the current workspace first, then all others."""
        order = sorted(self.workspaces(), key=lambda each: each.name != current)
        return tuple(
            (agent.id, phrase.strip())
            for workspace in order
            for agent in self.agents(workspace.name)
            if agent.file.wake_phrase.strip()
            for phrase in (agent.file.wake_phrase, *agent.file.wake_spellings)
            if phrase.strip()
        )

    def add_agent(
        self, wanted: AgentId, values: Mapping[str, EntryValue], *, persona: str = "", prompt: str = ""
    ) -> Agent:
        """Add an agent.

        Args:
            wanted: its name and its workspace.
            values: entries of ``agent.toml``.
            persona: the text of ``persona.md``.
            prompt: the text of ``prompt.md``.

        Raises:
            InvalidNameError: no folder can have this name.
            SettingsError: a value is not possible.
            SoriError: the name or the wake phrase is taken, the phrase cannot be told apart from another one by its
                sound or has none, or there is no such workspace.
            StorageError: the folder cannot be written.
        """
        identity = AgentId(workspace=wanted.workspace, name=checked_name(wanted.name))
        self.agent(AgentId(workspace=identity.workspace))
        if any(same_name(identity.name, each.id.name) for each in self.agents(identity.workspace)):
            raise _taken(identity.name)
        text = new_file(values)
        self._check_phrase(identity, parse_agent(text), chosen=True)
        texts = {"agent.toml": text, "persona.md": persona, "prompt.md": prompt}
        files = {name: text if text.endswith("\n") else f"{text}\n" for name, text in texts.items() if text.strip()}
        self._add_folder(self._agent_folder(identity), files)
        return self.approve_agent(identity)

    def edit_agent(
        self,
        wanted: AgentId,
        values: Mapping[str, EntryValue],
        *,
        persona: str | None = None,
        prompt: str | None = None,
    ) -> Agent:
        """Change entries of an agent's files; ``None`` leaves a text as it is.

        Raises:
            SettingsError: a value is not possible, or the file is not valid.
            SoriError: there is no such agent, or the wake phrase is taken, sounds like another one or has no sound.
            StorageError: a file cannot be written; that file has its old content.
        """
        agent = self.agent(wanted)
        path = agent.folder / "agent.toml"
        if values:
            text = with_values(read(path, self.folder), values)
            parsed = parse_agent(text, default=wanted.name == DEFAULT_AGENT)
            self._check_phrase(wanted, parsed, chosen="wake_phrase" in values)
            self._write(path, text)
            if parsed.wake_phrase.strip() != agent.file.wake_phrase.strip():
                # They are words of the former phrase. Sori makes those of the new one when nobody speaks.
                self.keep_own_words(wanted, b"")
        for name, words in (("persona.md", persona), ("prompt.md", prompt)):
            if words is not None:
                self._write(agent.folder / name, f"{words.strip()}\n")
        # What somebody else wrote stays somebody else's, also beside words of the user's.
        return self.approve_agent(wanted) if agent.own else self._agent(wanted)

    def approve_agent(self, wanted: AgentId) -> Agent:
        """Remember that the words of an agent are the user's own, or that the user has read and approved them.

        Raises:
            StorageError: this cannot be kept.
        """
        agent = self._agent(wanted)
        self._own.keep(wanted, agent.persona, agent.prompt, agent.file.display_name)
        return replace(agent, own=True)

    def wake_sound(self, wanted: AgentId) -> bytes:
        """The file that describes how the user says an agent's wake phrase; empty if there is none."""
        return self._bytes(self._agent_folder(wanted) / WAKE_SOUND)

    def keep_wake_sound(self, wanted: AgentId, content: bytes) -> None:
        """Keep how the user says an agent's wake phrase; empty bytes forget it.

        Raises:
            SoriError: there is no such agent.
            StorageError: the file cannot be written.
        """
        self._keep_bytes(self.agent(wanted).folder / WAKE_SOUND, content)

    def own_words(self, wanted: AgentId) -> bytes:
        """The file that describes how Sori's voices say an agent's wake phrase; empty if there is none."""
        return self._bytes(self._agent_folder(wanted) / OWN_WORDS)

    def keep_own_words(self, wanted: AgentId, content: bytes) -> None:
        """Keep how Sori's voices say an agent's wake phrase; empty bytes forget it.

        Raises:
            SoriError: there is no such agent.
            StorageError: the file cannot be written.
        """
        self._keep_bytes(self.agent(wanted).folder / OWN_WORDS, content)

    def remove_agent(self, wanted: AgentId) -> Path:
        """Set an agent aside with its persona and memory; returns its new place.

        Raises:
            SoriError: there is no such folder, or it is the default agent, which has its original settings then.
            StorageError: the folder cannot be moved.
        """
        folder = self._agent_folder(wanted)
        if wanted.name == DEFAULT_AGENT and not folder.is_dir():
            raise SoriError(ErrorCode.INVALID_REQUEST, "the default agent stays", message_key="agent_stays")
        return self._set_aside(folder)

    # Memories

    def workspace_memory(self, workspace: str) -> MemoryFile:
        """The memory that all agents of a workspace share.

        Raises:
            StorageError: the file is a link to another place.
        """
        return self._memory(self._folder(workspace) / "memory.md", Scope.WORKSPACE)

    def agent_memory(self, agent: AgentId) -> MemoryFile:
        """The memory of one agent.

        Raises:
            StorageError: the file is a link to another place.
        """
        return self._memory(self._agent_folder(agent) / "memory.md", Scope.AGENT)

    def memories(self) -> Iterator[MemoryFile]:
        """The memories of all workspaces and their agents.

        Raises:
            StorageError: a file is a link to another place.
        """
        for workspace in self.workspaces():
            yield self.workspace_memory(workspace.name)
            yield from (self.agent_memory(each.id) for each in self.agents(workspace.name))

    def memory_at(self, path: Path) -> MemoryFile | None:
        """The memory of a workspace or of an agent at a path; ``None`` for any other path.

        Raises:
            StorageError: the file is a link to another place.
        """
        if not path.is_relative_to(self.folder):
            return None
        match path.relative_to(self.folder).parts:
            case (workspace, "memory.md"):
                return self.workspace_memory(workspace)
            case (workspace, "agents", agent, "memory.md"):
                return self.agent_memory(AgentId(workspace=workspace, name=agent))
            case _:
                return None

    def _memory(self, path: Path, scope: Scope) -> MemoryFile:
        if not is_own(path, self.folder):
            raise StorageError(str(path), "this is a link to another place")
        # One object for a file, because it makes changes wait for each other.
        if path not in self._memories:
            self._memories[path] = MemoryFile(path, self._clock, self._most)
            self.opened.tell(self._memories[path], scope)
        return self._memories[path]

    # Files

    def _agent(self, identity: AgentId) -> Agent:
        folder = self._agent_folder(identity)
        default = identity.name == DEFAULT_AGENT
        file: AgentFile = DefaultAgentFile() if default else AgentFile()
        problems: list[FileProblem] = []
        try:
            file = parse_agent(read(folder / "agent.toml", self.folder), default=default)
        except SettingsError as error:
            problems.append(FileProblem(path=folder / "agent.toml", error=error))
            # The rights that the file meant to give are unknown, so it gives the smallest.
            file = AgentFile()
        texts = {}
        for name in ("persona.md", "prompt.md"):
            try:
                texts[name], error_ = shortened(read(folder / name, self.folder))
            except SettingsError as error:
                texts[name], error_ = "", error
            if error_ is not None:
                problems.append(FileProblem(path=folder / name, error=error_))
        return Agent(
            id=identity,
            file=file,
            persona=texts["persona.md"],
            prompt=texts["prompt.md"],
            folder=folder,
            problems=tuple(problems),
            own=self._own.holds(identity, texts["persona.md"], texts["prompt.md"], file.display_name),
        )

    def _folder(self, workspace: str) -> Path:
        return child(self.folder, checked_name(workspace))

    def _agent_folder(self, identity: AgentId) -> Path:
        return child(self._folder(identity.workspace) / "agents", checked_name(identity.name))

    def _names_in(self, folder: Path) -> Iterator[str]:
        """The names of the folders in a folder that can be a workspace or an agent."""
        try:
            entries = sorted(folder.iterdir())
        except OSError:
            return
        for each in entries:
            if is_name(each.name) and each.is_dir() and is_own(each, self.folder):
                yield checked_name(each.name)

    def _check_phrase(self, identity: AgentId, file: AgentFile, *, chosen: bool) -> None:
        """Refuse a wake phrase that another agent has; if it is being chosen, also one that nobody could call."""
        others = [each for each in self.agents(identity.workspace) if each.id != identity]
        phrase = file.wake_phrase.strip()
        if (other := _woken_by(phrase, others)) is not None:
            raise _refused(phrase, "wake_phrase_taken", other)
        if not chosen or not phrase:
            return
        if not has_sounds(phrase):
            raise _refused(phrase, "wake_phrase_silent")
        near = next((each for each in others if alike(phrase, each.file.wake_phrase)), None)
        if near is not None:
            raise _refused(phrase, "wake_phrase_alike", near)

    def _bytes(self, path: Path) -> bytes:
        with suppress(OSError):
            return path.read_bytes() if is_own(path, self.folder) else b""
        return b""

    def _keep_bytes(self, path: Path, content: bytes) -> None:
        if not is_own(path, self.folder):
            raise StorageError(str(path), "this is a link to another place")
        if content:
            write_bytes(path, content)
            return
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(str(path), error.strerror or str(error), cause=error) from error

    def _write(self, path: Path, text: str) -> None:
        if not is_own(path, self.folder):
            raise StorageError(str(path), "this is a link to another place")
        write_text(path, text)

    def _add_folder(self, folder: Path, files: Mapping[str, str]) -> None:
        """Make a folder with files. After a crash it is there with all of them, or not at all."""
        if not is_own(folder.parent, self.folder):
            raise StorageError(str(folder.parent), "this is a link to another place")
        fresh: Path | None = None
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=UNFINISHED, dir=folder.parent))
            for name, text in files.items():
                write_text(fresh / name, text)
            fresh.rename(folder)
            sync_folder(folder.parent)
        except OSError as error:
            raise StorageError(str(folder), error.strerror or str(error), cause=error) from error
        finally:
            if fresh is not None:
                shutil.rmtree(fresh, ignore_errors=True)

    def _set_aside(self, folder: Path) -> Path:
        if not folder.is_dir() or not is_own(folder, self.folder):
            raise _missing("agent_unknown", folder.name, [])
        place = folder.parent / _REMOVED / f"{folder.name} {self._clock.now():%Y-%m-%d %H%M%S}"
        try:
            place.parent.mkdir(exist_ok=True)
            folder.rename(place)
            sync_folder(folder.parent)
        except OSError as error:
            raise StorageError(str(folder), error.strerror or str(error), cause=error) from error
        return place


def _woken_alone(agent: Agent, others: Collection[Agent]) -> Agent:
    """The agent, without its wake phrase when another one has it."""
    other = _woken_by(agent.file.wake_phrase, others)
    if other is None:
        return agent
    path = agent.folder / "agent.toml"
    try:
        lines = read_text(path).splitlines()
    except (OSError, UnicodeDecodeError):
        lines = []
    error = SettingsError(
        "wake_twice", line=line_of(lines, "wake_phrase"), value=agent.file.wake_phrase, agent=other.title
    )
    problems = (*agent.problems, FileProblem(path=path, error=error))
    return replace(agent, file=replace(agent.file, wake_phrase=""), problems=problems)


def _woken_by(phrase: str, agents: Collection[Agent]) -> Agent | None:
    wanted = spoken_form(phrase)
    return next((each for each in agents if wanted and spoken_form(each.file.wake_phrase) == wanted), None)


def _found(wanted: str, titles: Mapping[str, str]) -> str | None:
    """The name that is wanted by name or by title; ``None`` when there is none."""
    said = spoken_form(wanted)
    by_name = (name for name in titles if name == wanted)
    by_sound = (name for name, title in titles.items() if said and said in (spoken_form(name), spoken_form(title)))
    return next(by_name, next(by_sound, None))


def _refused(phrase: str, key: str, other: Agent | None = None) -> SoriError:
    values = {"phrase": phrase}
    if other is not None:
        values |= {"agent": other.title, "other": other.file.wake_phrase.strip()}
    return SoriError(ErrorCode.INVALID_REQUEST, f"the wake phrase {phrase!r}: {key}", message_key=key, values=values)


def _missing(key: str, name: str, known: Collection[str]) -> SoriError:
    values = {"name": name, "known": ", ".join(known)}
    return SoriError(ErrorCode.INVALID_REQUEST, f"{key}: {name!r}", message_key=key, values=values)


def _taken(name: str) -> SoriError:
    return SoriError(ErrorCode.INVALID_REQUEST, f"{name!r} is taken", message_key="name_taken", values={"name": name})
