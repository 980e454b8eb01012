"""Thoughts and tool calls that a model writes as text, parsed from the stream as it arrives.

Pure, except that ``thinking_models`` remembers models. ``reader`` is the incremental parser, ``forms`` lists the
markup, ``surroundings`` tells whether it is used or mentioned, ``whole_reply``, ``json_text`` and ``payload`` read
calls, ``asked`` judges the request, and ``stream`` applies the reader to a backend's deltas. May import ``llm`` and
``core``.
"""
