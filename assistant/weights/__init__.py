"""The available models: fetches their weights and checks them. Imports ``core`` only."""
