"""Running an agent by itself, and making a model ready for one. Imports the rest of agent, which does not know it."""
