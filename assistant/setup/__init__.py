"""Makes the environment of Sori. Standard library only, because it runs before anything is installed."""
