"""Makes the environment Sori runs in. Standard library only: it runs before anything is installed."""
