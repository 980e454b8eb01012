"""The command line: ``sori`` (``python3 main.py``) and its subcommands.

A command imports its modules when it runs, so that help and error messages appear at once.
"""

import argparse
import contextlib
import dataclasses
import errno
import logging
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from assistant.app.cli.escaped_output import escaped
from assistant.app.cli.failure import failure_of
from assistant.app.cli.grammar import parse
from assistant.app.leaving import leave
from assistant.app.qt import load_qt
from assistant.core.display.escaping import printable
from assistant.core.errors import ModelFileError, SettingsError, SoriError
from assistant.core.service.request import RefusedError
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.host.places import Places, default_home
from assistant.host.settings_file import interface_language, settings_trouble, write_default
from assistant.host.texts import load_texts
from assistant.setup.display import has_display

if TYPE_CHECKING:
    from assistant.app.cli.options import ChatOptions

_USAGE_STATUS = 2
_INTERRUPTED_STATUS = 130
_WITH_TOOLS = ("start", "serve", "chat", "ask", "listen")
"""The commands that may run tools."""
_ASKING = (
    *("chat", "ask", "projects", "files", "people", "flows", "telegram", "phone", "sync"),
    *("say", "memory", "conversations", "agents", "workspaces", "usage", "traces", "audit", "egress"),
    *("tools", "mcp", "prompt", "toggle", "dictate", "schedule"),
)
"""The commands that an engine that runs carries out with settings of its own."""
_WITH_A_SCREEN = (None, "start", "chat", "ask", "test")
"""The commands whose output is another program's, or a screen that moves the cursor and escapes each text itself."""
_NO_MORE_TO_WRITE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
"""Errors of writing to a redirected stream, such as a full disk after ``>``. Errors of Sori's own files have a file
name and other messages."""


@dataclasses.dataclass(frozen=True, slots=True)
class Invocation:
    """The input of a command.

    Attributes:
        places: the user's files.
        settings: the settings of ``config.toml``.
        texts: the user's words.
        arguments: the parsed command line.
    """

    places: Places
    settings: Settings
    texts: Texts
    arguments: argparse.Namespace


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line (``sys.argv`` by default); returns the exit status.

    0 is success, 1 an error that was explained, 2 a command line or settings file that cannot be understood.
    """
    logging.getLogger().addHandler(logging.NullHandler())  # until the log is open, errors are only printed
    places = Places(default_home())
    texts = load_texts(interface_language(places.config))
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given[:1] == ["test"] and given[1:2] not in (["-h"], ["--help"]):
        # All further arguments, including options, go to pytest.
        parsed = argparse.Namespace(command="test", pytest_arguments=given[1:])
    else:
        parsed = parse(given, texts)
    try:
        return _run_and_write(parsed, places, texts)
    except SettingsError as error:
        where = f"{places.config}:{error.line}" if error.line else str(places.config)
        detail, remedy = settings_trouble(error, texts)
        _say(texts("cli.bad_settings", where=where, detail=detail, remedy=remedy))
        return main(given) if _mended(parsed, places, error, texts) else _USAGE_STATUS
    except (SoriError, RefusedError, ImportError) as error:
        logging.getLogger(__name__).exception("%s", parsed.command or "start")
        return main(given) if _told(parsed, places, error, texts) else 1
    except KeyboardInterrupt:
        _say(texts("cli.interrupted"))
        return _INTERRUPTED_STATUS
    except OSError as error:
        if _lost_output(error, texts):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        if not _starts_a_window(parsed):
            raise
        logging.getLogger(__name__).exception("start")
        return main(given) if _told(parsed, places, error, texts) else 1


def _lost_output(error: OSError, texts: Texts) -> bool:
    """Whether the output cannot be written; told, unless its reader has ended, who needs no message."""
    if isinstance(error, BrokenPipeError):
        return True
    if error.errno not in _NO_MORE_TO_WRITE or error.filename is not None:
        return False
    logging.getLogger(__name__).exception("standard output")
    _say(texts("cli.output_lost", reason=error.strerror or error))
    return True


def _starts_a_window(parsed: argparse.Namespace) -> bool:
    """Whether the user expects a window, so that what prevents it is told in one: there may be no terminal."""
    return (parsed.command or "start") == "start" and has_display()


def _told(parsed: argparse.Namespace, places: Places, error: Exception, texts: Texts) -> bool:
    """Tell why a command failed, in a window too if it should have shown one; whether the user wants to try again."""
    failure = failure_of(error, places.home, texts)
    _say("\n".join(filter(None, (failure.words, failure.remedy, failure.hint))))
    if not _starts_a_window(parsed):
        return False
    try:
        from assistant.app.trouble_window import tell_failure
    except ImportError:
        from assistant.setup.plain_window import show_plainly

        show_plainly(texts("desktop.trouble.no_start"), "\n\n".join(filter(None, (failure.words, failure.remedy))))
        return False
    return tell_failure(failure, places.config, texts)


def _mended(parsed: argparse.Namespace, places: Places, error: SettingsError, texts: Texts) -> bool:
    """Show a window about the settings; return whether the user has corrected them."""
    if not _starts_a_window(parsed):
        return False
    try:
        from assistant.app.trouble_window import ask_to_mend
    except ImportError:
        logging.getLogger(__name__).exception("the window cannot be loaded")
        return False
    return ask_to_mend(places.config, error, texts)


def _run_and_write(parsed: argparse.Namespace, places: Places, texts: Texts) -> int:
    if sys.stdout is None or parsed.command in _WITH_A_SCREEN:
        status = _run(parsed, places, texts)
    else:
        with contextlib.ExitStack() as escaping:
            escaping.enter_context(contextlib.redirect_stdout(escaped(sys.stdout)))
            if sys.stderr is not None:
                escaping.enter_context(contextlib.redirect_stderr(escaped(sys.stderr)))
            status = _run(parsed, places, texts)
    if sys.stdout is not None:  # None if the caller has closed it
        sys.stdout.flush()
    return status


def _run(parsed: argparse.Namespace, places: Places, texts: Texts) -> int:
    command: str = parsed.command or "start"
    if command == "doctor":
        # It also checks unreadable settings, so it reads them itself.
        from assistant.app.commands.doctor import run as run_doctor

        return run_doctor(places, texts, as_json=parsed.json, online=parsed.online, export=parsed.export)
    if command == "test":
        from assistant.app.commands.test_run import TESTS, run_tests

        if not TESTS.is_dir():
            _say(texts("cli.test.not_here"))
            return 1
        return run_tests(places, parsed.pytest_arguments)
    if command == "settings":
        # It also mends an invalid file.
        from assistant.app.commands.settings import run as run_settings

        return run_settings(places, texts, parsed)
    settings = _settings(command, places)
    if not places.config.exists():
        write_default(places.config, texts)
    _start_logging(places, command, settings, texts)
    if settings.shell.folder and command in _WITH_TOOLS:
        _provide_sandbox()
    return _COMMANDS[command](Invocation(places, settings, texts, parsed))


def _settings(command: str, places: Places) -> Settings:
    """The settings of the file. While it has a mistake, what an engine that runs carries out needs none of them.

    Raises:
        SettingsError: the file has a mistake, and the command needs it.
    """
    from assistant.engine.settings.reading import settings_here

    try:
        return settings_here(places.config, places.home)
    except SettingsError:
        from assistant.remote.local.endpoint import is_running

        if command not in _ASKING or not is_running(places.home):
            raise
        return Settings(language=interface_language(places.config))


def _provide_sandbox() -> None:
    """Install the sandbox of shell commands where Sori may; elsewhere the engine says how to install it."""
    from assistant.setup.environment import own_environment
    from assistant.setup.system import provide
    from assistant.setup.words import Words, desktop_language

    provide(["shell"], own_environment(), Words(desktop_language()))


def _start_logging(places: Places, command: str, settings: Settings, texts: Texts) -> None:
    from assistant.host.logs import log_uncaught, start_logging

    # Keys from the keyring are removed from the log as soon as they have been read.
    secrets = [os.environ.get(each.api_key_env, "") for each in settings.providers if each.api_key_env]
    secrets += [each.api_key for each in settings.providers]
    try:
        path = start_logging(places.logs, command, secrets)
    except OSError as error:
        _say(texts("cli.no_log", reason=error))
        return
    log_uncaught(path, texts("cli.uncaught", log="{log}"))


# The commands


def _start(run: Invocation) -> int:
    home = run.places.home
    if has_display():
        try:
            load_qt()
            from assistant.app.window import run as run_window
        except ImportError as error:
            # Qt does not load without its system libraries; the terminal conversation needs none of them.
            from assistant.setup.plain_window import show_plainly

            logging.getLogger(__name__).exception("the window cannot be loaded")
            words = run.texts("cli.missing_part", part=error.name or "assistant.app.window", reason=error)
            _say(words)
            show_plainly(run.texts("desktop.trouble.no_start"), words)
        else:
            return run_window(home, run.settings, minimized=run.arguments.minimized)
    if sys.stdin.isatty() and sys.stdout.isatty():
        from assistant.app.commands.console import run as run_console
        from assistant.host.needed_models import answering_models

        # The prompt appears once the answering model is here. Fallback models and voices are fetched meanwhile.
        with contextlib.suppress(ModelFileError):
            _ensure(run, answering_models(run.settings))
        return run_console(home, run.settings)
    from assistant.app.commands.demo import run as run_demo
    from assistant.host.needed_models import needed_models

    _ensure(run, needed_models(run.settings))
    return run_demo(home, run.settings)


def _listen(run: Invocation) -> int:
    from assistant.app.cli.options import ListenOptions
    from assistant.app.commands.listen import run as run_listen
    from assistant.host.needed_models import needed_models

    given = run.arguments
    options = ListenOptions(**{each.name: getattr(given, each.name) for each in dataclasses.fields(ListenOptions)})
    _ensure(run, needed_models(_with_provider(run.settings, options.provider)))
    return run_listen(run.places.home, run.settings, options)


def _chat(run: Invocation) -> int:
    from assistant.app.cli.options import ChatOptions
    from assistant.app.commands.chat.command import message_text
    from assistant.app.commands.chat.command import run as run_chat
    from assistant.remote.local.endpoint import is_running

    given = run.arguments
    asked: dict[str, Any] = {each.name: getattr(given, each.name, None) for each in dataclasses.fields(ChatOptions)}
    typed = sys.stdin is not None and sys.stdin.isatty()
    if not given.text and typed and (given.json or not given.tools or not sys.stdout.isatty()):
        _say(run.texts("cli.chat.needs_text"))
        return _USAGE_STATUS
    converses = not given.text and typed
    words = given.text or ["-"]
    text = "" if converses else message_text(words, sys.stdin.buffer)
    # What comes from a pipe may be anybody's words.
    own = " ".join(words[:-1]) if words[-1] == "-" and not converses else None
    files = {"images": tuple(given.images), "files": tuple(given.files)}
    options = ChatOptions(**{**asked, "text": text, "typed": own, **files})
    if converses:
        from assistant.app.commands.console import run as run_console

        if not is_running(run.places.home):
            _ensure_answers(run, options)
        return run_console(run.places.home, run.settings, options)
    return run_chat(run.places.home, run.settings, options, lambda: _ensure_answers(run, options))


def _ensure_answers(run: Invocation, options: "ChatOptions") -> None:
    """Make the answering models usable. A message that needs one reports what is missing, and a wrong provider."""
    from assistant.agent.model_choice import answering_alone
    from assistant.host.needed_models import answering_models

    with contextlib.suppress(SoriError):
        _ensure(run, answering_models(answering_alone(run.settings, options.provider or "", options.model or "")))


def _models(run: Invocation) -> int:
    from assistant.app.commands.models import run as run_models

    return run_models(run.places, run.settings, run.texts, run.arguments)


def _voices(run: Invocation) -> int:
    from assistant.app.commands.voices import run as run_voices
    from assistant.host.model_store import open_store

    return run_voices(open_store(run.places.home), run.settings, run.texts, as_json=run.arguments.json)


def _audio_check(run: Invocation) -> int:
    from assistant.app.commands.sound.audio_check import CheckOptions
    from assistant.app.commands.sound.audio_check import run as run_check

    given = run.arguments
    options = CheckOptions(seconds=given.seconds, apply=given.apply, as_json=given.json)
    return run_check(run.places.config, run.settings, run.texts, options)


def _say_aloud(run: Invocation) -> int:
    from assistant.app.commands.say import SayOptions, models_for
    from assistant.app.commands.say import run as run_say
    from assistant.host.needed_models import needed_voice_models
    from assistant.remote.local.endpoint import is_running

    given = run.arguments
    options = SayOptions(
        text=" ".join(given.text), voice=given.voice or "", language=given.language, output=given.output
    )
    if not is_running(run.places.home):
        # If a default voice cannot be fetched, the next one speaks. For one that the user names, the error is reported.
        with contextlib.nullcontext() if options.voice else contextlib.suppress(ModelFileError):
            _ensure(run, models_for(options) or needed_voice_models(run.settings))
    return run_say(run.places.home, run.settings, run.texts, options)


def _providers(run: Invocation) -> int:
    from assistant.app.commands.providers import run as run_providers

    return run_providers(run.places, run.settings, run.texts, run.arguments)


def _egress(run: Invocation) -> int:
    from assistant.app.commands.records.egress import run as run_egress

    return run_egress(run.places, run.texts, run.arguments)


def _tools(run: Invocation) -> int:
    from assistant.app.commands.records.tools import run as run_tools

    return run_tools(run.places, run.texts, run.arguments)


def _keys(run: Invocation) -> int:
    from assistant.app.commands.keys import run as run_keys

    return run_keys(run.places, run.settings, run.texts, run.arguments)


def _tokens(run: Invocation) -> int:
    from assistant.app.commands.tokens import run as run_tokens

    return run_tokens(run.places, run.settings, run.texts, run.arguments)


def _web(run: Invocation) -> int:
    from assistant.app.commands.tokens import sign_in

    return sign_in(run.places, run.settings, run.texts, run.arguments)


def _memory(run: Invocation) -> int:
    from assistant.app.commands.memory.memory import run as run_memory

    return run_memory(run.places, run.settings, run.texts, run.arguments)


def _prompt(run: Invocation) -> int:
    from assistant.app.commands.prompt import run as run_prompt

    return run_prompt(run.places, run.settings, run.texts, run.arguments)


def _agents(run: Invocation) -> int:
    from assistant.app.commands.workspaces.agents import run as run_agents

    return run_agents(run.places, run.settings, run.texts, run.arguments)


def _workspaces(run: Invocation) -> int:
    from assistant.app.commands.workspaces.workspaces import run as run_workspaces

    return run_workspaces(run.places, run.settings, run.texts, run.arguments)


def _conversations(run: Invocation) -> int:
    from assistant.app.commands.conversations.command import run as run_conversations

    return run_conversations(run.places, run.texts, run.arguments)


def _telegram(run: Invocation) -> int:
    from assistant.app.commands.telegram.telegram import run as run_telegram

    return run_telegram(run.places, run.settings, run.texts, run.arguments)


def _phone(run: Invocation) -> int:
    from assistant.app.commands.phone.phone import run as run_phone

    return run_phone(run.places, run.settings, run.texts, run.arguments)


def _sync(run: Invocation) -> int:
    from assistant.app.commands.sync.sync import run as run_sync

    return run_sync(run.places, run.settings, run.texts, run.arguments)


def _people(run: Invocation) -> int:
    from assistant.app.commands.people.people import run as run_people

    return run_people(run.places, run.texts, run.arguments)


def _schedule(run: Invocation) -> int:
    from assistant.app.commands.schedule import run as run_schedule

    return run_schedule(run.places, run.settings, run.texts, run.arguments)


def _flows(run: Invocation) -> int:
    from assistant.app.commands.flows.command import run as run_flows

    return run_flows(run.places, run.settings, run.texts, run.arguments)


def _projects(run: Invocation) -> int:
    from assistant.app.commands.projects.projects import run as run_projects

    return run_projects(run.places, run.texts, run.arguments)


def _files(run: Invocation) -> int:
    from assistant.app.commands.projects.files import run as run_files

    return run_files(run.places, run.texts, run.arguments)


def _usage(run: Invocation) -> int:
    from assistant.app.commands.records.usage import run as run_usage

    return run_usage(run.places, run.texts, run.arguments)


def _traces(run: Invocation) -> int:
    from assistant.app.commands.records.traces import run as run_traces

    return run_traces(run.places, run.texts, run.arguments)


def _audit(run: Invocation) -> int:
    from assistant.app.commands.records.audit import run as run_audit

    return run_audit(run.places, run.texts, run.arguments)


def _mcp(run: Invocation) -> int:
    from assistant.app.commands.mcp.command import run as run_mcp

    return run_mcp(run.places, run.texts, run.arguments)


def _desktop(run: Invocation) -> int:
    from assistant.app.commands.desktop import run as run_desktop

    return run_desktop(run.texts, run.arguments.action)


def _toggle(run: Invocation) -> int:
    from assistant.app.commands.toggle import run as run_toggle
    from assistant.core.service.requests.voice import ToggleVoice

    return run_toggle(run.places.home, ToggleVoice())


def _dictate(run: Invocation) -> int:
    from assistant.app.commands.toggle import run as run_toggle
    from assistant.core.service.requests.voice import ToggleDictation

    return run_toggle(run.places.home, ToggleDictation())


def _serve(run: Invocation) -> int:
    from assistant.app.commands import serve

    if run.arguments.unit:
        sys.stdout.write(serve.unit(run.places.home, hears=run.arguments.hears))
        return 0
    return serve.run(run.places.home, run.settings, hears=run.arguments.hears, waits=run.arguments.wait)


_COMMANDS: dict[str, Callable[[Invocation], int]] = {
    "start": _start,
    "listen": _listen,
    "chat": _chat,
    "ask": _chat,
    "models": _models,
    "voices": _voices,
    "say": _say_aloud,
    "audio-check": _audio_check,
    "providers": _providers,
    "serve": _serve,
    "toggle": _toggle,
    "desktop": _desktop,
    "dictate": _dictate,
    "usage": _usage,
    "egress": _egress,
    "traces": _traces,
    "audit": _audit,
    "tools": _tools,
    "conversations": _conversations,
    "projects": _projects,
    "people": _people,
    "telegram": _telegram,
    "phone": _phone,
    "sync": _sync,
    "flows": _flows,
    "files": _files,
    "agents": _agents,
    "workspaces": _workspaces,
    "memory": _memory,
    "schedule": _schedule,
    "prompt": _prompt,
    "mcp": _mcp,
    "keys": _keys,
    "tokens": _tokens,
    "web": _web,
}


def _with_provider(settings: Settings, provider: str | None) -> Settings:
    return dataclasses.replace(
        settings, llm=dataclasses.replace(settings.llm, provider=provider or settings.llm.provider)
    )


def _ensure(run: Invocation, names: Sequence[str]) -> None:
    """Make models usable, with a progress bar for each download."""
    from assistant.app.commands.models import FetchBars
    from assistant.host.model_store import open_store

    with FetchBars(run.texts, introduced=True) as bars:
        open_store(run.places.home).ensure(names, bars)


def _say(text: str) -> None:
    sys.stderr.write(f"{printable(text)}\n")


if __name__ == "__main__":
    sys.exit(leave(main()))
