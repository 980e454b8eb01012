"""Commands about microphone and speaker."""
