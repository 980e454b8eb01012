import unicodedata
from pathlib import Path

import pytest

from assistant.app.cli.attachment_file import read_attachment
from assistant.app.cli.grammar import parse
from assistant.host.texts import load_texts
from assistant.storage.file_names import child, existing
from assistant.tools.folders.allowed import AllowedFolders
from assistant.tools.tool import ToolError

NAMES = (
    "회의록.txt",
    "한글 문서 (최종).md",
    "café.txt",
    "Übersicht.csv",
    "résumé.txt",
    "東京だより.txt",
    "각.txt",
    "plain.txt",
)


def forms(name: str) -> tuple[str, str]:
    return unicodedata.normalize("NFD", name), unicodedata.normalize("NFC", name)


def test_a_name_is_found_in_either_form(tmp_path: Path) -> None:
    for name in NAMES:
        for kept, typed in (forms(name), forms(name)[::-1], (name, name)):
            folder = tmp_path / str(len(list(tmp_path.iterdir())))
            (folder / forms("내 폴더")[0]).mkdir(parents=True)
            place = folder / forms("내 폴더")[0] / kept
            place.write_text("x")
            assert existing(folder / "내 폴더" / typed).samefile(place), (kept, typed)
            assert child(folder, "내 폴더").is_dir()


def test_a_name_that_is_there_as_it_is_typed_comes_first(tmp_path: Path) -> None:
    decomposed, composed = forms("가.txt")
    (tmp_path / decomposed).write_text("decomposed")
    (tmp_path / composed).write_text("composed")
    assert existing(tmp_path / decomposed).read_text() == "decomposed"
    assert existing(tmp_path / composed).read_text() == "composed"


def test_a_name_that_is_nowhere_stays_as_it_was_typed(tmp_path: Path) -> None:
    assert existing(tmp_path / "없음" / "나.txt") == tmp_path / "없음" / "나.txt"
    assert child(tmp_path / "없음", "나.txt") == tmp_path / "없음" / "나.txt"


@pytest.mark.parametrize("typed", [0, 1])
def test_tools_and_the_command_line_find_both_forms(tmp_path: Path, typed: int) -> None:
    kept = 1 - typed
    folder = tmp_path / forms("문서")[kept]
    (folder / forms("하위")[kept]).mkdir(parents=True)
    (folder / forms("하위")[kept] / forms("회의.txt")[kept]).write_text("내용", encoding="utf-8")
    folders = AllowedFolders(lambda: [str(tmp_path / forms("문서")[typed])])
    path = "/".join(forms(part)[typed] for part in ("문서", "하위", "회의.txt"))
    below = path.partition("/")[2]
    for asked in (path, below, str(tmp_path / path)):
        assert folders.read(asked).text == "내용"
    assert [each.name for each in folders.entries(path.rpartition("/")[0])] == ["회의.txt"]
    attachment = read_attachment(tmp_path / path)
    assert (attachment.name, attachment.data) == ("회의.txt", "내용".encode())
    given = parse(["chat", "--file", str(tmp_path / path), "요약해 줘"], load_texts("ko"))
    assert given.files[0].read_text(encoding="utf-8") == "내용"


def test_another_form_opens_no_way_out_of_the_allowed_folder(tmp_path: Path) -> None:
    (tmp_path / "문서").mkdir()
    (tmp_path / "비밀.txt").write_text("key")
    (tmp_path / "문서" / forms("링크.txt")[0]).symlink_to(tmp_path / "비밀.txt")
    folders = AllowedFolders(lambda: [str(tmp_path / "문서")])
    for path in ("링크.txt", "../비밀.txt", str(tmp_path / "비밀.txt"), str(tmp_path / forms("비밀.txt")[0])):
        with pytest.raises(ToolError):
            folders.read(path)
