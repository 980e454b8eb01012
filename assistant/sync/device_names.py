"""The name under which a device is in the server's list, which only devices of the account can read and make."""

from dataclasses import dataclass

from assistant.sync.sealing import DataKeys, UnopenedError

_LEFT = "\0left"
"""After the name of a device that has left by itself. The server only knows that it takes nothing from it any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceName:
    """How a device is called.

    Attributes:
        name: its name.
        left: whether it has left the account by itself.
    """

    name: str
    left: bool = False

    def sealed(self, keys: DataKeys, device: bytes) -> bytes:
        """As the server gets it.

        Args:
            keys: the account's keys.
            device: id of the device.
        """
        return keys.seal(device, f"{self.name}{_LEFT if self.left else ''}".encode())

    @classmethod
    def opened(cls, keys: DataKeys, device: bytes, sealed: bytes) -> "DeviceName":
        """As the server has it; the name is a question mark where the account's keys do not open it.

        Args:
            keys: the account's keys.
            device: id of the device.
            sealed: the encrypted name.
        """
        try:
            name = keys.open(device, sealed).decode()
        except (UnopenedError, UnicodeDecodeError):
            return cls(name="?")
        return cls(name=name.removesuffix(_LEFT), left=name.endswith(_LEFT))
