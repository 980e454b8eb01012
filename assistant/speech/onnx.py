"""ONNX sessions for a desktop application: few threads, and none that spins while it waits."""

from pathlib import Path
from typing import Any

from assistant.core.errors import ModelFileError
from assistant.speech.numpy_threads import keep_numpy_to_one_thread


def open_session(path: Path, *, model: str, threads: int = 1) -> Any:
    """Open an ``onnxruntime.InferenceSession`` on the CPU.

    Threads that wait for work sleep instead of spinning. These models run a few times a second, and spinning would keep
    the processor busy in between.

    Args:
        path: the model file.
        model: the model's name in the manifest, used in the error.
        threads: threads for one inference.

    Raises:
        ModelFileError: the file is missing or is not a model.
    """
    import onnxruntime

    if not path.is_file():
        raise ModelFileError(f"{path} is missing; fetch it with: sori models pull {model}", model=model)
    keep_numpy_to_one_thread()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(path), sess_options=options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise ModelFileError(f"{path} cannot be loaded: {error}", model=model, cause=error) from error
