"""HTTP beneath every format: endpoints, the SDKs' clients, event streams, errors of servers."""
