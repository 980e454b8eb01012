"""What is known about models: sizes, limits, prices, dialects."""
