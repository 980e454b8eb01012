"""Text preparation for speech: language detection, sentence chunking, and conversion to spoken form."""
