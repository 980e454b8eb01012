"""What is told in a window of its own because the usual one cannot open. Imported by app only."""
