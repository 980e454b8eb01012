"""The hook that records requests for weights before they are made."""

from collections.abc import Callable

RecordDownload = Callable[[str], None]
"""Called with an address before anything is fetched from it. An error that it raises stops the download."""
