"""The models while the engine runs: fetching missing weights, and what the window offers."""
