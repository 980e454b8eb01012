"""Multi-agent services: agents, handler, router. Imported by ``chat`` and above."""
