"""The rooms of the engine: one file builds the parts of one room from those that it stands on."""
