"""Finds the files in what a scripted model server was sent."""

import base64
from typing import Any


def files_in(content: Any) -> list[tuple[str, bytes]]:
    """Media type and bytes of every file in a request's body, in order, whatever API's body it is."""
    match content:
        case {"type": "image_url", "image_url": {"url": str(url)}}:
            head, _, data = url.partition(";base64,")
            return [(head.removeprefix("data:"), base64.b64decode(data))]
        case {"type": "input_audio", "input_audio": {"data": data, "format": kind}}:
            return [(f"audio/{kind}", base64.b64decode(data))]
        case {"type": "base64", "media_type": kind, "data": data}:
            return [(kind, base64.b64decode(data))]
        case {"inlineData": {"mime_type": kind, "data": data}}:
            # As Google's SDK spells it, which the API takes as well.
            return [(kind, base64.urlsafe_b64decode(data))]
        case dict():
            return [file for each in content.values() for file in files_in(each)]
        case list():
            return [file for each in content for file in files_in(each)]
        case _:
            return []
