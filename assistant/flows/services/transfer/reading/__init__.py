"""Code's own readers: what a message says of a transfer, without a model. Pure."""
