"""Prepares images for a model: upright, no larger than the model uses, and without metadata.

The metadata of a photograph holds its place, time and camera, and a thumbnail that may show cropped parts. None of it
leaves the computer, so every image is decoded and encoded again.

Blocks for up to a second for a photograph. Do not call it on the event loop's thread.
"""

import io
import struct
import warnings
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from PIL.Image import Image

_DECODED = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "AVIF")
"""The formats that Pillow may decode: those of cameras, browsers and screenshots.

TIFF is excluded because its decoder writes warnings to the terminal. Formats that are programs, such as PostScript, are
excluded too.
"""

DECODED_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/avif"})
"""The same formats as media types. HEIC is missing: Pillow cannot decode it, so its metadata cannot be removed."""

_MOST_PIXELS = 200_000_000
"""Most pixels of a photograph, as the largest telephone cameras make them. A JPEG is scaled down while it is decoded.

Pillow raises an error above twice this number and a warning above it. The warning is an error here too.
"""

_MOST_PIXELS_UNSCALED = 90_000_000
"""Most pixels of any other image, which is decoded whole: 360 MB. It is Pillow's own limit for decompression bombs."""

_HEAVY_BYTES = 1_000_000
"""A lossless image of more bytes is taken for a photograph and sent as JPEG."""

_QUALITIES = (90, 80, 65)
"""JPEG qualities to try until the image is small enough. Below 65, letters in a picture become hard to read."""

_SMALLEST_EDGE = 64

DECODING_ERRORS = (
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    IndexError,
    TypeError,
    OverflowError,
    RuntimeError,
    struct.error,
)
"""Exceptions of Pillow's decoders on damaged data, as seen with bytes cut and changed at arbitrary places."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageLimits:
    """The limits of an API for an image.

    Attributes:
        edge: longest edge in pixels that the API uses.
        size: maximum bytes of the encoded image.
    """

    edge: int
    size: int


class UnfitImageError(Exception):
    """An image cannot be sent.

    Attributes:
        reason: ``type``, ``size`` or ``broken``, as in ``AttachmentLeftOut``.
    """

    def __init__(self, reason: Literal["type", "size", "broken"], detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


def fit_image(data: bytes, limits: ImageLimits) -> tuple[str, bytes]:
    """Encode the image within the limits as PNG or JPEG, which every API accepts.

    The same input gives the same output, so that the prefix of a prompt stays the same (C-08). An animated image is
    reduced to its first frame.

    Returns:
        The media type and the bytes.

    Raises:
        UnfitImageError: the data is not an image that can be decoded, is damaged, or stays too large at every size.
    """
    image_module = pillow()
    try:
        with image_module.open(io.BytesIO(data), formats=_DECODED) as opened:
            return _encoded(_upright(opened, limits.edge), lossy=opened.format in ("JPEG", "MPO"), limits=limits)
    except image_module.UnidentifiedImageError as error:
        raise UnfitImageError("broken", str(error)) from error
    except (image_module.DecompressionBombError, image_module.DecompressionBombWarning, *DECODING_ERRORS) as error:
        raise UnfitImageError("broken", f"{type(error).__name__}: {error}") from error


def pillow() -> ModuleType:
    """Pillow's ``Image`` module, imported when the first image is sent, with the limit of pixels as an error."""
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = _MOST_PIXELS
    # Load the plugins. Without them Pillow knows only some of the formats.
    Image.init()
    # Warnings about odd metadata do not matter: no metadata is kept.
    warnings.filterwarnings("ignore", module=r"PIL\.")
    warnings.filterwarnings("error", category=Image.DecompressionBombWarning)
    return Image


def _upright(image: "Image", edge: int) -> "Image":
    """The first frame, upright, at most ``edge`` pixels long, in grey, RGB or RGBA."""
    from PIL import Image, ImageOps

    if image.format not in ("JPEG", "MPO") and image.width * image.height > _MOST_PIXELS_UNSCALED:
        raise UnfitImageError("size", f"{image.width} x {image.height} pixels")
    image.draft("RGB" if image.mode != "L" else "L", (edge, edge))
    picture = _plain(image)
    picture.thumbnail((edge, edge), Image.Resampling.LANCZOS)
    ImageOps.exif_transpose(picture, in_place=True)
    picture.info.clear()
    return picture


def _plain(image: "Image") -> "Image":
    """The picture without a palette, print colours or more than eight bits per channel, so that it can be scaled."""
    image.load()
    if image.mode in ("L", "RGB", "RGBA"):
        return image
    if image.mode.startswith("I"):
        # A plain conversion clips sixteen-bit values to white instead of scaling them.
        return image.convert("F").point(lambda value: value * (255.0 / 65_535.0)).convert("L")
    seen_through = image.mode in ("LA", "PA", "La", "RGBa") or "transparency" in image.info
    return image.convert("RGBA" if seen_through else "RGB")


def _encoded(picture: "Image", *, lossy: bool, limits: ImageLimits) -> tuple[str, bytes]:
    """The picture in the smallest suitable form: PNG for screenshots, JPEG for photographs."""
    if picture.mode == "RGBA" and picture.getchannel("A").getextrema() == (255, 255):
        picture = picture.convert("RGB")
    if not lossy:
        whole = _saved(picture, "PNG")
        if len(whole) <= min(_HEAVY_BYTES, limits.size):
            return "image/png", whole
    picture = _on_white(picture)
    while True:
        for quality in _QUALITIES:
            data = _saved(picture, "JPEG", quality=quality)
            if len(data) <= limits.size:
                return "image/jpeg", data
        if max(picture.size) < _SMALLEST_EDGE:
            raise UnfitImageError("size", f"{len(data)} bytes at {picture.width} x {picture.height} pixels")
        picture = picture.resize((max(picture.width // 2, 1), max(picture.height // 2, 1)))


def _on_white(picture: "Image") -> "Image":
    """The picture on a white background. JPEG has no transparency and would show it black."""
    from PIL import Image

    if picture.mode != "RGBA":
        return picture
    paper = Image.new("RGB", picture.size, "white")
    paper.paste(picture, mask=picture.getchannel("A"))
    return paper


def _saved(picture: "Image", encoding: str, **options: int) -> bytes:
    file = io.BytesIO()
    picture.save(file, encoding, **options)
    return file.getvalue()
