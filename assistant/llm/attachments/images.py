"""Images as models are sent them: upright, no larger than a model looks at, and with nothing in them but the picture.

Where a photograph was taken, when, with which camera, and a thumbnail of what was cut from it, stand in its metadata;
none of that leaves the computer. Every image is therefore decoded and encoded anew.

Blocks for as long as that takes: up to a second for a photograph. Not for the event loop's thread.
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
"""What Pillow may take the bytes for: what cameras, browsers and screenshots make.

Not TIFF, whose decoder writes its complaints on the terminal, and nothing that is a program, as PostScript is.
"""

DECODED_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/avif"})
"""The same as media types. HEIC is not among them: Pillow cannot decode it, so its metadata cannot be taken out."""

_MOST_PIXELS = 200_000_000
"""Of a photograph, as the largest telephone cameras make them; a JPEG is scaled down while it is decoded.

Pillow refuses twice as many at once and warns of more than these, which is a refusal here too.
"""

_MOST_PIXELS_UNSCALED = 90_000_000
"""Of any other image, which stands in memory whole: 360 MB. Pillow's own limit for what is not a bomb."""

_HEAVY_BYTES = 1_000_000
"""From here on an image without loss is a photograph rather than a screenshot, and is sent as one."""

_QUALITIES = (90, 80, 65)
"""Of JPEG, one after the other until it is small enough; below, letters in a picture get hard to read."""

_SMALLEST_EDGE = 64

_BROKEN = (OSError, SyntaxError, ValueError, EOFError, IndexError, TypeError, OverflowError, RuntimeError, struct.error)
"""What Pillow's decoders raise on bytes that are not whole, as seen when they are cut and altered anywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageLimits:
    """What an API takes of an image.

    Attributes:
        edge: longest edge in pixels; more is not looked at.
        size: most bytes of the encoded image.
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
    """The image as it may be sent, as PNG or JPEG, which every API takes.

    The same bytes give the same bytes, so that the beginnings of prompts stay what they were (C-08).

    Of a moving image the first picture is taken.

    Returns:
        Its media type and its bytes.

    Raises:
        UnfitImageError: it is no image that can be decoded, not a whole one, or too large however small it is made.
    """
    pillow = _pillow()
    try:
        with pillow.open(io.BytesIO(data), formats=_DECODED) as opened:
            return _encoded(_upright(opened, limits.edge), lossy=opened.format in ("JPEG", "MPO"), limits=limits)
    except pillow.UnidentifiedImageError as error:
        raise UnfitImageError("broken", str(error)) from error
    except (pillow.DecompressionBombError, pillow.DecompressionBombWarning, *_BROKEN) as error:
        raise UnfitImageError("broken", f"{type(error).__name__}: {error}") from error


def _pillow() -> ModuleType:
    """Pillow's module of images, loaded when the first image is sent, and strict with images that are too large."""
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = _MOST_PIXELS
    # Its plugins; by itself it knows only some of the formats.
    Image.init()
    # What is odd about metadata matters to nobody here: none of it is kept.
    warnings.filterwarnings("ignore", module=r"PIL\.")
    warnings.filterwarnings("error", category=Image.DecompressionBombWarning)
    return Image


def _upright(image: "Image", edge: int) -> "Image":
    """The first picture, turned as its camera was held, at most ``edge`` pixels long, in grey, RGB or RGBA."""
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
    """The picture without palettes, print colours and more than eight bits, so that it can be scaled."""
    image.load()
    if image.mode in ("L", "RGB", "RGBA"):
        return image
    if image.mode.startswith("I"):
        # A plain conversion cuts sixteen bits off at white instead of scaling them.
        return image.convert("F").point(lambda value: value * (255.0 / 65_535.0)).convert("L")
    seen_through = image.mode in ("LA", "PA", "La", "RGBa") or "transparency" in image.info
    return image.convert("RGBA" if seen_through else "RGB")


def _encoded(picture: "Image", *, lossy: bool, limits: ImageLimits) -> tuple[str, bytes]:
    """The picture in the smallest form that keeps what matters of it: screenshots whole, photographs as JPEG."""
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
    """The picture on paper, where it was seen through: JPEG knows no transparency, and would show it black."""
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
