"""The domains of the engine: each takes the requests of its kind and returns replies, whoever asks."""
