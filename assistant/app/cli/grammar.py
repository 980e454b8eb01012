"""The grammar of the command line: every command with its arguments and options.

The choices and limits of a command are imported when its arguments are needed, so that the help appears at once.
"""

import argparse
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Final, get_args

from assistant.app.cli.parser import Parser, number, own_words_in
from assistant.core.configuration.catalogue import single_settings
from assistant.core.settings import Language, ReasoningEffort
from assistant.core.texts import Texts
from assistant.core.version import VERSION
from assistant.host.texts import TRANSLATIONS
from assistant.storage.file_names import existing

_DEFAULT_DAYS = 30
_DAYS = (1, 36_500)
_ENTRIES = (1, 1_000_000)
_ECHO_GAIN_DB = (-120, 20)
"""From below the range of 16-bit samples up to feedback."""
_ECHO_DELAY_MS = (0, 10_000)
_CHECK_SECONDS = (1, 60)
_CHECK_DEFAULT_S = 4.0


def parse(arguments: Sequence[str], texts: Texts) -> argparse.Namespace:
    """Parse a command line; help and errors are printed in the language of ``texts``.

    Raises:
        SystemExit: the user asked for help or the version (status 0), or the command line is invalid (status 2).
    """
    given, words = _command_apart(arguments)
    with own_words_in(texts.language, TRANSLATIONS):
        parsed = build_parser(texts, _COMMANDS.keys() & set(given)).parse_args(given)
    if words:
        parsed.words = [*parsed.words, *words]
    return parsed


def _command_apart(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Part the command that ``mcp add`` adds from Sori's own options: argparse finds no words after an option."""
    given = list(arguments)
    if given[:2] != ["mcp", "add"] or "--" not in given:
        return given, []
    place = given.index("--")
    return given[:place], given[place + 1 :]


def build_parser(texts: Texts, chosen: Collection[str] | None = None) -> Parser:
    """Build the parser of the command line, in the language of ``texts``.

    Args:
        texts: the words of help and errors.
        chosen: the commands whose arguments are needed. The others take none, which saves half of the time. ``None``
            for all commands.
    """
    parser = Parser(
        prog="sori",
        description=texts("cli.description"),
        epilog=texts("cli.epilog"),
    )
    parser.add_argument("--version", action="version", version=f"Sori {VERSION}", help=texts("cli.version"))
    parser.add_argument("--minimized", action="store_true", help=texts("cli.minimized"))
    commands = parser.add_subparsers(dest="command", title=texts("cli.commands"), metavar=texts("cli.command"))
    for name, add_arguments in _COMMANDS.items():
        description = texts(f"cli.{name}.description")
        command = commands.add_parser(name, help=texts(f"cli.{name}.summary"), description=description)
        if chosen is None or name in chosen:
            add_arguments(command, texts)
    return parser


def existing_file(text: str) -> Path:
    """The path of a file that is read; its name may be typed in another normal form than the file has."""
    return existing(Path(text))


def _no_grammar(command: Parser, texts: Texts) -> None:
    """The command takes no arguments."""


def _test_grammar(test: Parser, texts: Texts) -> None:
    test.add_argument(
        "pytest_arguments", nargs="*", metavar=texts("cli.test.metavar"), help=texts("cli.test.arguments")
    )


def _voices_grammar(voices: Parser, texts: Texts) -> None:
    voices.add_argument("--json", action="store_true", help=texts("cli.models.list.json"))


def _doctor_grammar(doctor: Parser, texts: Texts) -> None:
    doctor.add_argument("--json", action="store_true", help=texts("cli.doctor.json"))
    doctor.add_argument("--online", action="store_true", help=texts("cli.doctor.online"))
    doctor.add_argument("--export", metavar="ZIP", type=Path, help=texts("cli.doctor.export"))


def _serve_grammar(serve: Parser, texts: Texts) -> None:
    serve.add_argument("--no-voice", dest="hears", action="store_false", help=texts("cli.serve.no_voice"))
    serve.add_argument("--wait", action="store_true", help=texts("cli.serve.wait"))
    serve.add_argument("--unit", action="store_true", help=texts("cli.serve.unit"))


def _desktop_grammar(desktop: Parser, texts: Texts) -> None:
    desktop.add_argument("action", choices=["install", "remove"], help=texts("cli.desktop.action"))


def _audio_check_grammar(check: Parser, texts: Texts) -> None:
    seconds, metavar = number(texts, float, *_CHECK_SECONDS), texts("cli.number")
    check.add_argument(
        "--seconds", type=seconds, default=_CHECK_DEFAULT_S, metavar=metavar, help=texts("cli.audio-check.seconds")
    )
    check.add_argument("--apply", action="store_true", help=texts("cli.audio-check.apply"))
    check.add_argument("--json", action="store_true", help=texts("cli.audio-check.json"))


def _actions(command: Parser, texts: Texts, *, required: bool = True) -> "argparse._SubParsersAction[Parser]":
    """The actions of a command, such as ``list``; each is added to it."""
    words, metavar = texts("cli.commands"), texts("cli.command")
    return command.add_subparsers(dest="action", title=words, metavar=metavar, required=required)


def _providers_grammar(providers: Parser, texts: Texts) -> None:
    providers.add_argument("--models", metavar=texts("cli.name"), help=texts("cli.providers.models"))
    providers.add_argument("--json", action="store_true", help=texts("cli.providers.json"))


def _traces_grammar(traces: Parser, texts: Texts) -> None:
    traces.add_argument("id", nargs="?", metavar=texts("cli.traces.metavar"), help=texts("cli.traces.id"))
    traces.add_argument("--json", action="store_true", help=texts("cli.usage.json"))


def _audit_grammar(audit: Parser, texts: Texts) -> None:
    audit.add_argument("id", nargs="?", metavar=texts("cli.audit.metavar"), help=texts("cli.audit.id"))
    audit.add_argument("--http", action="store_true", help=texts("cli.audit.http"))
    audit.add_argument("--json", action="store_true", help=texts("cli.usage.json"))


def _add_days(parser: Parser, texts: Texts) -> None:
    days, metavar = number(texts, int, *_DAYS), texts("cli.number")
    parser.add_argument("--days", type=days, default=_DEFAULT_DAYS, metavar=metavar, help=texts("cli.days"))


def _egress_grammar(egress: Parser, texts: Texts) -> None:
    _add_days(egress, texts)
    egress.add_argument("--all", action="store_true", help=texts("cli.egress.all"))
    egress.add_argument("--json", action="store_true", help=texts("cli.usage.json"))


def _conversations_grammar(conversations: Parser, texts: Texts) -> None:
    actions = _actions(conversations, texts)
    _transfer_grammar(actions, texts)
    for name in ("list", "search", "show", "rename", "delete"):
        words = texts(f"cli.conversations.{name}.summary")
        action = actions.add_parser(name, help=words, description=words)
        if name == "search":
            action.add_argument(
                "text", nargs="+", metavar=texts("cli.chat.metavar"), help=texts("cli.conversations.search.text")
            )
        if name in ("show", "rename", "delete"):
            metavar = texts("cli.conversations.metavar")
            action.add_argument("id", metavar=metavar, help=texts("cli.conversations.id"))
        else:
            most, metavar = number(texts, int, *_ENTRIES), texts("cli.number")
            action.add_argument("--limit", type=most, metavar=metavar, help=texts("cli.conversations.limit"))
            action.add_argument("--json", action="store_true", help=texts("cli.usage.json"))
        if name == "rename":
            title = texts("cli.conversations.rename.title")
            action.add_argument("title", nargs="*", metavar=texts("cli.chat.metavar"), help=title)
        if name == "delete":
            action.add_argument("--yes", action="store_true", help=texts("cli.conversations.delete.yes"))


def _prompt_grammar(prompt: Parser, texts: Texts) -> None:
    actions = _actions(prompt, texts)
    for name in ("show", "edit", "set", "reset"):
        words = texts(f"cli.prompt.{name}.summary")
        action = actions.add_parser(name, help=words, description=words)
        action.add_argument("--language", choices=get_args(Language), help=texts("cli.prompt.language"))
        if name == "show":
            action.add_argument("--packaged", action="store_true", help=texts("cli.prompt.show.packaged"))
        if name == "set":
            action.add_argument("--file", required=True, metavar=texts("cli.name"), help=texts("cli.prompt.set.file"))


def _agents_grammar(agents: Parser, texts: Texts) -> None:
    actions = _actions(agents, texts)
    name = texts("cli.name")
    for each in ("list", "show", "add", "edit", "approve", "enroll", "use", "remove"):
        words = texts(f"cli.agents.{each}.summary")
        action = actions.add_parser(each, help=words, description=words)
        if each != "list":
            action.add_argument("name", metavar=name, help=texts("cli.agents.name"))
        action.add_argument("--workspace", metavar=name, help=texts("cli.agents.workspace"))
        if each in ("list", "show"):
            action.add_argument("--json", action="store_true", help=texts("cli.usage.json"))
        if each == "enroll":
            files = texts("cli.agents.enroll.recording")
            action.add_argument(
                "--recording", nargs="+", type=existing_file, default=(), metavar=texts("cli.file"), help=files
            )
        if each == "approve":
            action.add_argument("--yes", action="store_true", help=texts("cli.agents.approve.yes"))
        if each in ("add", "edit"):
            for option in ("display_name", "permitted", "tools", "model", "wake_phrase", "wake_spellings", "voice"):
                flag = f"--{option.replace('_', '-')}"
                action.add_argument(flag, metavar=name, help=texts(f"cli.agents.option.{option}"))
            placement = texts("cli.agents.option.placement")
            action.add_argument("--placement", choices=["newest", "replace"], help=placement)
            for text in ("persona", "prompt"):
                metavar = texts("cli.chat.metavar")
                action.add_argument(f"--{text}", metavar=metavar, help=texts(f"cli.agents.option.{text}"))


def _workspaces_grammar(workspaces: Parser, texts: Texts) -> None:
    actions = _actions(workspaces, texts)
    for each in ("list", "add", "use", "remove"):
        words = texts(f"cli.workspaces.{each}.summary")
        action = actions.add_parser(each, help=words, description=words)
        if each == "list":
            action.add_argument("--json", action="store_true", help=texts("cli.usage.json"))
        else:
            action.add_argument("name", metavar=texts("cli.name"), help=texts("cli.workspaces.name"))
        if each == "add":
            action.add_argument("--title", metavar=texts("cli.name"), help=texts("cli.workspaces.title"))


def _transfer_grammar(actions: "argparse._SubParsersAction[Parser]", texts: Texts) -> None:
    words = texts("cli.conversations.export.summary")
    export = actions.add_parser("export", help=words, description=words)
    which = export.add_mutually_exclusive_group(required=True)
    which.add_argument("id", nargs="?", metavar=texts("cli.conversations.metavar"), help=texts("cli.conversations.id"))
    which.add_argument("--all", action="store_true", help=texts("cli.conversations.export.all"))
    export.add_argument(
        "--format", choices=["md", "json"], default="json", help=texts("cli.conversations.export.format")
    )
    file = texts("cli.file")
    export.add_argument("--output", type=Path, metavar=file, help=texts("cli.conversations.export.output"))
    words = texts("cli.conversations.import.summary")
    taking = actions.add_parser("import", help=words, description=texts("cli.conversations.import.description"))
    taking.add_argument("file", type=existing_file, metavar=file, help=texts("cli.conversations.import.file"))


def _settings_grammar(settings: Parser, texts: Texts) -> None:
    actions = _actions(settings, texts)
    for name in ("list", "get", "set", "reset"):
        words = texts(f"cli.settings.{name}.summary")
        action = actions.add_parser(name, help=words, description=words)
        action.add_argument("--json", action="store_true", help=texts("cli.settings.json"))
        if name == "list":
            action.add_argument("--all", action="store_true", help=texts("cli.settings.all"))
            continue
        action.add_argument("name", metavar=texts("cli.name"), help=texts("cli.settings.name"))
        if name == "set":
            metavar = texts("cli.settings.metavar")
            action.add_argument("value", nargs="*", metavar=metavar, help=texts("cli.settings.value"))


def _memory_grammar(memory: Parser, texts: Texts) -> None:
    from assistant.memory.snapshots import MOST_SNAPSHOTS

    actions = _actions(memory, texts)
    for name in ("list", "show", "add", "forget", "undo", "snapshots", "restore"):
        words = texts(f"cli.memory.{name}.summary")
        action = actions.add_parser(name, help=words, description=words)
        if name == "undo":
            continue  # of whichever memory the newest change was
        scopes = ["personal", "workspace", "agent"]
        # Without a scope the copies of all memories are shown, because a notice names none.
        scope = None if name == "snapshots" else "personal"
        action.add_argument("--scope", choices=scopes, default=scope, help=texts("cli.memory.scope"))
        action.add_argument("--workspace", metavar=texts("cli.name"), help=texts("cli.agents.workspace"))
        action.add_argument("--agent", metavar=texts("cli.name"), help=texts("cli.memory.agent"))
        if name in ("list", "snapshots"):
            action.add_argument("--json", action="store_true", help=texts("cli.usage.json"))
        elif name == "restore":
            which = number(texts, int, 1, MOST_SNAPSHOTS)
            help_text = texts("cli.memory.restore.number")
            action.add_argument("number", nargs="?", type=which, default=1, metavar=texts("cli.number"), help=help_text)
        else:
            action.add_argument(
                "text", nargs="+", metavar=texts("cli.chat.metavar"), help=texts(f"cli.memory.{name}.text")
            )


def _schedule_grammar(schedule: Parser, texts: Texts) -> None:
    actions = _actions(schedule, texts)
    words_metavar = texts("cli.chat.metavar")
    for name in ("list", "add", "change", "pause", "resume", "run", "remove"):
        words = texts(f"cli.schedule.{name}.summary")
        action = actions.add_parser(name, help=words, description=words)
        if name == "list":
            action.add_argument("--json", action="store_true", help=texts("cli.usage.json"))
        elif name == "add":
            action.add_argument("words", nargs="+", metavar=words_metavar, help=texts("cli.schedule.words"))
        else:
            action.add_argument("id", metavar=texts("cli.schedule.metavar"), help=texts("cli.schedule.id"))
        if name in ("add", "change"):
            when = texts("cli.schedule.when")
            action.add_argument("--when", required=name == "add", metavar=words_metavar, help=when)
        if name == "add":
            action.add_argument("--repeat", metavar=words_metavar, help=texts("cli.schedule.repeat"))
        if name == "change":
            action.add_argument("--words", metavar=words_metavar, help=texts("cli.schedule.words"))


def _tools_grammar(tools: Parser, texts: Texts) -> None:
    action = texts("cli.command")
    tools.add_argument(
        "action", nargs="?", choices=["ask", "unask", "off", "on", "forget"], help=texts("cli.tools.action")
    )
    tools.add_argument("names", nargs="*", metavar=texts("cli.name"), help=texts("cli.tools.names", command=action))


def _tokens_grammar(tokens: Parser, texts: Texts) -> None:
    actions = _actions(tokens, texts, required=False)
    for name in ("list", "add", "revoke"):
        words = texts(f"cli.tokens.{name}.summary")
        action = actions.add_parser(name, help=words, description=words)
        if name != "list":
            action.add_argument("name", metavar=texts("cli.name"), help=texts("cli.tokens.name"))
        if name == "add":
            _add_categories(action, texts, "safe")
            action.add_argument("--manage", action="store_true", help=texts("cli.tokens.manage"))


def _telegram_grammar(telegram: Parser, texts: Texts) -> None:
    actions = _actions(telegram, texts)
    for name in ("setup", "status", "code", "unlink", "run", "drop"):
        words = texts(f"cli.telegram.{name}.summary")
        action = actions.add_parser(name, help=words, description=words)
        if name == "setup":
            action.add_argument("--in-file", action="store_true", help=texts("cli.telegram.in_file"))
        elif name == "code":
            for each in ("workspace", "agent"):
                action.add_argument(f"--{each}", metavar=texts("cli.name"), help=texts(f"cli.telegram.{each}"))
        elif name == "unlink":
            which = action.add_mutually_exclusive_group(required=True)
            which.add_argument("chat", nargs="?", metavar=texts("cli.name"), help=texts("cli.telegram.chat"))
            which.add_argument("--all", action="store_true", help=texts("cli.telegram.all"))
        elif name in ("run", "drop"):
            action.add_argument("number", nargs="?", metavar=texts("cli.number"), help=texts("cli.telegram.number"))


def _phone_grammar(phone: Parser, texts: Texts) -> None:
    actions = _actions(phone, texts)
    for name in ("on", "off", "code", "list", "allow", "revoke"):
        words = texts(f"cli.phone.{name}.summary")
        action = actions.add_parser(name, help=words, description=words)
        if name in ("allow", "revoke"):
            action.add_argument("name", metavar=texts("cli.name"), help=texts("cli.phone.name"))
        if name == "allow":
            for each in ("tools", "changes"):
                action.add_argument(f"--{each}", action="store_true", help=texts(f"cli.phone.{each}"))


def _sync_grammar(sync: Parser, texts: Texts) -> None:
    actions = _actions(sync, texts)
    for name in (
        "setup",
        "invite",
        "upgrade",
        "password",
        "status",
        "devices",
        "revoke",
        "rotate",
        "pause",
        "resume",
        "leave",
        "differences",
    ):
        words = texts(f"cli.sync.{name}.summary")
        action = actions.add_parser(name, help=words, description=words)
        if name == "setup":
            action.add_argument("address", nargs="?", metavar=texts("cli.sync.metavar"), help=texts("cli.sync.address"))
            action.add_argument("--device", metavar=texts("cli.name"), help=texts("cli.sync.device"))
            action.add_argument("--code", action="store_true", help=texts("cli.sync.code"))
            action.add_argument("--new", action="store_true", help=texts("cli.sync.new"))
            action.add_argument("--in-file", action="store_true", help=texts("cli.sync.in_file"))
        elif name == "upgrade":
            action.add_argument("address", nargs="?", metavar=texts("cli.sync.metavar"), help=texts("cli.sync.owner"))
        elif name == "devices":
            action.add_argument("--all", action="store_true", help=texts("cli.sync.all"))
        elif name == "revoke":
            action.add_argument("which", metavar=texts("cli.name"), help=texts("cli.sync.which"))
        elif name == "differences":
            number_of = number(texts, int, 1, 1_000_000)
            action.add_argument("--put-away", type=number_of, metavar="N", help=texts("cli.sync.number"))


def _web_grammar(web: Parser, texts: Texts) -> None:
    _add_categories(web, texts, "safe,sensitive")


def _add_categories(parser: Parser, texts: Texts, default: str) -> None:
    metavar, words = texts("cli.tokens.metavar"), texts("cli.tokens.categories", default=default)
    parser.add_argument("--categories", default=default, metavar=metavar, help=words)


def _mcp_grammar(mcp: Parser, texts: Texts) -> None:
    from assistant.tools.mcp.other_apps.places import App

    actions = _actions(mcp, texts)
    for name in ("list", "show", "add", "remove", "import", "approve", "category", "revoke", "enable", "disable"):
        words = texts(f"cli.mcp.{name}.summary")
        action = actions.add_parser(name, help=words, description=words)
        if name not in ("list", "import"):
            action.add_argument("name", metavar=texts("cli.name"), help=texts("cli.mcp.name"))
        if name in ("list", "show"):
            action.add_argument("--json", action="store_true", help=texts("cli.usage.json"))
        if name in ("add", "import"):
            action.add_argument("--replace", action="store_true", help=texts(f"cli.mcp.{name}.replace"))
        if name == "add":
            _mcp_entry_grammar(action, texts)
        if name == "import":
            source = action.add_mutually_exclusive_group()
            source.add_argument(
                "file", nargs="?", type=existing_file, metavar=texts("cli.file"), help=texts("cli.mcp.import.file")
            )
            source.add_argument(
                "--from", dest="app", choices=[each.value for each in App], help=texts("cli.mcp.import.from")
            )
        if name == "approve":
            action.add_argument("--yes", action="store_true", help=texts("cli.mcp.approve.yes"))
        if name == "category":
            action.add_argument(
                "tool", metavar=texts("cli.mcp.category.tool"), help=texts("cli.mcp.category.tool_help")
            )
            choices = ["safe", "sensitive", "restricted", "default"]
            action.add_argument("category", choices=choices, help=texts("cli.mcp.category.choices"))


def _mcp_entry_grammar(add: Parser, texts: Texts) -> None:
    from assistant.core.permissions import Category
    from assistant.tools.mcp.entries import LONGEST_TIMEOUT_S

    add.add_argument("words", nargs="*", metavar=texts("cli.command"), help=texts("cli.mcp.add.words"))
    add.add_argument("--url", metavar="URL", help=texts("cli.mcp.add.url"))
    for option, metavar in (("header", "NAME: VALUE"), ("env", "NAME=VALUE")):
        add.add_argument(
            f"--{option}", action="append", default=[], metavar=metavar, help=texts(f"cli.mcp.add.{option}")
        )
    add.add_argument("--cwd", metavar=texts("cli.mcp.folder"), help=texts("cli.mcp.add.cwd"))
    add.add_argument("--category", choices=[each.value for each in Category], help=texts("cli.mcp.add.category"))
    seconds = number(texts, float, 1, LONGEST_TIMEOUT_S)
    add.add_argument("--timeout", type=seconds, metavar=texts("cli.number"), help=texts("cli.mcp.add.timeout"))


def _keys_grammar(keys: Parser, texts: Texts) -> None:
    actions = _actions(keys, texts)
    for name in ("list", "set", "remove"):
        words = texts(f"cli.keys.{name}.summary")
        action = actions.add_parser(name, help=words, description=words)
        if name != "list":
            action.add_argument("name", metavar=texts("cli.name"), help=texts("cli.keys.provider"))


def _usage_grammar(usage: Parser, texts: Texts) -> None:
    _add_days(usage, texts)
    usage.add_argument("--by", choices=["model", "day", "provider"], help=texts("cli.usage.by"))
    usage.add_argument("--json", action="store_true", help=texts("cli.usage.json"))
    usage.add_argument("--plot", type=Path, metavar=texts("cli.file"), help=texts("cli.usage.plot"))


def _chat_grammar(chat: Parser, texts: Texts) -> None:

    def words(name: str) -> str:
        return texts(f"cli.chat.{name}")

    chat.add_argument("text", nargs="*", metavar=words("metavar"), help=words("text"))
    which = chat.add_mutually_exclusive_group()
    which.add_argument("--continue", dest="newest", action="store_true", help=words("continue"))
    which.add_argument("--conversation", metavar=texts("cli.conversations.metavar"), help=words("conversation"))
    for name, kept in (("image", "images"), ("file", "files")):
        file = texts("cli.file")
        chat.add_argument(
            f"--{name}", dest=kept, action="append", default=[], type=existing_file, metavar=file, help=words(name)
        )
    chat.add_argument("--project", metavar=texts("cli.name"), help=words("project"))
    chat.add_argument("--provider", metavar=texts("cli.name"), help=texts("cli.provider"))
    chat.add_argument("--model", metavar=words("reference"), help=words("model"))
    chat.add_argument("--reasoning", action=argparse.BooleanOptionalAction, help=words("reasoning"))
    efforts = get_args(ReasoningEffort)
    chat.add_argument("--reasoning-effort", choices=efforts, help=words("reasoning_effort"))
    declared = single_settings()["llm.temperature"].declared
    warmth = number(texts, float, declared.low or 0, declared.high or 0)
    chat.add_argument("--temperature", type=warmth, metavar=texts("cli.number"), help=words("temperature"))
    chat.add_argument("--tools", action=argparse.BooleanOptionalAction, default=True, help=words("tools"))
    chat.add_argument("--json", action="store_true", help=words("json"))


def _projects_grammar(projects: Parser, texts: Texts) -> None:
    actions = _actions(projects, texts)
    for name in ("add", "list", "show", "remove"):
        words = texts(f"cli.projects.{name}.summary")
        action = actions.add_parser(name, help=words, description=words)
        if name != "list":
            action.add_argument("name", metavar=texts("cli.name"), help=texts("cli.projects.name"))
        if name == "add":
            action.add_argument(
                "folders", nargs="*", metavar=texts("cli.mcp.folder"), help=texts("cli.projects.add.folders")
            )
        if name in ("add", "list"):
            action.add_argument("--workspace", metavar=texts("cli.name"), help=texts("cli.agents.workspace"))
        if name != "remove":
            action.add_argument("--json", action="store_true", help=texts("cli.usage.json"))


def _people_grammar(people: Parser, texts: Texts) -> None:
    actions = _actions(people, texts)
    words = "list|show|add|change|remove|restore|import|export"
    for name in words.split("|"):
        help_text = texts(f"cli.people.{name}.summary")
        action = actions.add_parser(name, help=help_text, description=help_text)
        if name == "list":
            action.add_argument("words", nargs="*", metavar=texts("cli.chat.metavar"), help=texts("cli.people.words"))
        elif name == "restore":
            action.add_argument("id", metavar="ID", help=texts("cli.people.id"))
        elif name == "import":
            action.add_argument("file", type=existing_file, metavar=texts("cli.file"), help=texts("cli.people.file"))
        elif name == "export":
            action.add_argument("file", nargs="?", metavar=texts("cli.file"), help=texts("cli.people.out"))
        else:
            who = "name" if name == "add" else "who"
            action.add_argument(who, metavar=texts("cli.name"), help=texts(f"cli.people.{who}"))
        if name in ("add", "change"):
            _person_options(action, texts, renames=name == "change")
        if name in ("list", "show"):
            action.add_argument("--json", action="store_true", help=texts("cli.usage.json"))


def _flows_grammar(flows: Parser, texts: Texts) -> None:
    actions = _actions(flows, texts, required=False)
    for name in ("list", "new", "check", "run", "test", "reload"):
        words = texts(f"cli.flows.{name}.summary")
        action = actions.add_parser(name, help=words, description=words)
        if name != "list":
            count = None if name in ("new", "run", "test") else "?"
            action.add_argument("name", nargs=count, metavar=texts("cli.name"), help=texts("cli.flows.name"))
        if name == "new":
            templates = ("minimal", "form")
            action.add_argument("--template", choices=templates, default="minimal", help=texts("cli.flows.template"))
        if name == "reload":
            action.add_argument("--yes", action="store_true", help=texts("cli.flows.yes"))


def _person_options(action: Parser, texts: Texts, *, renames: bool) -> None:
    for each in (*(("name",) if renames else ()), "relation", "phone", "email", "birthday", "note"):
        action.add_argument(f"--{each}", metavar=texts("cli.chat.metavar"), help=texts(f"cli.people.option.{each}"))
    for each in ("alias", "account"):
        help_text = texts(f"cli.people.option.{each}")
        action.add_argument(f"--{each}", action="append", metavar=texts("cli.chat.metavar"), help=help_text)


def _files_grammar(files: Parser, texts: Texts) -> None:
    from assistant.core.service.requests.projects import MOST_FOUND

    actions = _actions(files, texts)
    for name in ("add", "list", "show", "again", "remove", "search"):
        words = texts(f"cli.files.{name}.summary")
        action = actions.add_parser(name, help=words, description=words)
        if name == "add":
            action.add_argument("paths", nargs="+", metavar=texts("cli.file"), help=texts("cli.files.add.paths"))
        if name in ("show", "again", "remove"):
            action.add_argument("id", metavar="ID", help=texts("cli.files.id"))
        if name == "show":
            passage = number(texts, int, 1, 10_000_000)
            action.add_argument(
                "--passage", type=passage, default=0, metavar=texts("cli.number"), help=texts("cli.files.show.passage")
            )
        if name == "search":
            action.add_argument(
                "text", nargs="+", metavar=texts("cli.chat.metavar"), help=texts("cli.files.search.text")
            )
            most = number(texts, int, 1, MOST_FOUND)
            limit = texts("cli.files.search.limit")
            action.add_argument("--limit", type=most, default=10, metavar=texts("cli.number"), help=limit)
        if name in ("add", "list", "search"):
            action.add_argument("--project", required=True, metavar=texts("cli.name"), help=texts("cli.files.project"))
        if name != "remove":
            action.add_argument("--json", action="store_true", help=texts("cli.usage.json"))


def _say_grammar(say: Parser, texts: Texts) -> None:
    say.add_argument("text", nargs="+", metavar=texts("cli.chat.metavar"), help=texts("cli.say.text"))
    say.add_argument("--voice", metavar=texts("cli.name"), help=texts("cli.say.voice"))
    say.add_argument("--language", choices=["ko", "en"], help=texts("cli.say.language"))
    say.add_argument("--output", type=Path, metavar=texts("cli.file"), help=texts("cli.say.output"))


def _listen_grammar(listen: Parser, texts: Texts) -> None:
    file, amount = texts("cli.file"), texts("cli.number")
    gain, delay = number(texts, float, *_ECHO_GAIN_DB), number(texts, int, *_ECHO_DELAY_MS)

    def words(name: str) -> str:
        return texts(f"cli.listen.{name}")

    listen.add_argument("--input", type=existing_file, required=True, metavar=file, help=words("input"))
    listen.add_argument("--output", type=Path, metavar=file, help=words("output"))
    listen.add_argument("--pace", choices=["realtime", "fast"], default="fast", help=words("pace"))
    listen.add_argument("--language", choices=["ko", "en"], help=words("language"))
    listen.add_argument("--no-wake", action="store_true", help=words("no_wake"))
    listen.add_argument("--echo-gain-db", type=gain, metavar=amount, help=words("echo_gain_db"))
    listen.add_argument("--echo-delay-ms", type=delay, metavar=amount, default=60, help=words("echo_delay_ms"))
    listen.add_argument("--cues", action="store_true", help=words("cues"))
    listen.add_argument("--trace", type=Path, metavar=file, help=words("trace"))
    listen.add_argument("--project", metavar=texts("cli.name"), help=texts("cli.chat.project"))
    listen.add_argument("--provider", metavar=texts("cli.name"), help=texts("cli.provider"))


def _models_grammar(models: Parser, texts: Texts) -> None:
    actions = _actions(models, texts)

    def action(name: str) -> Parser:
        words = texts(f"cli.models.{name}.summary")
        return actions.add_parser(name, help=words, description=words)

    for name in ("list", "recommend"):
        action(name).add_argument("--json", action="store_true", help=texts("cli.models.list.json"))
    for name, count in (("pull", "*"), ("verify", "*"), ("remove", "+")):
        names = action(name)
        names.add_argument("names", nargs=count, metavar=texts("cli.name"), help=texts(f"cli.models.{name}.names"))
        if name == "pull":
            names.add_argument(
                "--allow-unverified", action="store_true", help=texts("cli.models.pull.allow_unverified")
            )


_COMMANDS: Final[dict[str, Callable[[Parser, Texts], None]]] = {
    "test": _test_grammar,
    "listen": _listen_grammar,
    "chat": _chat_grammar,
    "ask": _chat_grammar,
    "models": _models_grammar,
    "voices": _voices_grammar,
    "say": _say_grammar,
    "audio-check": _audio_check_grammar,
    "doctor": _doctor_grammar,
    "providers": _providers_grammar,
    "usage": _usage_grammar,
    "egress": _egress_grammar,
    "traces": _traces_grammar,
    "audit": _audit_grammar,
    "tools": _tools_grammar,
    "conversations": _conversations_grammar,
    "projects": _projects_grammar,
    "files": _files_grammar,
    "people": _people_grammar,
    "flows": _flows_grammar,
    "agents": _agents_grammar,
    "workspaces": _workspaces_grammar,
    "memory": _memory_grammar,
    "schedule": _schedule_grammar,
    "prompt": _prompt_grammar,
    "mcp": _mcp_grammar,
    "keys": _keys_grammar,
    "settings": _settings_grammar,
    "tokens": _tokens_grammar,
    "web": _web_grammar,
    "phone": _phone_grammar,
    "telegram": _telegram_grammar,
    "sync": _sync_grammar,
    "serve": _serve_grammar,
    "toggle": _no_grammar,
    "desktop": _desktop_grammar,
    "dictate": _no_grammar,
}
"""Every command in the order of the help, with the function that adds its arguments."""
