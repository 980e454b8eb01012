"""Transcriptions and speech in the form of the OpenAI API: Sori's ears and voices for other programs."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final

from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.responses import JSONResponse, PlainTextResponse, Response

from assistant.core.formats.json_form import to_json
from assistant.core.service.requests import speech as sp
from assistant.remote.http.guard import LARGEST_BODY
from assistant.remote.http.operations import HttpCall
from assistant.remote.http.refusals import refused
from assistant.remote.http.server_sent import unless_gone

MULTIPART: Final = "multipart/form-data"
OPENAI_VOICES: Final = frozenset(
    ["alloy", "ash", "ballad", "cedar", "coral", "echo", "fable", "marin", "nova", "onyx", "sage", "shimmer", "verse"]
)
"""Voices of the OpenAI API. Programs send one although they do not mean it; the voice of the settings speaks."""
_MEDIA: Final[Mapping[sp.SoundForm, str]] = {
    sp.SoundForm.MP3: "audio/mpeg",
    sp.SoundForm.OPUS: "audio/ogg",
    sp.SoundForm.AAC: "audio/aac",
    sp.SoundForm.FLAC: "audio/flac",
    sp.SoundForm.WAV: "audio/wav",
    sp.SoundForm.PCM: "audio/pcm",
}
_IGNORED_OF_EARS: Final = ("prompt", "temperature", "timestamp_granularities[]", "chunking_strategy")
_FIELDS: Final = 20
_USUAL: Final = "json"


class _InMemory(MultiPartParser):
    """Keeps files in memory: a recording of the user must not lie in a folder for temporary files."""

    spool_max_size = LARGEST_BODY


async def transcribe(call: HttpCall) -> Response:
    """Transcribe a recording."""
    form = await _form(call)
    try:
        request = await _request(call, form)
    finally:
        await form.close()
    heard: sp.HeardSpeech = await unless_gone(call.http.receive, call.engine.result(call.caller, request))
    response = _WRITERS[str(form.get("response_format") or _USUAL)](heard)
    if ignored := [each for each in _IGNORED_OF_EARS if form.get(each)]:
        response.headers["x-sori-ignored"] = ", ".join(ignored)
    return response


async def _request(call: HttpCall, form: FormData) -> sp.Transcribe:
    file, language, wanted = form.get("file"), form.get("language") or "", form.get("response_format") or _USUAL
    saying = form.get("saying")
    if (
        not isinstance(file, UploadFile)
        or not isinstance(language, str)
        or wanted not in _WRITERS
        or isinstance(saying, UploadFile)
    ):
        raise refused(call.texts, HTTPStatus.BAD_REQUEST, "invalid", detail="file, language, response_format, saying")
    if form.get("stream") == "true":
        raise refused(call.texts, HTTPStatus.BAD_REQUEST, "unsupported", name="stream")
    return sp.Transcribe(
        sound=await file.read(), language=language, saying=saying, fell_silent=form.get("fell_silent") == "true"
    )


async def _form(call: HttpCall) -> FormData:
    kind = call.http.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != MULTIPART:
        raise refused(call.texts, HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "wrong_type", wanted=MULTIPART)
    parser = _InMemory(call.http.headers, call.http.stream(), max_files=1, max_fields=_FIELDS)
    try:
        return await parser.parse()
    except (MultiPartException, KeyError, UnicodeDecodeError, ValueError) as error:
        raise refused(call.texts, HTTPStatus.BAD_REQUEST, "invalid", detail=str(error)[:200]) from None


async def speak(call: HttpCall) -> Response:
    """Read a text."""
    body = await call.body()
    text, voice, speed = body.get("input"), body.get("voice", ""), body.get("speed", 1.0)
    form, language = body.get("response_format", "mp3"), body.get("language", "")
    named = (voice, language, body.get("model", ""))
    if not isinstance(text, str) or not all(isinstance(each, str) for each in named):
        raise refused(call.texts, HTTPStatus.BAD_REQUEST, "invalid", detail="input, voice, language, model")
    if form not in [*sp.SoundForm] or type(speed) not in (int, float):
        raise refused(call.texts, HTTPStatus.BAD_REQUEST, "invalid", detail="response_format, speed")
    if body.get("stream_format") not in (None, "audio"):
        raise refused(call.texts, HTTPStatus.BAD_REQUEST, "unsupported", name="stream_format")
    request = sp.Speak(
        text=text,
        voice="" if voice in OPENAI_VOICES else voice,
        language=language,
        speed=float(speed),
        form=sp.SoundForm(form),
    )
    spoken = await unless_gone(call.http.receive, call.engine.result(call.caller, request))
    headers = {"x-sori-ignored": "instructions"} if body.get("instructions") else {}
    return Response(spoken.sound, media_type=_MEDIA[request.form], headers=headers)


async def list_voices(call: HttpCall) -> Response:
    """The voices that can speak."""
    voices = await call.engine.result(call.caller, sp.ListVoices())
    return JSONResponse({"voices": to_json(tuple[sp.ListedVoice, ...], voices)})


def _detailed(heard: sp.HeardSpeech) -> Response:
    segments: list[dict[str, Any]] = [
        {
            "id": number,
            "start": each.start_s,
            "end": each.end_s,
            "text": each.text,
            "avg_logprob": each.average_log_probability,
            "no_speech_prob": each.no_speech_probability,
        }
        for number, each in enumerate(heard.parts)
    ]
    told = {"task": "transcribe", "language": heard.language, "duration": heard.duration_s, "text": heard.text}
    return JSONResponse({**told, "segments": segments})


def _subtitles(heard: sp.HeardSpeech, *, web: bool) -> Response:
    blocks = ["WEBVTT"] if web else []
    for number, each in enumerate(heard.parts, 1):
        span = f"{_clock(each.start_s, web=web)} --> {_clock(each.end_s, web=web)}"
        blocks.append(f"{span}\n{each.text}" if web else f"{number}\n{span}\n{each.text}")
    return PlainTextResponse("\n\n".join(blocks) + "\n")


def _clock(seconds: float, *, web: bool) -> str:
    whole = round(seconds * 1000)
    mark = "." if web else ","
    return f"{whole // 3_600_000:02}:{whole // 60_000 % 60:02}:{whole // 1000 % 60:02}{mark}{whole % 1000:03}"


_WRITERS: Final[Mapping[str, Callable[[sp.HeardSpeech], Response]]] = {
    "json": lambda heard: JSONResponse({"text": heard.text}),
    "sori": lambda heard: JSONResponse(to_json(sp.HeardSpeech, heard)),
    "text": lambda heard: PlainTextResponse(heard.text + "\n"),
    "verbose_json": _detailed,
    "srt": lambda heard: _subtitles(heard, web=False),
    "vtt": lambda heard: _subtitles(heard, web=True),
}
"""Writes a transcript in each form of the OpenAI API, and in Sori's own, which tells all that is known of it."""
