"""The pure core: messages, packets, updates, settings, errors, the interaction machine. No I/O; imports only itself."""
