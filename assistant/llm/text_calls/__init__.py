"""Tool calls that a model writes into its text, read out of the stream as it comes.

Pure. ``reader`` is the incremental parser; ``forms`` lists what models write around a call, ``json_text`` and
``payload`` read what is in it, ``stream`` joins the reader to a backend's deltas. May import ``llm`` and ``core``.
"""
