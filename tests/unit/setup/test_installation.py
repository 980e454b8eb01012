import errno
import fcntl
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assistant.host.places import PROJECT
from assistant.setup import installation
from assistant.setup.environment import Environment
from assistant.setup.installation import Installation, disk_trouble
from assistant.setup.words import SetupError, Words
from tests.fakes.weights.packages import make_wheel

_WITH_MORE = "Provides-Extra: more\n"


def install(project: Path, *groups: str) -> None:
    Installation(Environment(project), Words("en")).install(groups or ("runtime",))


def value(project: Path, module: str = "tiny") -> str:
    """What the environment's Python finds in the installed module."""
    command = [str(Environment(project).python), "-c", f"import {module}; print({module}.VALUE)"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def site_packages(project: Path) -> Path:
    return next((project / ".venv" / "lib").glob("python3.*/site-packages"))


def test_the_locked_packages_are_installed_once_until_the_lock_file_changes(
    project: Path, packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_COMPILE", "no")  # which is how pip wants such a "no-" option switched on
    install(project)
    assert value(project) == "1"
    assert Environment(project).ready(["runtime"])
    compiled = list((site_packages(project) / "__pycache__").glob("tiny.*.pyc"))
    assert compiled, "the packages are compiled even where pip is set up not to"
    shutil.rmtree(packages)
    install(project)
    assert value(project) == "1"
    with (project / "requirements" / "runtime.txt").open("a") as stream:
        stream.write("# changed\n")
    assert not Environment(project).ready(["runtime"])


def test_the_groups_are_kept_apart(project: Path, packages: Path) -> None:
    install(project)
    extra = make_wheel(packages, "extra", {"extra.py": b"VALUE = 2\n"})
    (project / "requirements" / "test.txt").write_text(f"extra==1.0 --hash=sha256:{extra.sha256}\n")
    assert not Environment(project).ready(["runtime", "test"])
    install(project, "runtime", "test")
    assert value(project, "extra") == "2"
    assert Environment(project).ready(["runtime"])


def test_the_progress_ends_at_the_number_of_packages_also_with_those_of_other_platforms(
    project: Path, packages: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sums = {name: make_wheel(packages, name, {f"{name}.py": b"VALUE = 2\n"}).sha256 for name in ("here", "there")}
    extra = (
        f"here==1.0 ; sys_platform != 'nowhere' --hash=sha256:{sums['here']}\n"
        f"there==1.0 ; sys_platform == 'nowhere' --hash=sha256:{sums['there']}\n"
    )
    runtime = (project / "requirements" / "runtime.txt").read_text()
    (project / "requirements" / "test.txt").write_text(runtime + extra)
    install(project, "runtime", "test")
    counts = re.findall(r"\[(\d+)/(\d+)\]", capsys.readouterr().err)
    assert counts == [("1", "3"), ("2", "3"), ("3", "3")]


def test_a_newer_release_of_a_package_that_is_required_with_an_extra_changes_nothing(
    project: Path, packages: Path
) -> None:
    tiny = make_wheel(packages, "tiny", {"tiny.py": b"VALUE = 1\n"}, metadata="Requires-Dist: web[more]>=1.0\n")
    web, _ = (
        make_wheel(packages, "web", {"web.py": f"VALUE = {version}\n".encode()}, version=version, metadata=_WITH_MORE)
        for version in ("1.0", "2.0")
    )
    (project / "requirements" / "runtime.txt").write_text(
        f"tiny==1.0 --hash=sha256:{tiny.sha256}\nweb==1.0 --hash=sha256:{web.sha256}\n"
    )
    install(project)
    assert (value(project), value(project, "web")) == ("1", "1.0")


def test_a_package_that_a_killed_pip_left_half_installed_is_installed_again(project: Path) -> None:
    install(project)
    (project / ".venv" / ".sori.json").unlink()
    (site_packages(project) / "tiny.py").unlink()
    (site_packages(project) / "tiny-1.0.dist-info" / "RECORD").unlink()
    install(project)
    assert value(project) == "1"


def test_an_environment_whose_pip_is_broken_is_made_anew(project: Path) -> None:
    for part in site_packages(project).glob("pip*"):
        shutil.rmtree(part)
    install(project)
    assert value(project) == "1"


def test_an_environment_whose_interpreter_is_gone_is_made_anew(project: Path) -> None:
    python = Environment(project).python
    python.unlink()
    python.symlink_to("/nowhere/python3")
    install(project)
    assert value(project) == "1"


_INSTALL = """
import sys
from pathlib import Path
from assistant.setup.environment import Environment
from assistant.setup.installation import Installation
from assistant.setup.words import Words
Installation(Environment(Path(sys.argv[1])), Words("en")).install(["runtime"])
"""


def test_an_installation_that_is_killed_is_finished_by_the_next(project: Path) -> None:
    shutil.rmtree(project / ".venv")
    process = subprocess.Popen(
        [sys.executable, "-c", _INSTALL, project], cwd=PROJECT, stderr=subprocess.DEVNULL, start_new_session=True
    )
    while not (project / ".venv" / "pyvenv.cfg").exists():  # the test's own time limit ends a wait that is in vain
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not Environment(project).ready(["runtime"])
    install(project)
    assert value(project) == "1"


def test_first_starts_at_once_say_that_they_wait_and_fill_the_environment_once(project: Path) -> None:
    command = [sys.executable, "-c", _INSTALL, str(project)]
    with (project / ".venv.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        processes = [subprocess.Popen(command, cwd=PROJECT, stderr=subprocess.PIPE, text=True) for _ in range(2)]
        for each in processes:
            assert each.stderr is not None
            assert "Waiting for it" in each.stderr.readline()
    said = "".join(each.communicate()[1] for each in processes)
    assert [each.returncode for each in processes] == [0, 0]
    assert value(project) == "1"
    assert said.count("Python packages …") == 1


def failure(project: Path) -> SetupError:
    with pytest.raises(SetupError) as caught:
        install(project)
    return caught.value


def test_no_way_to_the_packages_is_told_as_no_network(
    project: Path, packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    error = failure(project)
    assert error.key == "no_network"
    assert "Connection refused" in str(error.values["reason"]) or "NewConnection" in str(error.values["reason"])
    assert not Environment(project).ready(["runtime"])


def test_where_somebody_watches_the_set_up_goes_on_by_itself_when_the_network_is_back(
    project: Path, packages: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "no")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    waits: list[float] = []
    routes = iter([False, False, False, True])

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            monkeypatch.setenv("PIP_NO_INDEX", "1")
            monkeypatch.setenv("PIP_FIND_LINKS", str(packages))

    monkeypatch.setattr(installation, "has_route", lambda: next(routes))
    monkeypatch.setattr(time, "sleep", sleep)
    Installation(Environment(project), Words("en"), watched=lambda: True).install(["runtime"])
    assert value(project) == "1"
    assert len(waits) == 3
    said = capsys.readouterr().err
    assert said.count("goes on by itself") == 1
    assert not re.search(r"urllib3|NewConnection|Errno|retries", said)


def test_a_package_with_no_wheel_for_this_platform_is_named(project: Path, packages: Path) -> None:
    wheel = next(packages.glob("*.whl"))
    wheel.rename(packages / "tiny-1.0-cp27-cp27m-win32.whl")
    error = failure(project)
    assert error.key == "no_wheel"
    assert error.values["package"] == "tiny==1.0"


def test_a_package_with_another_sum_is_not_installed(project: Path, packages: Path) -> None:
    make_wheel(packages, "tiny", {"tiny.py": b"VALUE = 666\n"})
    assert failure(project).key == "wrong_sum"
    assert value(project) == ""


def test_a_python_that_cannot_make_environments_is_told_with_the_missing_package(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(project / ".venv")
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    error = failure(project)
    assert error.key == "no_venv"
    assert error.values["package"] == f"python3.{sys.version_info.minor}-venv"


def test_too_little_space_is_found_before_anything_is_made(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(project / ".venv")

    def nearly_full(_: object) -> object:
        return type("Usage", (), {"free": 1_000_000})

    monkeypatch.setattr(shutil, "disk_usage", nearly_full)
    assert failure(project).key == "disk_full"
    assert not (project / ".venv").exists()


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="elsewhere there is no folder that even root cannot write"
)
def test_a_folder_that_may_not_be_written_is_named() -> None:
    error = failure(Path("/sys"))
    assert error.key == "read_only"
    assert "/sys" in str(error.values["folder"])


@pytest.mark.parametrize(
    ("number", "key"), [(errno.ENOSPC, "disk_full"), (errno.EROFS, "read_only"), (errno.EIO, "other")]
)
def test_errors_of_the_file_system_have_words_of_their_own(number: int, key: str) -> None:
    error = disk_trouble(OSError(number, os.strerror(number)), Path("/somewhere"))
    assert error.key == key
    assert Words("ko")(f"error.{key}", **error.values)


def test_a_full_disk_while_pip_writes_is_told_as_such(project: Path, tmp_path: Path) -> None:
    """pip runs in an environment whose interpreter says what pip says on a full disk."""
    python = Environment(project).python
    real = python.rename(python.with_name("python-itself"))  # beside it, so that it still finds the environment's pip
    python.write_text(
        f'#!/bin/sh\ncase "$*" in *install*) echo "ERROR: Could not install packages due to an OSError: '
        f'[Errno 28] No space left on device"; exit 1;; esac\nexec {real} "$@"\n'
    )
    python.chmod(0o755)
    (site_packages(project).parent / "site-packages").mkdir(exist_ok=True)
    assert failure(project).key == "disk_full"
