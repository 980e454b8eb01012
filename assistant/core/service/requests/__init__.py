"""The requests that clients send to the engine, one file a domain."""
