"""HTTP on loopback: REST, turns as server-sent events, and speech and chat in the form of the OpenAI API."""
