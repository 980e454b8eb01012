"""Examines the whole machine: every check, one after another."""

from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine.checks.check import Check
from assistant.engine.checks.file_checks import FileChecks
from assistant.engine.checks.http_checks import HttpChecks
from assistant.engine.checks.language_model_checks import LanguageModelChecks
from assistant.engine.checks.machine_checks import MachineChecks
from assistant.engine.checks.mcp_checks import McpChecks
from assistant.engine.checks.name_checks import NameChecks
from assistant.engine.checks.online_tool_checks import OnlineToolChecks
from assistant.engine.checks.phone_checks import PhoneChecks
from assistant.engine.checks.shell_checks import ShellChecks
from assistant.engine.checks.sync_checks import SyncChecks
from assistant.engine.checks.weight_checks import WeightChecks
from assistant.host.places import Places


def examine(places: Places, texts: Texts, *, online: bool = False, loads: bool = True) -> list[Check]:
    """All checks, in the order in which a user would fix problems.

    Args:
        places: the user's files.
        texts: the user's words.
        online: whether to ask the providers' servers too.
        loads: whether to load the wake word and the voices, to see whether they work. It takes seconds, with the first
            measurement of a voice a minute. A running Sori has loaded its own, and its log tells the result.
    """
    machine, files = MachineChecks(places, texts), FileChecks(places, texts)
    checks = [
        *machine.python(),
        *machine.environment(),
        *files.home(),
        *files.config(),
        *files.grants(),
        *files.disk(),
        *files.database(),
        *files.agents(),
        *McpChecks(places, texts).mcp(),
        *machine.system(),
        *machine.display(),
        *machine.fonts(),
        *machine.sound_server(),
        *machine.devices(),
    ]
    weights = WeightChecks(places, texts, files.settings or Settings())
    online_tools = OnlineToolChecks(places, texts, files.settings)
    models = LanguageModelChecks(places, texts, files.settings, online=online)
    return [
        *checks,
        *weights.models(),
        *(weights.wake_word() if loads else ()),
        *(weights.voices() if loads else ()),
        *NameChecks(places, texts, files.settings or Settings()).names(),
        *models.language_model(),
        *models.embedded(),
        *online_tools.search(),
        *online_tools.images(),
        *online_tools.transcription(),
        *online_tools.speech(),
        *online_tools.files(),
        *ShellChecks(places, texts, files.settings).shell(),
        *HttpChecks(places, texts, files.settings).http(),
        *PhoneChecks(places, texts, files.settings).phones(),
        *SyncChecks(places, texts, files.settings).sync(),
        *machine.secrets(),
    ]
