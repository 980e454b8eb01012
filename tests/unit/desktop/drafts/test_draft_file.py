import json
import stat
from pathlib import Path

from assistant.desktop.drafts.draft_file import DraftFile, Drafts


def test_drafts_come_back_and_only_their_owner_can_read_them(tmp_path: Path) -> None:
    path = tmp_path / "drafts.json"
    drafts = Drafts(open="a", texts={"a": "쓰다 만 글", "": "new"})
    assert DraftFile(path).write(drafts) == ""
    assert DraftFile(path).read() == drafts
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_where_there_is_no_file_there_are_no_drafts(tmp_path: Path) -> None:
    assert DraftFile(tmp_path / "drafts.json").read() == Drafts()


def test_a_file_that_cannot_be_understood_is_set_aside_with_its_words(tmp_path: Path) -> None:
    path = tmp_path / "drafts.json"
    for content in ('{"open": "a", "texts": {"a": "half', json.dumps([1, 2]), json.dumps({"open": "", "texts": 3})):
        path.write_text(content, encoding="utf-8")
        assert DraftFile(path).read() == Drafts()
        assert (tmp_path / "drafts.damaged").read_text(encoding="utf-8") == content


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    assert DraftFile(tmp_path / "no folder" / "drafts.json").write(Drafts(texts={"a": "b"}))
