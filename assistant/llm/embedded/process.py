"""The process of the embedded server: llama.cpp with its own HTTP server, through ``xllamacpp``.

``assistant.llm.embedded.server`` runs it as ``python -m assistant.llm.embedded.process``. It reads its configuration,
one line of JSON, from standard input, so that the API key is on no command line. It writes one line of JSON to standard
output for each step. It ends when standard input ends: only Sori holds the writing end, so killing Sori ends it too. On
Linux the kernel also ends it (``PR_SET_PDEATHSIG``), even while the model loads and Python is blocked.

It is a process and not a thread for three reasons: loading holds Python's global lock for a second or more, only the
end of a process returns the memory to the system, and a crash in native code must not end a conversation.
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
"""Memory for the cache of earlier prompts; the library's default is 8 GiB."""

_PROMPT_PIECE = 64
"""Tokens of a prompt to read between two checks for cancellation. With llama.cpp's 2048 a small machine works on a
cancelled request for up to a minute. With 64 it takes about a second, and without a GPU no cost could be measured."""

_SLOTS = 2
"""See ``slots.py``."""
_ASIDE_TOKENS = 1024
"""Room for a request without the conversation beside a conversation that fills the context."""
_BESIDE_BYTES = _PROMPT_CACHE_MIB * 1024 * 1024 + 60_000_000
"""Memory of the process beside the model and the context's cache: earlier prompts, Python, libraries, buffers."""

_LEAST_CONTEXT = 512
"""Tokens; a smaller context is too small for a conversation and is not offered."""

_NICENESS = 5
"""With it, a thread of speech on the same core gets three quarters of the core. Alone the server still gets all."""

_ERRORS_ONLY = 1
"""Level of llama.cpp's log. At a higher level the log grows with every request."""


def main() -> None:
    """Serve until standard input ends."""
    replies = _private_output()
    # Ctrl-C in a terminal reaches every process of the group. Sori decides when this one ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    configuration = json.loads(sys.stdin.readline())
    _end_with_parent(configuration["parent"])
    # When other threads need the cores too, as speech does, workers that spin at OpenMP's barriers cost several times
    # what they gain (measured in docs/decisions/embedded-llama-cpp.md). The library reads this when it is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    _yield_to_speech()
    _tell(replies, state="loading")
    _refuse_too_large(replies, configuration)
    try:
        server = _load(configuration)
    except RuntimeError as error:
        # RuntimeError is the library's only exception. A thread of the library writes the cause into its log. What is
        # not written yet is lost when the process ends, so Sori ends the process when it has read the cause.
        _tell(replies, state="failed", reason=str(error))
        sys.stdin.read()
        sys.exit(1)
    _tell(replies, state="ready", address=server.listening_address)
    sys.stdin.read()
    # Do not wait for an answer that is being written.
    os._exit(0)


def _yield_to_speech() -> None:
    """Leave the cores to speech when both want them: the listener waits for the next sound, not for the next word.

    Windows has no such call and keeps its usual order.
    """
    if hasattr(os, "nice"):
        os.nice(_NICENESS)


def _private_output() -> TextIO:
    """Standard output for the steps alone. Output of native code goes to standard error."""
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
            # The parent ended before the kernel was told.
            os._exit(0)


def _refuse_too_large(replies: TextIO, configuration: dict[str, Any]) -> None:
    """Exit if model and context do not fit into memory. Otherwise the system would kill other programs or freeze."""
    facts, free = gguf_facts(Path(configuration["model"])), free_memory()
    if facts is None or facts.cache_bytes_per_token is None or free is None or _has_gpu():
        # With a GPU, llama.cpp decides what fits into the GPU's memory.
        return
    context_tokens = configuration["context_tokens"]
    needed = facts.size + (context_tokens + _ASIDE_TOKENS) * facts.cache_bytes_per_token + _BESIDE_BYTES
    if needed > free:
        fits = largest_context(facts, free, _BESIDE_BYTES + _ASIDE_TOKENS * facts.cache_bytes_per_token)
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
    params.n_ctx = configuration["context_tokens"] + _ASIDE_TOKENS
    params.cpuparams.n_threads = configuration["threads"]
    params.cpuparams_batch.n_threads = configuration["threads"]
    # There is one conversation at a time. Its slot keeps the last prompt, so that only the new part of the next prompt
    # is read. Requests without the conversation have a slot of their own. Both share the context.
    params.n_parallel = _SLOTS
    params.kv_unified = True
    params.cache_prompt = True
    # llama.cpp would otherwise clear the conversation's slot when a request for the other slot begins.
    params.cache_idle_slots = False
    params.cache_ram_mib = _PROMPT_CACHE_MIB
    if not _has_gpu():
        params.n_batch = _PROMPT_PIECE
    params.verbosity = _ERRORS_ONLY
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [configuration["key"]]
    # Browser pages must not reach the server.
    params.ui = False
    params.cors_origins = ""
    params.endpoint_slots = False
    params.offline = True
    # State files are readable by the user only, whatever the folder's permissions.
    os.umask(0o077)
    params.slot_save_path = configuration["states"]
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
