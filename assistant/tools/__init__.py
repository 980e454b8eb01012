"""The tools that a model may call, and the gate that runs every call. Imported by ``agent`` and above."""
