"""Language models: the backend Protocol, routing, retries. Imported by ``flows``, ``tools``, ``chat`` and above."""
