"""What a model is sent: the system prompt, summaries, notes and messages, in their order and within their limits."""
