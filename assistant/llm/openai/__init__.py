"""The OpenAI format: chat completions."""
