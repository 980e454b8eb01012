import os
from pathlib import Path

import pytest

from assistant.tools.builtin.knowledge.files import file_tools
from assistant.tools.folders import allowed
from assistant.tools.folders.allowed import MOST_BYTES, AllowedFolders
from assistant.tools.tool import ToolError
from tests.fakes.asking.served_call import served_call

posix = pytest.mark.skipif(os.name != "posix", reason="links and pipes of POSIX")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text("하나\n둘\n셋\n", encoding="utf-8")
    (folder / "sub" / "b.txt").write_text("b")
    (tmp_path / "secret.txt").write_text("key")
    return folder


@pytest.fixture
def folders(root: Path) -> AllowedFolders:
    return AllowedFolders(lambda: [str(root), "relative", str(root / "missing")])


def test_a_file_is_read_by_its_path_from_the_root_or_below_it(folders: AllowedFolders, root: Path) -> None:
    for path in (str(root / "sub" / "b.txt"), "docs/sub/b.txt", "sub/b.txt"):
        assert folders.read(path).text == "b"


def test_a_folder_is_listed_without_hidden_entries(folders: AllowedFolders, root: Path) -> None:
    (root / ".env").write_text("KEY=1")
    assert [(entry.name, entry.size) for entry in folders.entries(str(root))] == [("a.txt", 15), ("sub/", None)]
    assert [entry.name for entry in folders.entries("")] == [str(root)]


@pytest.mark.parametrize(
    "path",
    ["../secret.txt", "docs/../../secret.txt", "sub/../../secret.txt", "/etc/passwd", "~/x", ".env", "sub/.git/config"],
)
def test_nothing_outside_and_nothing_hidden_is_read(folders: AllowedFolders, root: Path, path: str) -> None:
    with pytest.raises(ToolError):
        folders.read(path)
    with pytest.raises(ToolError):
        folders.read(str(root / path))


@posix
@pytest.mark.parametrize("target", ["../secret.txt", "a.txt"])
def test_a_link_is_not_followed(folders: AllowedFolders, root: Path, target: str) -> None:
    (root / "link.txt").symlink_to(target)
    with pytest.raises(ToolError):
        folders.read("link.txt")
    assert "link.txt" not in [entry.name for entry in folders.entries("docs")]


@posix
def test_a_folder_that_becomes_a_link_after_the_check_leads_nowhere(
    folders: AllowedFolders, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "b.txt").write_text("key")
    below = allowed._open_below

    def swapped(base: Path, parts: tuple[str, ...]) -> int:
        (root / "sub").rename(root / "gone")
        (root / "sub").symlink_to(outside)
        return below(base, parts)

    monkeypatch.setattr(allowed, "_open_below", swapped)
    with pytest.raises(ToolError):
        folders.read("sub/b.txt")


@posix
def test_where_paths_are_resolved_a_link_is_refused_too(root: Path) -> None:
    (root / "link").symlink_to("sub")
    with pytest.raises(ToolError, match="link"):
        allowed._open_resolved(root, ("link", "b.txt"))
    descriptor = allowed._open_resolved(root, ("sub", "b.txt"))
    assert os.read(descriptor, 9) == b"b"
    os.close(descriptor)


@posix
def test_a_pipe_is_refused_at_once(folders: AllowedFolders, root: Path) -> None:
    os.mkfifo(root / "pipe")
    with pytest.raises(ToolError, match="ordinary"):
        folders.read("pipe")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949", "euc-kr", "utf-16"])
def test_korean_text_is_read_in_every_usual_encoding(folders: AllowedFolders, root: Path, encoding: str) -> None:
    (root / "k.txt").write_bytes(
        "가나다 똠방각하".encode(encoding) if encoding != "euc-kr" else "가나다".encode(encoding)
    )
    assert folders.read("k.txt").text.startswith("가나다")


def test_bytes_are_no_text(folders: AllowedFolders, root: Path) -> None:
    (root / "x.bin").write_bytes(b"\x00\x01\x02")
    with pytest.raises(ToolError, match="no_text"):
        folders.read("x.bin")


def test_a_long_file_is_cut_between_characters(folders: AllowedFolders, root: Path) -> None:
    (root / "long.txt").write_text("x" + "가" * (MOST_BYTES // 3 + 10), encoding="utf-8")
    file = folders.read("long.txt")
    assert file.cut
    assert file.encoding == "utf-8"


async def test_a_file_is_read_in_parts(folders: AllowedFolders, root: Path) -> None:
    tools = {each.name: each for each in file_tools(folders)}
    (root / "n.txt").write_text("\n".join(f"line {number}" for number in range(1, 901)))
    first = str(await tools["read_file"].run({"path": "n.txt"}, served_call()))
    assert first.splitlines()[-2:] == ["line 400", "(Lines 1 to 400; read on with first_line = 401.)"]
    last = str(await tools["read_file"].run({"path": "n.txt", "first_line": 801}, served_call()))
    assert last.splitlines()[-1] == "line 900"
    assert await tools["read_file"].run({"path": "a.txt", "first_line": 3}, served_call()) == "셋"
    with pytest.raises(ToolError, match="no_such_line count=3"):
        await tools["read_file"].run({"path": "a.txt", "first_line": 4}, served_call())
    assert "sub/" in str(await tools["list_files"].run({"folder": "docs"}, served_call())).splitlines()


def test_the_tools_are_offered_only_with_an_allowed_folder(root: Path) -> None:
    chosen: list[str] = []
    tools = file_tools(AllowedFolders(lambda: chosen))
    assert not any(tool.available() for tool in tools)
    chosen.append(str(root))
    assert all(tool.available() for tool in tools)
