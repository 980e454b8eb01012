"""The addresses of this computer in local networks."""

from PySide6.QtNetwork import QAbstractSocket, QNetworkInterface

from assistant.core.addresses import is_near

_UP = QNetworkInterface.InterfaceFlag.IsUp | QNetworkInterface.InterfaceFlag.IsRunning
_BY_RADIO_OR_CABLE = (QNetworkInterface.InterfaceType.Wifi, QNetworkInterface.InterfaceType.Ethernet)
_VIRTUAL = ("docker", "br-", "veth", "virbr", "vmnet", "vEthernet")
"""Beginnings of the names of networks of containers and virtual machines, which call themselves Ethernet too."""


def near_addresses() -> tuple[str, ...]:
    """The addresses of private networks, those that a phone reaches most likely first."""
    found: list[tuple[tuple[bool, bool], str]] = []
    for interface in QNetworkInterface.allInterfaces():
        if _UP & ~interface.flags():
            continue
        unlikely = interface.type() not in _BY_RADIO_OR_CABLE or interface.name().startswith(_VIRTUAL)
        for entry in interface.addressEntries():
            address = entry.ip().toString()
            if is_near(address):
                older = entry.ip().protocol() == QAbstractSocket.NetworkLayerProtocol.IPv4Protocol
                found.append(((unlikely, not older), address))
    return tuple(address for _, address in sorted(found, key=lambda each: each[0]))
