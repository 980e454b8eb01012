"""The names of Sori's own language models. They stand alone, because every command asks which one this machine has."""

EMBEDDED_MODEL = "qwen2.5-coder-1.5b"
"""The embedded server's default model: Korean, English, tools."""

PLACEHOLDER_MODEL = "smollm2-135m"
"""The default on a machine that is too small for it: English small talk, no Korean, no tools. Wherever its name is
shown, these limits are shown too."""
