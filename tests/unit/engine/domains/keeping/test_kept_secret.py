"""A secret of Sori's own stands in one place: in the keyring or in the key file."""

from pathlib import Path

from assistant.engine.domains.keeping.kept_secret import KeptSecret
from assistant.host.key_file import KeyFile
from assistant.host.keys import KEYRING_SERVICE, KeySource
from tests.fakes.system.keyring_backend import MemoryKeyring


async def test_the_newest_counts_wherever_it_is_kept(memory_keyring: MemoryKeyring, tmp_path: Path) -> None:
    file = KeyFile(tmp_path / "keys.json")
    secret = KeptSecret(file, "sync-account", without_keyring="sync_no_keyring")
    await secret.keep("first", in_file=False)
    await secret.keep("second", in_file=True)
    assert (secret.read().key, secret.read().source) == ("second", KeySource.FILE)
    assert memory_keyring.entries == {}
    await secret.keep("third", in_file=False)
    assert (secret.read().key, secret.read().source) == ("third", KeySource.KEYRING)
    assert file.key("sync-account") == ""
    assert memory_keyring.entries == {(KEYRING_SERVICE, "sync-account"): "third"}
