"""Serves the clients of the engine: who is connected, what they get, and who carries out what they ask for."""
