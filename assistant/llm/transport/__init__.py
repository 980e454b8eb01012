"""HTTP beneath every format: endpoints, SDK clients, event streams, server errors."""
