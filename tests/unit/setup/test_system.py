import os
import sys
from pathlib import Path

import pytest

from assistant.setup import system
from assistant.setup.environment import Environment
from assistant.setup.system import NEEDS, Need, apt_install, has, install_line, missing, provide, root_prefix
from assistant.setup.words import Words

ABSENT = Need("lib:libnowhere-to-be-found.so.9", "sound", "libnowhere9", "nowhere", "nowhere")
WORDS = Words("en")

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="apt is Debian's")


@pytest.fixture
def apt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An ``apt-get`` that writes down what it is asked; it fails while ``apt-fails`` exists. Gives that record."""
    programs = tmp_path / "bin"
    programs.mkdir()
    record = tmp_path / "apt-record"
    program = programs / "apt-get"
    program.write_text(f'#!/bin/sh\necho "$@" >> {record}\ntest ! -e {tmp_path}/apt-fails\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/bin:/usr/bin")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return record


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    made = Environment(tmp_path / "project")
    made.folder.mkdir(parents=True)
    return made


def test_what_is_there_is_not_asked_for() -> None:
    assert has(Need("lib:libc.so.6", "sound", "libc6"))
    assert has(Need("command:sh", "sound", "dash"))


def test_what_is_not_there_is_found_missing() -> None:
    assert not has(ABSENT)
    assert not has(Need("command:no-such-program", "sound", "x"))
    assert not has(Need("file:no/such/file.so", "sound", "x"))


def test_elsewhere_packages_bring_their_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(NEEDS, "sound", (ABSENT,))
    monkeypatch.setattr(sys, "platform", "darwin")
    assert missing(["sound"]) == []


def test_apt_is_told_exactly_what_is_missing(apt: Path) -> None:
    assert apt_install([ABSENT], WORDS, None)
    (asked,) = apt.read_text().splitlines()
    assert asked.endswith("install -y --no-install-recommends libnowhere9")


def test_lists_that_are_out_of_date_are_fetched_and_it_is_tried_again(apt: Path, tmp_path: Path) -> None:
    (tmp_path / "apt-fails").touch()
    assert not apt_install([ABSENT], WORDS, None)
    assert [line.split()[2] for line in apt.read_text().splitlines()] == ["install", "update", "install"]


def test_the_user_reads_what_is_installed_and_why(apt: Path, capsys: pytest.CaptureFixture[str]) -> None:
    apt_install([ABSENT], WORDS, None)
    assert "libnowhere9 (for microphone and speaker)" in capsys.readouterr().err


def test_without_the_right_to_install_nothing_is_tried(apt: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("PATH", str(apt.parent / "bin"))
    assert root_prefix() is None
    assert not apt_install([ABSENT], WORDS, None)
    assert not apt.exists()


def test_passwordless_sudo_is_used(apt: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sudo = apt.parent / "bin" / "sudo"
    sudo.write_text("#!/bin/sh\nexit 0\n")
    sudo.chmod(0o755)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert root_prefix() == ["sudo", "-n"]


def test_sudo_that_wants_a_password_is_not_used(apt: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sudo = apt.parent / "bin" / "sudo"
    sudo.write_text("#!/bin/sh\nexit 1\n")
    sudo.chmod(0o755)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert root_prefix() is None


def test_the_user_gets_one_line_to_type_when_it_cannot_be_installed(
    apt: Path, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(NEEDS, "sound", (ABSENT,))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("PATH", str(apt.parent / "bin"))
    lines = "\n".join(provide(["sound"], environment, WORDS))
    assert "sudo apt-get install -y --no-install-recommends libnowhere9" in lines


def test_what_could_not_be_installed_is_not_tried_at_every_start(
    apt: Path, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(NEEDS, "sound", (ABSENT,))
    provide(["sound"], environment, WORDS)
    tried = apt.read_text()
    assert provide(["sound"], environment, WORDS)
    assert apt.read_text() == tried


def test_what_was_found_is_not_looked_for_again(environment: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(NEEDS, "sound", (Need("command:sh", "sound", "dash"),))
    assert provide(["sound"], environment, WORDS) == []
    assert environment.note("system")["checked"] == ["sound"]
    monkeypatch.setitem(NEEDS, "sound", (ABSENT,))
    assert provide(["sound"], environment, WORDS) == []


def test_what_was_found_is_looked_for_again_when_the_list_of_needs_has_changed(
    environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(NEEDS, "sound", (Need("command:sh", "sound", "dash"),))
    provide(["sound"], environment, WORDS)
    monkeypatch.setattr(Environment, "needs_sum", staticmethod(lambda: "of a later version"))
    monkeypatch.setitem(NEEDS, "sound", (ABSENT,))
    assert any("libnowhere9" in line for line in provide(["sound"], environment, WORDS))


def test_other_distributions_get_their_own_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dnf = tmp_path / "dnf"
    dnf.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert install_line(NEEDS["sound"]) == "sudo dnf install -y portaudio"
    dnf.rename(tmp_path / "pacman")
    assert install_line(NEEDS["sound"]) == "sudo pacman -S --needed portaudio"


def test_a_korean_font_is_found_by_name_where_nothing_lists_fonts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(system, "_FONT_FOLDERS", (str(tmp_path),))
    assert not system.korean_font()
    (tmp_path / "NanumGothic.ttf").touch()
    assert system.korean_font()


def test_every_reason_has_words_in_both_languages() -> None:
    for language in ("ko", "en"):
        words = Words(language)
        assert all(words(f"why.{need.why}") for needs in NEEDS.values() for need in needs)
