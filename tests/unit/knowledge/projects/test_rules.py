"""Which files are left alone."""

import os
from pathlib import Path

import pytest

from assistant.knowledge.projects.scanning import scan


def reasons(root: Path) -> dict[str, str]:
    return {place: found.reason for place, found in scan(root).found.items()}


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("보고서.hwp", ""),
        ("notes.md", ""),
        ("src/main.py", ""),
        ("사진/여름.jpg", ""),
        (".env", "hidden"),
        ("~$보고서.docx", "temporary"),
        ("보고서.docx~", "temporary"),
        ("내려받기.crdownload", "temporary"),
        ("Thumbs.db", "temporary"),
        ("setup.exe", "program"),
        ("lib/libm.so.6", "program"),
        ("모델.gguf", "program"),
        ("녹음.mp3", "program"),
        ("node_modules.md", ""),
        ("a.so.txt", ""),
        ("my.tmp.md", ""),
    ],
)
def test_own_rules_leave_alone_what_is_no_document(tmp_path: Path, place: str, reason: str) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    assert reasons(tmp_path) == {place: reason}


@pytest.mark.parametrize(
    ("folder", "reason"),
    [(".git", "hidden"), ("node_modules", "generated"), ("pkg/__pycache__", "generated"), (".venv", "hidden")],
)
def test_a_folder_that_is_left_alone_is_one_row(tmp_path: Path, folder: str, reason: str) -> None:
    (tmp_path / folder / "deep").mkdir(parents=True)
    (tmp_path / folder / "deep" / "readme.md").write_text("x")
    assert reasons(tmp_path) == {f"{folder}/": reason}


@pytest.mark.parametrize(
    ("rules", "left", "read"),
    [
        ({".gitignore": "*.log\n"}, ["a.log", "sub/b.log"], ["a.md"]),
        ({".gitignore": "/a.md\n"}, ["a.md"], ["sub/a.md"]),
        ({".gitignore": "*.md\n!keep.md\n"}, ["a.md"], ["keep.md", "sub/keep.md"]),
        ({".gitignore": "sub/\n!sub/keep.md\n"}, ["sub/"], ["a.md"]),
        ({"sub/.gitignore": "*.md\n"}, ["sub/a.md"], ["a.md"]),
        ({".gitignore": "*.md\n", "sub/.gitignore": "!*.md\n"}, ["a.md"], ["sub/a.md"]),
        ({"sub/.gitignore": "/deep/x.md\n"}, ["sub/deep/x.md"], ["deep/x.md"]),
        ({".gitignore": "비밀/\n# 주석\n"}, ["비밀/"], ["공개.md"]),
        ({".gitignore": "**/draft*.md\n"}, ["sub/deep/draft1.md"], ["sub/deep/final.md"]),
        ({".soriignore": "*.csv\n"}, ["a.csv"], ["a.md"]),
        ({".gitignore": "*.md\n", ".soriignore": "!a.md\n"}, ["b.md"], ["a.md"]),
        ({".soriignore": "!*.log.txt\n!node_modules/\n"}, [], ["node_modules/readme.md"]),
    ],
)
def test_ignore_files_mean_what_they_mean_to_git(
    tmp_path: Path, rules: dict[str, str], left: list[str], read: list[str]
) -> None:
    for place, text in rules.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(text, encoding="utf-8")
    for place in [*left, *read]:
        path = tmp_path / (f"{place}inside.md" if place.endswith("/") else place)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    found = {place: reason for place, reason in reasons(tmp_path).items() if "ignore" not in Path(place).name}
    assert found == dict.fromkeys(left, "ignored") | dict.fromkeys(read, "")


def test_links_are_not_followed_so_a_loop_ends(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "secret.md").symlink_to("/etc/hostname")
    assert reasons(tmp_path) == {"a/loop": "link", "secret.md": "link"}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
def test_pipes_are_passed_over(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert reasons(tmp_path) == {}


def test_a_scan_of_some_places_finds_what_a_whole_scan_finds_there(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*.log\n")
    for place in ("a/b/c.md", "a/b/d.log", "a/e.md", "node_modules/x/y.md"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text("x")
    within = ["a/b", "a/e.md", "node_modules/x/y.md", "gone.md"]
    whole = scan(tmp_path).found
    assert scan(tmp_path, within).found == {place: whole[place] for place in whole if place != ".gitignore"}
