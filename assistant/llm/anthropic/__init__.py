"""The Anthropic format: messages."""
