"""What the words of a conversation do to the recogniser: the sentences that are spoken, and the words before them."""
