"""``sori doctor``: checks what works on this machine and what does not, and gives remedies.

Every check uses the part that it examines. ``fail`` means that Sori cannot run as configured. ``warn`` means that an
optional part is missing.
"""

import json
import sys
from dataclasses import asdict

from assistant.app.cli.checks.check import Check, Grade
from assistant.app.cli.checks.file_checks import FileChecks
from assistant.app.cli.checks.http_checks import HttpChecks
from assistant.app.cli.checks.language_model_checks import LanguageModelChecks
from assistant.app.cli.checks.machine_checks import MachineChecks
from assistant.app.cli.checks.mcp_checks import McpChecks
from assistant.app.cli.checks.name_checks import NameChecks
from assistant.app.cli.checks.online_tool_checks import OnlineToolChecks
from assistant.app.cli.checks.shell_checks import ShellChecks
from assistant.app.cli.checks.weight_checks import WeightChecks
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.host.places import Places


def run(places: Places, texts: Texts, *, as_json: bool, online: bool = False) -> int:
    """Print the report; returns 1 when a check fails, else 0. ``online`` also asks the providers' servers."""
    checks = examine(places, texts, online=online)
    if as_json:
        print(json.dumps([asdict(each) for each in checks], ensure_ascii=False, indent=1))
    else:
        for each in checks:
            print(f"{_mark(each.verdict)} {texts(f'doctor.{each.name}.name')}: {each.detail}")
            for line in each.remedy.splitlines():
                print(f"      {line}")
        print(texts(f"doctor.summary.{_worst(checks).value}"))
    return 1 if _worst(checks) is Grade.FAIL else 0


def examine(places: Places, texts: Texts, *, online: bool = False) -> list[Check]:
    """All checks, in the order in which a user would fix problems."""
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
        *weights.wake_word(),
        *weights.voices(),
        *NameChecks(places, texts, files.settings or Settings()).names(),
        *models.language_model(),
        *models.embedded(),
        *online_tools.search(),
        *online_tools.images(),
        *online_tools.transcription(),
        *online_tools.speech(),
        *ShellChecks(places, texts, files.settings).shell(),
        *HttpChecks(places, texts, files.settings).http(),
        *machine.secrets(),
    ]


def _worst(checks: list[Check]) -> Grade:
    found = {each.verdict for each in checks}
    return next(each for each in (Grade.FAIL, Grade.WARN, Grade.OK) if each in found or each is Grade.OK)


def _mark(verdict: Grade) -> str:
    word = f"{verdict.value:<4}"
    colour = {Grade.OK: 32, Grade.WARN: 33, Grade.FAIL: 31}[verdict]
    return f"\033[{colour}m{word}\033[0m" if sys.stdout.isatty() else word
