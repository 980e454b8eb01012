"""Pure: states, events, effects, the interaction machine, messages, settings. Imports nothing of ours and no I/O."""
