"""The command line: ``sori`` (``python3 main.py``) and its subcommands.

Only what a command needs is imported when it runs, so that help, mistakes and typed commands answer at once.
"""

import argparse
import contextlib
import dataclasses
import errno
import logging
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import get_args

from assistant.app.cli.parser import Parser, number
from assistant.app.host.places import Places, default_home
from assistant.app.host.settings_file import interface_language, read_settings, settings_trouble, write_default
from assistant.app.host.texts import load_texts
from assistant.app.leaving import leave
from assistant.app.setup.display import has_display
from assistant.core.errors import ModelFileError, SettingsError, SoriError
from assistant.core.settings import RANGES, ReasoningEffort, Settings
from assistant.core.texts import Texts

VERSION = "0.1.0"

_USAGE_STATUS = 2
_INTERRUPTED_STATUS = 130
_DEFAULT_DAYS = 30
_DAYS = (1, 36_500)
_NO_MORE_TO_WRITE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
"""How writing to a stream fails, behind ``>``, say; of files of its own Sori tells otherwise, by their names."""
_ECHO_GAIN_DB = (-120, 20)
"""From what sixteen bits cannot hold up to what howls."""
_ECHO_DELAY_MS = (0, 10_000)


@dataclasses.dataclass(frozen=True, slots=True)
class Run:
    """What a command is run with.

    Attributes:
        places: the user's files.
        settings: what ``config.toml`` says.
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
    logging.getLogger().addHandler(logging.NullHandler())  # until there is a log, errors are told in words alone
    places = Places(default_home())
    texts = load_texts(interface_language(places.config))
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given[:1] == ["test"] and given[1:2] not in (["-h"], ["--help"]):
        # Everything that follows is pytest's, options too.
        parsed = argparse.Namespace(command="test", pytest_arguments=given[1:])
    else:
        parsed = build_parser(texts).parse_args(given)
    try:
        return _run_and_write(parsed, places, texts)
    except SettingsError as error:
        where = f"{places.config}:{error.line}" if error.line else str(places.config)
        detail, remedy = settings_trouble(error, texts)
        _say(texts("cli.bad_settings", where=where, detail=detail, remedy=remedy))
        return main(given) if _mended(parsed, places, error, texts) else _USAGE_STATUS
    except SoriError as error:
        logging.getLogger(__name__).exception("%s", error.message_key)
        _say(texts(error.message_key, **error.values))
        return 1
    except ImportError as error:
        logging.getLogger(__name__).exception("a part cannot be loaded")
        _say(texts("cli.missing_part", part=error.name or "?", reason=error))
        return 1
    except KeyboardInterrupt:
        _say(texts("cli.interrupted"))
        return _INTERRUPTED_STATUS
    except OSError as error:
        # Whoever read our output may have gone: then there is nobody to tell.
        if not isinstance(error, BrokenPipeError):
            if error.errno not in _NO_MORE_TO_WRITE or error.filename is not None:
                raise
            logging.getLogger(__name__).exception("standard output")
            _say(texts("cli.output_lost", reason=error.strerror or error))
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _mended(parsed: argparse.Namespace, places: Places, error: SettingsError, texts: Texts) -> bool:
    """Whether somebody who has no terminal before them has mended the settings meanwhile."""
    if (parsed.command or "start") != "start" or not has_display():
        return False
    try:
        from assistant.app.settings_window import ask_to_mend
    except ImportError:
        logging.getLogger(__name__).exception("the window cannot be loaded")
        return False
    return ask_to_mend(places.config, error, texts)


def _run_and_write(parsed: argparse.Namespace, places: Places, texts: Texts) -> int:
    status = _run(parsed, places, texts)
    if sys.stdout is not None:  # as it is where the caller has closed it
        sys.stdout.flush()
    return status


def _run(parsed: argparse.Namespace, places: Places, texts: Texts) -> int:
    command: str = parsed.command or "start"
    if command == "doctor":
        # It looks at settings that cannot be read too, so it reads them by itself.
        from assistant.app.commands.doctor import run as run_doctor

        return run_doctor(places, texts, as_json=parsed.json, online=parsed.online)
    if command == "test":
        from assistant.app.commands.test_run import run_tests

        return run_tests(places, parsed.pytest_arguments)
    from assistant.app.host.needed_models import for_this_machine

    settings = for_this_machine(read_settings(places.config), places.home)
    if not places.config.exists():
        write_default(places.config, texts)
    _start_logging(places, command, settings, texts)
    return _COMMANDS[command](Run(places, settings, texts, parsed))


def _start_logging(places: Places, command: str, settings: Settings, texts: Texts) -> None:
    from assistant.app.host.logs import log_uncaught, start_logging

    # Those of the keyring are struck out from the moment they are read, before which nobody has them.
    secrets = [os.environ.get(each.api_key_env, "") for each in settings.providers if each.api_key_env]
    secrets += [each.api_key for each in settings.providers]
    try:
        path = start_logging(places.logs, command, secrets)
    except OSError as error:
        _say(texts("cli.no_log", reason=error))
        return
    log_uncaught(path, texts("cli.uncaught", log="{log}"))


# The commands


def _start(run: Run) -> int:
    home = run.places.home
    if has_display():
        try:
            from assistant.app.window import run as run_window
        except ImportError as error:
            # Qt does not load without its system libraries; the terminal does.
            logging.getLogger(__name__).exception("the window cannot be loaded")
            _say(run.texts("cli.missing_part", part=error.name or "assistant.app.window", reason=error))
        else:
            return run_window(home, run.settings)
    if sys.stdin.isatty() and sys.stdout.isatty():
        from assistant.app.commands.console import run as run_console
        from assistant.app.host.needed_models import answering_models

        # Typing begins when something can answer. What only steps in, and the voice, come meanwhile.
        with contextlib.suppress(ModelFileError):
            _ensure(run, answering_models(run.settings))
        return run_console(home, run.settings)
    from assistant.app.commands.demo import run as run_demo
    from assistant.app.host.needed_models import needed_models

    _ensure(run, needed_models(run.settings))
    return run_demo(home, run.settings)


def _listen(run: Run) -> int:
    from assistant.app.cli.options import ListenOptions
    from assistant.app.commands.listen import run as run_listen
    from assistant.app.host.needed_models import needed_models

    given = run.arguments
    options = ListenOptions(**{each.name: getattr(given, each.name) for each in dataclasses.fields(ListenOptions)})
    _ensure(run, needed_models(_with_provider(run.settings, options.provider)))
    return run_listen(run.places.home, run.settings, options)


def _chat(run: Run) -> int:
    from assistant.app.cli.options import ChatOptions
    from assistant.app.commands.chat import chosen_settings, message_text
    from assistant.app.commands.chat import run as run_chat
    from assistant.app.host.needed_models import answering_models

    given = run.arguments
    asked = {each.name: getattr(given, each.name) for each in dataclasses.fields(ChatOptions)}
    text = message_text(given.text, sys.stdin.buffer)
    options = ChatOptions(**{**asked, "text": text, "images": tuple(given.images), "files": tuple(given.files)})
    # Many a message needs no model; one that does says what is wrong, and so does the command of a provider.
    with contextlib.suppress(ModelFileError, SettingsError):
        _ensure(run, answering_models(chosen_settings(run.settings, options)))
    return run_chat(run.places.home, run.settings, options)


def _models(run: Run) -> int:
    from assistant.app.commands.models import run as run_models

    return run_models(run.places, run.settings, run.texts, run.arguments)


def _voices(run: Run) -> int:
    from assistant.app.commands.voices import run as run_voices
    from assistant.app.host.model_store import open_store

    return run_voices(open_store(run.places.home), run.settings, run.texts, as_json=run.arguments.json)


def _say_aloud(run: Run) -> int:
    from assistant.app.commands.say import SayOptions, models_for
    from assistant.app.commands.say import run as run_say
    from assistant.app.host.needed_models import needed_voice_models

    given = run.arguments
    options = SayOptions(
        text=" ".join(given.text), voice=given.voice or "", language=given.language, output=given.output
    )
    # Where a voice cannot be had the next one speaks; what one that was asked for lacks is told.
    with contextlib.nullcontext() if options.voice else contextlib.suppress(ModelFileError):
        _ensure(run, models_for(options) or needed_voice_models(run.settings))
    return run_say(run.places.home, run.settings, run.texts, options)


def _providers(run: Run) -> int:
    from assistant.app.commands.providers import run as run_providers

    return run_providers(run.places, run.settings, run.texts, run.arguments)


def _egress(run: Run) -> int:
    from assistant.app.commands.egress import run as run_egress

    return run_egress(run.places, run.texts, run.arguments)


def _keys(run: Run) -> int:
    from assistant.app.commands.keys import run as run_keys

    return run_keys(run.places, run.settings, run.texts, run.arguments)


def _usage(run: Run) -> int:
    from assistant.app.commands.usage import run as run_usage

    return run_usage(run.places, run.texts, run.arguments)


def _toggle(run: Run) -> int:
    from assistant.app.commands.toggle import run as run_toggle

    return run_toggle(run.places.home)


_COMMANDS: dict[str, Callable[[Run], int]] = {
    "start": _start,
    "listen": _listen,
    "chat": _chat,
    "models": _models,
    "voices": _voices,
    "say": _say_aloud,
    "providers": _providers,
    "toggle": _toggle,
    "usage": _usage,
    "egress": _egress,
    "keys": _keys,
}


def _with_provider(settings: Settings, provider: str | None) -> Settings:
    return dataclasses.replace(
        settings, llm=dataclasses.replace(settings.llm, provider=provider or settings.llm.provider)
    )


def _ensure(run: Run, names: Sequence[str]) -> None:
    """Make models usable, with a bar for what has to be fetched."""
    from assistant.app.commands.models import FetchBars
    from assistant.app.host.model_store import open_store

    with FetchBars(run.texts, introduced=True) as bars:
        open_store(run.places.home).ensure(names, bars)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


# The grammar


def build_parser(texts: Texts) -> Parser:
    """The whole grammar of the command line, in the language of ``texts``."""
    parser = Parser(
        texts=texts,
        prog="sori",
        description=texts("cli.description"),
        epilog=texts("cli.epilog"),
    )
    parser.options.add_argument("--version", action="version", version=f"Sori {VERSION}", help=texts("cli.version"))
    commands = parser.add_subparsers(dest="command", title=texts("cli.commands"), metavar=texts("cli.command"))

    def command(name: str) -> Parser:
        return commands.add_parser(
            name, texts=texts, help=texts(f"cli.{name}.summary"), description=texts(f"cli.{name}.description")
        )

    test = command("test")
    test.arguments.add_argument(
        "pytest_arguments", nargs="*", metavar=texts("cli.test.metavar"), help=texts("cli.test.arguments")
    )
    _listen_grammar(command("listen"), texts)
    _chat_grammar(command("chat"), texts)
    _models_grammar(command("models"), texts)
    command("voices").options.add_argument("--json", action="store_true", help=texts("cli.models.list.json"))
    _say_grammar(command("say"), texts)
    doctor = command("doctor")
    doctor.options.add_argument("--json", action="store_true", help=texts("cli.doctor.json"))
    doctor.options.add_argument("--online", action="store_true", help=texts("cli.doctor.online"))
    providers = command("providers")
    providers.options.add_argument("--models", metavar=texts("cli.name"), help=texts("cli.providers.models"))
    providers.options.add_argument("--json", action="store_true", help=texts("cli.providers.json"))
    _usage_grammar(command("usage"), texts)
    _egress_grammar(command("egress"), texts)
    _keys_grammar(command("keys"), texts)
    command("toggle")
    return parser


def _add_days(parser: Parser, texts: Texts) -> None:
    days, metavar = number(texts, int, *_DAYS), texts("cli.number")
    parser.options.add_argument("--days", type=days, default=_DEFAULT_DAYS, metavar=metavar, help=texts("cli.days"))


def _egress_grammar(egress: Parser, texts: Texts) -> None:
    options = egress.options
    _add_days(egress, texts)
    options.add_argument("--all", action="store_true", help=texts("cli.egress.all"))
    options.add_argument("--json", action="store_true", help=texts("cli.usage.json"))


def _keys_grammar(keys: Parser, texts: Texts) -> None:
    actions = keys.add_subparsers(
        dest="action", title=texts("cli.commands"), metavar=texts("cli.command"), required=True
    )
    for name in ("list", "set", "remove"):
        words = texts(f"cli.keys.{name}.summary")
        action = actions.add_parser(name, texts=texts, help=words, description=words)
        if name != "list":
            action.arguments.add_argument("name", metavar=texts("cli.name"), help=texts("cli.keys.provider"))


def _usage_grammar(usage: Parser, texts: Texts) -> None:
    options = usage.options
    _add_days(usage, texts)
    options.add_argument("--by", choices=["model", "day", "provider"], help=texts("cli.usage.by"))
    options.add_argument("--json", action="store_true", help=texts("cli.usage.json"))
    options.add_argument("--plot", type=Path, metavar=texts("cli.file"), help=texts("cli.usage.plot"))


def _chat_grammar(chat: Parser, texts: Texts) -> None:
    options = chat.options

    def words(name: str) -> str:
        return texts(f"cli.chat.{name}")

    chat.arguments.add_argument("text", nargs="+", metavar=words("metavar"), help=words("text"))
    for name, kept in (("image", "images"), ("file", "files")):
        file = texts("cli.file")
        options.add_argument(
            f"--{name}", dest=kept, action="append", default=[], type=Path, metavar=file, help=words(name)
        )
    options.add_argument("--provider", metavar=texts("cli.name"), help=texts("cli.provider"))
    options.add_argument("--model", metavar=words("reference"), help=words("model"))
    options.add_argument("--reasoning", action=argparse.BooleanOptionalAction, help=words("reasoning"))
    efforts = get_args(ReasoningEffort)
    options.add_argument("--reasoning-effort", choices=efforts, help=words("reasoning_effort"))
    warmth = number(texts, float, *RANGES["llm.temperature"])
    options.add_argument("--temperature", type=warmth, metavar=texts("cli.number"), help=words("temperature"))
    options.add_argument("--tools", action=argparse.BooleanOptionalAction, default=True, help=words("tools"))
    options.add_argument("--json", action="store_true", help=words("json"))


def _say_grammar(say: Parser, texts: Texts) -> None:
    say.arguments.add_argument("text", nargs="+", metavar=texts("cli.chat.metavar"), help=texts("cli.say.text"))
    options = say.options
    options.add_argument("--voice", metavar=texts("cli.name"), help=texts("cli.say.voice"))
    options.add_argument("--language", choices=["ko", "en"], help=texts("cli.say.language"))
    options.add_argument("--output", type=Path, metavar=texts("cli.file"), help=texts("cli.say.output"))


def _listen_grammar(listen: Parser, texts: Texts) -> None:
    file, amount = texts("cli.file"), texts("cli.number")
    gain, delay = number(texts, float, *_ECHO_GAIN_DB), number(texts, int, *_ECHO_DELAY_MS)
    options = listen.options

    def words(name: str) -> str:
        return texts(f"cli.listen.{name}")

    options.add_argument("--input", type=Path, required=True, metavar=file, help=words("input"))
    options.add_argument("--output", type=Path, metavar=file, help=words("output"))
    options.add_argument("--pace", choices=["realtime", "fast"], default="fast", help=words("pace"))
    options.add_argument("--language", choices=["ko", "en"], help=words("language"))
    options.add_argument("--no-wake", action="store_true", help=words("no_wake"))
    options.add_argument("--echo-gain-db", type=gain, metavar=amount, help=words("echo_gain_db"))
    options.add_argument("--echo-delay-ms", type=delay, metavar=amount, default=60, help=words("echo_delay_ms"))
    options.add_argument("--cues", action="store_true", help=words("cues"))
    options.add_argument("--trace", type=Path, metavar=file, help=words("trace"))
    options.add_argument("--provider", metavar=texts("cli.name"), help=texts("cli.provider"))


def _models_grammar(models: Parser, texts: Texts) -> None:
    actions = models.add_subparsers(
        dest="action", title=texts("cli.commands"), metavar=texts("cli.command"), required=True
    )

    def action(name: str) -> Parser:
        words = texts(f"cli.models.{name}.summary")
        return actions.add_parser(name, texts=texts, help=words, description=words)

    action("list").options.add_argument("--json", action="store_true", help=texts("cli.models.list.json"))
    for name, count in (("pull", "*"), ("verify", "*"), ("remove", "+")):
        names = action(name)
        names.arguments.add_argument(
            "names", nargs=count, metavar=texts("cli.name"), help=texts(f"cli.models.{name}.names")
        )
        if name == "pull":
            names.options.add_argument(
                "--allow-unverified", action="store_true", help=texts("cli.models.pull.allow_unverified")
            )


if __name__ == "__main__":
    sys.exit(leave(main()))
