"""An edit by the program changes one setting, and nothing else."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.core.configuration.catalogue import Kind, Setting, Value, single_settings
from assistant.core.errors import SettingsError, StorageError
from assistant.host.settings_edit import change_settings, with_values

TEXT = """# mine
language = "ko"

[voice] # how
speed = 1.0 # pace
# cues = true

# those who answer
[[providers]]
name = "a"
kind = "openai"
"""


@pytest.mark.parametrize(
    ("before", "name", "value", "after"),
    [
        (TEXT, "voice.speed", 1.2, TEXT.replace("= 1.0", "= 1.2")),
        (TEXT, "voice.cues", False, TEXT.replace("# how\n", "# how\ncues = false\n")),
        (TEXT, "language", "en", TEXT.replace('"ko"', '"en"')),
        (TEXT, "desktop.theme", "dark", f'{TEXT}\n[desktop]\ntheme = "dark"\n'),
        (TEXT, "voice.speed", None, TEXT.replace("speed = 1.0 # pace", "# pace")),
        (TEXT, "voice.cues", None, TEXT),
        ("", "voice.speed", 1.2, "[voice]\nspeed = 1.2\n"),
        ("[voice]\nspeed = 1.0", "voice.speed", 1.5, "[voice]\nspeed = 1.5"),
        ("[voice]\nspeed = 1.0", "voice.cues", False, "[voice]\ncues = false\nspeed = 1.0\n"),
        ("voice.speed = 1.0 # x\n", "voice.speed", 1.5, "voice.speed = 1.5 # x\n"),
        ("voice.speed = 1.0 # x\n", "voice.cues", False, "voice.speed = 1.0 # x\nvoice.cues = false\n"),
        ("voice = { speed = 1.0 } # x\n", "voice.speed", 1.5, "voice = { speed = 1.5 } # x\n"),
        ('["voice"]\n"speed" = 1 # x\n', "voice.speed", 1.5, '["voice"]\n"speed" = 1.5 # x\n'),
        ("# only\n# [voice]\n", "language", "ko", 'language = "ko"\n# only\n# [voice]\n'),
        (
            '# language = "ko" # so\n\n# [voice]\n',
            "language",
            "en",
            '# language = "ko" # so\nlanguage = "en"\n\n# [voice]\n',
        ),
        ('[[providers]]\nname = "a"\n', "language", "ko", 'language = "ko"\n[[providers]]\nname = "a"\n'),
        (
            '[llm]\nfallbacks = [\n  "a", # first\n  "#b",\n] # end\nmodel = "x"\n',
            "llm.fallbacks",
            ("c",),
            '[llm]\n# first\nfallbacks = ["c"] # end\nmodel = "x"\n',
        ),
        ('[context]\nreminder = """\n[voice]\n# no comment\n"""\n', "voice.cues", False, None),
    ],
)
def test_only_the_setting_changes(before: str, name: str, value: Value, after: str | None) -> None:
    edited = with_values(before, {name: value})
    if after is not None:
        assert edited == after
    assert tomllib.loads(edited) == _wanted(tomllib.loads(before), name, value)


def _wanted(tree: dict[str, Any], name: str, value: Value) -> dict[str, Any]:
    table, _, key = name.rpartition(".")
    inner = tree.setdefault(table, {}) if table else tree
    if value is None:
        inner.pop(key, None)
    else:
        inner[key] = [*value] if isinstance(value, tuple) else value
    return tree


_WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=12)


def _values(setting: Setting) -> st.SearchStrategy[Value]:
    declared = setting.declared
    if setting.kind is Kind.FLAG:
        return st.booleans()
    if setting.kind is Kind.CHOICE:
        return st.sampled_from(setting.choices)
    if setting.kind is Kind.TEXTS:
        return st.lists(_WORDS, max_size=3).map(tuple)
    if declared.low is not None and declared.high is not None:
        whole = st.integers(int(declared.low) + 1, int(declared.high))
        return whole if setting.kind is Kind.WHOLE else st.floats(declared.low, declared.high)
    return _WORDS


_SETTING = st.sampled_from([*single_settings().values()])


class _Written:
    """A settings file as people write it: tables in any order and form, comments anywhere.

    Attributes:
        text: the file.
        comments: the comments in it.
    """

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self.comments: list[str] = []
        chosen = draw(st.lists(_SETTING, unique_by=lambda each: each.name, max_size=8))
        top = [self._comment(), *(self._line(each, each.key) for each in chosen if not each.section)]
        below = list[str]()
        for table in draw(st.permutations(sorted({each.section for each in chosen if each.section}))):
            inside = [each for each in chosen if each.section == table]
            form = draw(st.sampled_from(["table", "table", "dotted", "inline"]))
            if form == "dotted":
                top += [self._line(each, each.name) for each in inside]
            elif form == "inline":
                body = ", ".join(f"{each.key} = {_toml(draw(_values(each)))}" for each in inside)
                top.append(f"{table} = {{ {body} }} {self._comment()}")
            else:
                header = draw(st.sampled_from([f"[{table}]", f"[ {table} ]", f'["{table}"]']))
                below += [f"{header} {self._comment()}", *(self._line(each, each.key) for each in inside)]
                below += draw(st.sampled_from([[], [""], ["", self._comment()]]))
        entry = draw(st.sampled_from([[], ["[[providers]]", 'name = "a"', f'kind = "openai" {self._comment()}']]))
        parts = [entry, below] if draw(st.booleans()) else [below, entry]
        self.text = "\n".join([*top, *parts[0], *parts[1]]) + draw(st.sampled_from(["", "\n", "\n\n"]))
        self.comments = [each for each in self.comments if each in self.text]

    def _comment(self) -> str:
        self.comments.append(f"# {len(self.comments)}: {self._draw(_WORDS)}".rstrip())
        return self.comments[-1]

    def _line(self, setting: Setting, name: str) -> str:
        end = f" {self._comment()}" if self._draw(st.booleans()) else ""
        return f"{name} = {_toml(self._draw(_values(setting)))}{end}"


def _toml(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return repr(value)


@settings(max_examples=60, deadline=None)
@given(written=st.composite(_Written)(), setting=_SETTING, data=st.data())
def test_any_edit_keeps_all_comments_and_all_other_keys(
    written: _Written, setting: Setting, data: st.DataObject
) -> None:
    value = data.draw(st.none() | _values(setting))
    edited = with_values(written.text, {setting.name: value})
    before, after = tomllib.loads(written.text), tomllib.loads(edited)
    assert _full(after) == _full(_wanted(tomllib.loads(written.text), setting.name, value))
    assert [each for each in written.comments if each not in edited] == []
    assert [each for each in before if each in after] == [each for each in after if each in before]


def _full(tree: dict[str, Any]) -> dict[str, Any]:
    return {key: each for key, each in tree.items() if each != {}}


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_ends_stay_and_a_mark_is_no_error(tmp_path: Path, ends: str, mark: bytes) -> None:
    config = tmp_path / "config.toml"
    config.write_bytes(mark + TEXT.replace("\n", ends).encode())
    change_settings(config, {"voice.speed": 1.5, "desktop.theme": "dark"})
    after = TEXT.replace("= 1.0", "= 1.5") + '\n[desktop]\ntheme = "dark"\n'
    assert config.read_bytes() == after.replace("\n", ends).encode()


def test_a_file_that_is_a_link_stays_one(tmp_path: Path) -> None:
    config, real = tmp_path / "config.toml", tmp_path / "dotfiles.toml"
    real.write_text(TEXT, encoding="utf-8")
    config.symlink_to(real)
    change_settings(config, {"voice.speed": 1.5})
    assert config.is_symlink()
    assert real.read_text(encoding="utf-8") == TEXT.replace("= 1.0", "= 1.5")


def test_a_read_only_file_stays_as_it_is(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(TEXT, encoding="utf-8")
    config.chmod(0o444)
    with pytest.raises(StorageError) as raised:
        change_settings(config, {"voice.speed": 1.5})
    assert raised.value.message_key == "error.storage_read_only"
    assert config.read_text(encoding="utf-8") == TEXT


@pytest.mark.parametrize(
    ("text", "name", "value", "line"),
    [
        (f"{TEXT}nonsense\n", "voice.speed", 1.5, 12),
        (f"{TEXT}\n[voice]\n", "voice.speed", 1.5, 13),
        (f"{TEXT}nonsense = 1\n", "voice.cues", False, 12),
        (TEXT, "voice.speed", 9.0, 0),
        (TEXT.replace("1.0", "8.0"), "voice.speed", 9.0, 0),
        (TEXT, "voice.wake_word", "hey_sori", 0),
        (TEXT, "desktop.global_talk", "ctrl+alt+j", 0),
        ("voice = 3\n", "voice.speed", 1.5, 1),
    ],
)
def test_what_would_leave_an_invalid_file_is_not_written_and_told_with_the_line_of_the_file(
    tmp_path: Path, text: str, name: str, value: Value, line: int
) -> None:
    config = tmp_path / "config.toml"
    config.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as raised:
        change_settings(config, {name: value})
    assert config.read_text(encoding="utf-8") == text
    assert raised.value.line == line


def test_a_file_whose_only_mistake_is_in_the_setting_is_mended(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[voice]\nspeed = 9 # fast\ncues = false\n", encoding="utf-8")
    assert change_settings(config, {"voice.speed": None}).voice.speed == 1.0
    assert config.read_text(encoding="utf-8") == "[voice]\n# fast\ncues = false\n"
