"""Generated pictures and other small files."""

import io
import struct
import zlib

from PIL import Image

Colour = tuple[int, int, int]

PDF = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer << /Root 1 0 R >>\n%%EOF\n"
WAV = b"RIFF" + struct.pack("<I", 38) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 16000, 2, 16)
WAV += b"data" + struct.pack("<I", 2) + b"\0\0"
MP3 = b"ID3\x04\0\0\0\0\0\0" + b"\xff\xfb\x90\0" + bytes(400)
HEIC = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(64)


def drawn(width: int = 40, height: int = 20, left: Colour = (255, 0, 0), right: Colour = (0, 0, 255)) -> Image.Image:
    """A picture with a red left half and a blue right one."""
    image = Image.new("RGB", (width, height), right)
    image.paste(left, (0, 0, width // 2, height))
    return image


def noise(width: int, height: int) -> Image.Image:
    """A picture that cannot be compressed well."""
    return Image.merge("RGB", [Image.effect_noise((width, height), 90) for _ in range(3)])


def encoded(image: Image.Image, encoding: str = "PNG", **options: object) -> bytes:
    """Encode a picture as a file."""
    file = io.BytesIO()
    image.save(file, encoding, **options)
    return file.getvalue()


def decoded(data: bytes) -> Image.Image:
    """Decode the picture in a file."""
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


def announcing(width: int, height: int) -> bytes:
    """A PNG of a few bytes whose header claims this size."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(bytes(64))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")
