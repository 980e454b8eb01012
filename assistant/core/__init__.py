"""Pure core: states, events, effects, the interaction machine, messages, settings. No imports from the rest, no I/O."""
