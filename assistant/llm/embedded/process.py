"""The process of the embedded server: llama.cpp with its own HTTP server, through ``xllamacpp``.

Run by ``assistant.llm.embedded.server`` as ``python -m assistant.llm.embedded.process``, and of no use by itself. It
reads its configuration, one line of JSON, from standard input, so that the API key is on no command line. It writes one
line of JSON to standard output for each step. It ends when standard input ends: only Sori holds the writing end, so a
killed Sori ends it too. On Linux the kernel ends it as well (``PR_SET_PDEATHSIG``), even while the model loads and
Python stands still.

It is a process and not a thread because loading holds Python's global lock to its end (a second or many), because
memory goes back to the system only so, and because a crash in native code must not end a conversation.
"""

import ctypes
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any, TextIO

from assistant.llm.embedded.gguf import free_memory, gguf_facts, largest_context

_PR_SET_PDEATHSIG = 1
"""From ``linux/prctl.h``."""

_PROMPT_CACHE_MIB = 256
"""Memory for prompts of earlier conversations; the library's own default is 8 GiB."""

_PROMPT_PIECE = 64
"""Tokens of a prompt that are read between two looks at whether the request still stands. With llama.cpp's 2048 a small
machine works on a cancelled request for up to a minute; with 64 for about a second, at no cost that could be measured
without a GPU."""

_BESIDE_BYTES = _PROMPT_CACHE_MIB * 1024 * 1024 + 60_000_000
"""What the process takes beside the model and the cache of its context: earlier prompts, Python, libraries, buffers."""

_LEAST_CONTEXT = 512
"""Tokens; with less than this no conversation is held, so it is not offered."""

_ERRORS_ONLY = 1
"""Level of llama.cpp's log; above it the log grows with every request."""


def main() -> None:
    """Serve until standard input ends."""
    replies = _private_output()
    # Ctrl-C in a terminal reaches every process of the group; Sori decides when this one ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    configuration = json.loads(sys.stdin.readline())
    _end_with_parent(configuration["parent"])
    # When other threads want the cores too (speech does), workers that spin at OpenMP's barriers cost several times
    # what they gain; measured in docs/decisions/embedded-llama-cpp.md. Read when the library is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    _tell(replies, state="loading")
    _refuse_too_large(replies, configuration)
    try:
        server = _load(configuration)
    except RuntimeError as error:
        # The library's only exception; its reason is in the log before it.
        _tell(replies, state="failed", reason=str(error))
        sys.exit(1)
    _tell(replies, state="ready", address=server.listening_address)
    sys.stdin.read()
    # A model in the middle of an answer need not be waited for.
    os._exit(0)


def _private_output() -> TextIO:
    """Standard output for the steps alone; whatever native code prints there goes to standard error."""
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return replies


def _tell(replies: TextIO, **step: str | int) -> None:
    replies.write(json.dumps(step) + "\n")
    replies.flush()


def _end_with_parent(parent: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            # It ended before the kernel was told.
            os._exit(0)


def _refuse_too_large(replies: TextIO, configuration: dict[str, Any]) -> None:
    """End here when model and context do not fit into memory: the system would end other programs, or stand still."""
    facts, free = gguf_facts(Path(configuration["model"])), free_memory()
    if facts is None or facts.cache_bytes_per_token is None or free is None or _has_gpu():
        # With a GPU, llama.cpp itself fits what it can into the GPU's memory.
        return
    context_tokens = configuration["context_tokens"]
    needed = facts.size + context_tokens * facts.cache_bytes_per_token + _BESIDE_BYTES
    if needed > free:
        fits = largest_context(facts, free, _BESIDE_BYTES)
        fits = fits if fits >= _LEAST_CONTEXT else 0
        _tell(replies, state="too_large", needed=needed, free=free, fits=fits, context_tokens=context_tokens)
        sys.exit(1)


def _has_gpu() -> bool:
    import xllamacpp

    return any("GPU" in device["type"].name for device in xllamacpp.get_device_info())


def _load(configuration: dict[str, Any]) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = configuration["model"]
    params.model_alias = {configuration["name"]}
    params.n_ctx = configuration["context_tokens"]
    params.cpuparams.n_threads = configuration["threads"]
    params.cpuparams_batch.n_threads = configuration["threads"]
    # One conversation at a time: a single slot has the whole context, and keeps what it has read of the last prompt,
    # so that of the next only what is new has to be read.
    params.n_parallel = 1
    params.cache_prompt = True
    params.cache_ram_mib = _PROMPT_CACHE_MIB
    if not _has_gpu():
        params.n_batch = _PROMPT_PIECE
    params.verbosity = _ERRORS_ONLY
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [configuration["key"]]
    # No page of a browser has business with it.
    params.ui = False
    params.cors_origins = ""
    params.endpoint_slots = False
    params.offline = True
    # Where it may write what it has read: nobody else's business, whatever the folder's own permissions.
    os.umask(0o077)
    params.slot_save_path = configuration["states"]
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
