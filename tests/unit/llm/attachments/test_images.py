import random
from collections import Counter

import pytest
from PIL import Image

from assistant.llm.attachments.images import ImageLimits, UnfitImageError, fit_image
from tests.fakes.pictures import HEIC, announcing, decoded, drawn, encoded, noise

LIMITS = ImageLimits(edge=1568, size=3_900_000)
ORIENTATION, MAKE, GPS = 0x0112, 0x010F, 0x8825


def photographed(**options: object) -> bytes:
    """A JPEG as a camera that was held on its side writes it."""
    exif = Image.Exif()
    exif[ORIENTATION] = 6
    exif[MAKE] = "Camera"
    exif[GPS] = {1: "N", 2: (37.0, 33.0, 0.0)}
    return encoded(drawn(400, 200), "JPEG", exif=exif, comment=b"for mother", quality=95, **options)


def reason_of(data: bytes, limits: ImageLimits = LIMITS) -> str:
    with pytest.raises(UnfitImageError) as raised:
        fit_image(data, limits)
    return raised.value.reason


@pytest.mark.parametrize("encoding", ["PNG", "GIF", "BMP"])
def test_a_drawing_arrives_pixel_for_pixel(encoding: str) -> None:
    kind, data = fit_image(encoded(drawn(), encoding), LIMITS)
    assert kind == "image/png"
    assert decoded(data).convert("RGB").tobytes() == drawn().tobytes()


@pytest.mark.parametrize("encoding", ["JPEG", "WEBP", "AVIF"])
def test_what_other_cameras_and_browsers_write_is_understood(encoding: str) -> None:
    _, data = fit_image(encoded(drawn(), encoding), LIMITS)
    red, _, blue = decoded(data).convert("RGB").getpixel((5, 10))  # type: ignore[misc]  # Pillow's union of pixel types
    assert red > 200
    assert blue < 60


@pytest.mark.long
def test_a_photograph_becomes_no_longer_than_a_model_looks_at() -> None:
    kind, data = fit_image(encoded(noise(3000, 2000), "JPEG", quality=95), LIMITS)
    assert (kind, decoded(data).size) == ("image/jpeg", (1568, 1045))
    assert len(data) <= LIMITS.size


@pytest.mark.long
def test_a_photograph_that_was_saved_without_loss_is_sent_as_a_photograph() -> None:
    assert fit_image(encoded(noise(1200, 900)), LIMITS)[0] == "image/jpeg"


def test_an_image_is_made_smaller_until_it_fits() -> None:
    limits = ImageLimits(edge=1568, size=20_000)
    _, data = fit_image(encoded(noise(1000, 800), "JPEG"), limits)
    assert len(data) <= limits.size
    assert reason_of(encoded(noise(1000, 800), "JPEG"), ImageLimits(edge=1568, size=100)) == "size"


def test_where_a_photograph_was_taken_and_what_else_stands_in_it_is_gone_and_it_stands_upright() -> None:
    source = photographed()
    _, data = fit_image(source, LIMITS)
    assert decoded(source).getexif().get_ifd(GPS)
    image = decoded(data)
    assert not dict(image.getexif())
    assert not {"exif", "comment", "icc_profile", "xmp"} & image.info.keys()
    assert image.size == (200, 400)
    above, below = image.getpixel((100, 20)), image.getpixel((100, 380))
    assert isinstance(above, tuple)
    assert isinstance(below, tuple)
    assert above[0] > 200 > 60 > above[2]
    assert below[2] > 200 > 60 > below[0]


def test_metadata_of_a_drawing_is_gone_too() -> None:
    exif = Image.Exif()
    exif[MAKE] = "Camera"
    _, data = fit_image(encoded(drawn(), "PNG", exif=exif, icc_profile=b"profile", dpi=(300, 300)), LIMITS)
    assert decoded(data).info == {}


def test_of_a_moving_image_the_first_picture_is_taken() -> None:
    pictures = [Image.new("RGB", (30, 20), colour) for colour in ("red", "lime", "blue")]
    moving = encoded(pictures[0], "GIF", save_all=True, append_images=pictures[1:], duration=100)
    _, data = fit_image(moving, LIMITS)
    assert decoded(data).convert("RGB").getpixel((15, 10)) == (255, 0, 0)


@pytest.mark.long
def test_what_can_be_seen_through_stays_so_in_a_drawing_and_lies_on_white_in_a_photograph() -> None:
    glass = drawn().convert("RGBA")
    glass.putalpha(0)
    assert decoded(fit_image(encoded(glass), LIMITS)[1]).getpixel((5, 5)) == (255, 0, 0, 0)
    photograph = noise(1200, 900).convert("RGBA")
    photograph.putalpha(0)
    kind, data = fit_image(encoded(photograph), ImageLimits(edge=1568, size=100_000))
    assert (kind, decoded(data).getpixel((5, 5))) == ("image/jpeg", (255, 255, 255))


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16"])
def test_every_kind_of_pixel_can_be_sent(mode: str) -> None:
    image = Image.new(mode, (300, 200)) if mode == "I;16" else drawn(300, 200).convert(mode)
    assert decoded(fit_image(encoded(image), ImageLimits(edge=100, size=50_000))[1]).size == (100, 67)


def test_sixteen_bits_are_scaled_and_not_cut() -> None:
    grey = Image.new("I;16", (20, 20), 32_768)
    assert decoded(fit_image(encoded(grey), LIMITS)[1]).getpixel((5, 5)) in (127, 128)


def test_print_colours_can_be_sent() -> None:
    assert decoded(fit_image(encoded(drawn().convert("CMYK"), "JPEG"), LIMITS)[1]).mode == "RGB"


def test_the_same_image_gives_the_same_bytes() -> None:
    assert fit_image(photographed(), LIMITS) == fit_image(photographed(), LIMITS)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "broken"),
        (b"no image", "broken"),
        (HEIC, "broken"),
        (encoded(noise(300, 200), "JPEG")[:5000], "broken"),
        (encoded(noise(300, 200))[:5000], "broken"),
        (announcing(100, 100), "broken"),
        (announcing(50_000, 50_000), "broken"),
        (announcing(15_000, 15_000), "broken"),
        (announcing(12_000, 9_000), "size"),
    ],
)
def test_what_is_not_whole_or_a_bomb_is_said_to_be_so(data: bytes, reason: str) -> None:
    assert reason_of(data) == reason


def test_whatever_is_wrong_with_an_image_nothing_but_a_reason_comes_of_it() -> None:
    dice = random.Random(20261122)
    small = drawn(60, 40)
    sources = [encoded(small, encoding) for encoding in ("PNG", "JPEG", "GIF", "WEBP", "BMP", "AVIF")]
    outcomes: Counter[str] = Counter()
    for source in [*sources, photographed()]:
        for _ in range(60):
            data = bytearray(source)
            for _ in range(dice.randint(1, 6)):
                data[dice.randrange(len(data))] = dice.randrange(256)
            try:
                kind, _ = fit_image(bytes(data[: dice.randint(1, len(data))]), LIMITS)
            except UnfitImageError as error:
                kind = error.reason
            outcomes[kind] += 1
    assert set(outcomes) <= {"image/png", "image/jpeg", "broken", "size", "type"}
