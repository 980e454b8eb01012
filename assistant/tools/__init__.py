"""What a model may do: tools, and the one gate that runs them. Imported by ``chat`` and above."""
