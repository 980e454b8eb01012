"""The engine as a service: requests, replies, events, and the connection over which a client exchanges them."""
