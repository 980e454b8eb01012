"""NumPy's matrix products on one thread (``docs/decisions/numpy-threads.md``)."""

from functools import cache


@cache
def keep_numpy_to_one_thread() -> None:
    """Let NumPy multiply matrices on the calling thread only, in the whole process.

    NumPy's OpenBLAS starts a thread for each further core. After a product they spin for about 0.1 s before they sleep.
    Speech needs many small products, which gain nothing by it, so a core would be busy for nothing while Sori listens.
    """
    # The limit holds for the libraries that are loaded, so NumPy comes first.
    import numpy as np  # noqa: F401
    from threadpoolctl import threadpool_limits

    threadpool_limits(limits=1, user_api="blas")
