"""Draws a chart of the models' usage: tokens per day, and time to the first token.

matplotlib is imported when a chart is drawn. The import takes a second or two, and other commands do not need it.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.core.errors import ErrorCode, SoriError, StorageError
from assistant.core.records.usage import Exchange, percentile
from assistant.core.texts import Texts
from assistant.host.texts import load_texts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FORMATS = ("png", "svg", "pdf")
_SIZE_INCHES = (10, 7)
_DPI = 130

_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442")
"""The palette of Okabe and Ito, which is distinguishable with colour vision deficiency."""
_OTHERS_COLOUR = "#999999"
_PALE = "#d9d9d9"

_HANGUL = ord("가")
_KOREAN_FAMILIES = ("Noto Sans CJK KR", "Noto Sans KR", "NanumGothic", "Apple SD Gothic Neo", "Malgun Gothic")
"""Preferred families, which were designed for Korean on screens. Any other family with Hangul will do."""
_PLACEHOLDER_FAMILY = "Last Resort"
"""It has a placeholder box for every letter and no real letters."""


def image_format(path: Path) -> str:
    """The image format of the file's suffix.

    Raises:
        SoriError: the format is not supported.
    """
    ending = path.suffix.lower().removeprefix(".")
    if ending not in _FORMATS:
        raise SoriError(
            ErrorCode.INVALID_REQUEST,
            f"{path}: charts cannot have the format {ending!r}; use one of {', '.join(_FORMATS)}",
            message_key="plot_format",
            values={"path": str(path), "formats": ", ".join(f".{each}" for each in _FORMATS)},
        )
    return ending


def draw(exchanges: Sequence[Exchange], path: Path, texts: Texts, *, last: date) -> None:
    """Draw the chart into a file.

    Args:
        exchanges: at least one, oldest first; the first one's day is at the left.
        path: the file; its suffix gives the format.
        texts: the user's texts; without a font for Korean the labels are English.
        last: the day at the right.

    Raises:
        SoriError: the format is not supported.
        StorageError: the file cannot be written.
    """
    file_format = image_format(path)
    first = date.fromisoformat(exchanges[0].at[:10])
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    family = _korean_family()
    if not family and texts.language == "ko":
        texts = load_texts("en")
    with mpl.rc_context({"font.family": [*([family] if family else []), "DejaVu Sans"]}):
        figure = Figure(figsize=_SIZE_INCHES, layout="constrained", facecolor="white")
        FigureCanvasAgg(figure)
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        models = _models(exchanges, texts("usage.plot.others"))
        days = [first + timedelta(days=number) for number in range((last - first).days + 1)]
        _draw_tokens(above, exchanges, models, days, texts)
        _draw_first_tokens(below, exchanges, models, days, texts)
        _name_days(below, days)
        figure.legend(
            *above.get_legend_handles_labels(),
            loc="outside upper center",
            ncols=min(4, len(set(models.values()))),
            frameon=False,
        )
        try:
            figure.savefig(path, format=file_format, dpi=_DPI)
        except OSError as error:
            detail = error.strerror or str(error)
            raise StorageError(str(path), detail, message_key="plot_unwritable", cause=error) from error


def _models(exchanges: Sequence[Exchange], others: str) -> dict[str, tuple[str, str]]:
    """Label and colour of every model: the most used ones by name, the others together."""
    tokens = defaultdict[str, int](int)
    for each in exchanges:
        tokens[each.model_name] += each.total or 0
    ranked = sorted(tokens, key=lambda name: (-tokens[name], name))
    shown = ranked if len(ranked) <= len(_COLOURS) else ranked[: len(_COLOURS) - 1]
    looks = {name: (name, colour) for name, colour in zip(shown, _COLOURS, strict=False)}
    return looks | {name: (others, _OTHERS_COLOUR) for name in ranked if name not in looks}


def _draw_tokens(
    axes: "Axes", exchanges: Sequence[Exchange], models: dict[str, tuple[str, str]], days: Sequence[date], texts: Texts
) -> None:
    """Draw bars of tokens per day, with one part for each model."""
    counts = defaultdict[tuple[str, str], int](int)
    for each in exchanges:
        counts[models[each.model_name][0], each.at[:10]] += each.total or 0
    bottoms = [0] * len(days)
    for label, colour in dict.fromkeys(models.values()):
        heights = [counts[label, day.isoformat()] for day in days]
        axes.bar(range(len(days)), heights, bottom=bottoms, label=label, color=colour, width=0.8)
        bottoms = [bottom + height for bottom, height in zip(bottoms, heights, strict=True)]
    uncounted = sum(each.uncounted or each.partial for each in exchanges)
    axes.set_title(texts("usage.plot.tokens_uncounted" if uncounted else "usage.plot.tokens", count=uncounted))
    axes.yaxis.set_major_formatter("{x:,.0f}")
    # Without tokens the axis would show fractions of one.
    axes.set_ylim(0, None if any(bottoms) else 1_000)
    _lighten(axes)


def _draw_first_tokens(
    axes: "Axes", exchanges: Sequence[Exchange], models: dict[str, tuple[str, str]], days: Sequence[date], texts: Texts
) -> None:
    """Draw the median time to the first token by model and day, with a line up to the 95th percentile."""
    places = {day.isoformat(): number for number, day in enumerate(days)}
    times = defaultdict[tuple[tuple[str, str], str], list[float]](list)
    for each in exchanges:
        if each.timed and each.first_token_ms is not None:
            times[models[each.model_name], each.at[:10]].append(each.first_token_ms / 1000)
    looks = list(dict.fromkeys(models.values()))
    for (look, day), seconds in times.items():
        # Models of one day are drawn side by side.
        place = places[day] + 0.6 * ((looks.index(look) + 0.5) / len(looks) - 0.5)
        middle, high = percentile(seconds, 50) or 0.0, percentile(seconds, 95) or 0.0
        axes.plot([place, place], [middle, high], color=look[1], linewidth=1.5, solid_capstyle="round")
        axes.plot([place], [middle], color=look[1], marker="o", markersize=5)
    axes.set_title(texts("usage.plot.first_token"))
    axes.set_ylabel(texts("usage.plot.seconds"))
    axes.set_ylim(bottom=0)
    _lighten(axes)


def _name_days(axes: "Axes", days: Sequence[date]) -> None:
    step = max(1, -(-len(days) // 12))
    shown = range(len(days) - 1, -1, -step)
    axes.set_xticks(list(shown), [f"{days[number].month}/{days[number].day}" for number in shown])
    axes.set_xlim(-0.6, len(days) - 0.4)


def _lighten(axes: "Axes") -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(_PALE)
    axes.grid(axis="y", color=_PALE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)


def _korean_family() -> str:
    """A font family with Hangul, empty when none is installed."""
    from matplotlib.font_manager import fontManager
    from matplotlib.ft2font import FT2Font

    found: list[str] = []
    for entry in fontManager.ttflist:
        if entry.name in found or entry.name.startswith(_PLACEHOLDER_FAMILY):
            continue
        try:
            has_hangul = bool(FT2Font(entry.fname).get_char_index(_HANGUL))
        except (OSError, RuntimeError):  # deleted since the list was made, or of a format that cannot be drawn
            continue
        if has_hangul:
            found.append(entry.name)
    preferred = [name for name in _KOREAN_FAMILIES if name in found]
    plain = [name for name in found if "Serif" not in name and "Mono" not in name]
    return next(iter([*preferred, *plain, *found]), "")
