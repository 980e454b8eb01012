"""What of Sori's own voice comes back through the microphone."""
