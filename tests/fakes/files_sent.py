"""Finds the files in requests to a scripted model server."""

import base64
from typing import Any


def files_in(content: Any) -> list[tuple[str, bytes]]:
    """Media type and bytes of every file in a request's body of any API, in order."""
    match content:
        case {"type": "image_url", "image_url": {"url": str(url)}}:
            head, _, data = url.partition(";base64,")
            return [(head.removeprefix("data:"), base64.b64decode(data))]
        case {"type": "input_audio", "input_audio": {"data": data, "format": kind}}:
            return [(f"audio/{kind}", base64.b64decode(data))]
        case {"type": "base64", "media_type": kind, "data": data}:
            return [(kind, base64.b64decode(data))]
        case {"inlineData": {"mime_type": kind, "data": data}}:
            # Google's SDK writes the field in snake case, which the API also accepts.
            return [(kind, base64.urlsafe_b64decode(data))]
        case dict():
            return [file for each in content.values() for file in files_in(each)]
        case list():
            return [file for each in content for file in files_in(each)]
        case _:
            return []
