"""The parts of an engine that commands have in their own process while no engine runs."""
