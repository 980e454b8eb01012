"""The machine and the user: places, settings file, keys, logs, clock, the store of weights."""
