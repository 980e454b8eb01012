"""Checks a picture that a server has made. A server can send anything in its place."""

import io

from assistant.llm.attachments.file_types import type_by_bytes
from assistant.llm.attachments.images import DECODING_ERRORS, UnfitImageError, pillow

MOST_BYTES = 32 * 1024 * 1024
"""Maximum size of a made picture."""
MOST_PIXELS = 64_000_000
"""Maximum number of pixels of a made picture; decoded it fills 256 MB."""
ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}
"""The media types of made pictures, and the endings of their file names."""


def made_image_type(data: bytes) -> str:
    """The media type of a whole, sound picture. Decodes it, so do not call this on the event loop's thread.

    Raises:
        UnfitImageError: the data is not a PNG, JPEG or WebP picture, is too large, or is damaged.
    """
    kind = type_by_bytes(data)
    if kind not in ENDINGS:
        raise UnfitImageError("type", f"{kind or 'unknown data'} instead of a picture")
    if len(data) > MOST_BYTES:
        raise UnfitImageError("size", f"{len(data)} bytes")
    images = pillow()
    try:
        with images.open(io.BytesIO(data), formats=("PNG", "JPEG", "WEBP")) as picture:
            if picture.width * picture.height > MOST_PIXELS:
                raise UnfitImageError("size", f"{picture.width} x {picture.height} pixels")
            picture.load()
    except (images.DecompressionBombError, images.DecompressionBombWarning, *DECODING_ERRORS) as error:
        raise UnfitImageError("broken", f"{type(error).__name__}: {error}") from error
    return kind
