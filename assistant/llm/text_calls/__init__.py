"""Tool calls that a model writes as text, parsed from the stream as it arrives.

Pure. ``reader`` is the incremental parser, ``forms`` lists the markup of calls, ``json_text`` and ``payload`` read the
content of calls, and ``stream`` applies the reader to a backend's deltas. May import ``llm`` and ``core``.
"""
