"""Echo of Sori's own voice in the microphone: detection and cancellation."""
