"""The engine: all parts except the doors, on one loop."""
