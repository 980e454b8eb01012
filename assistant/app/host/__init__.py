"""What belongs to this machine and user: places, settings file, keys, logs, clock, the store of weights."""
