"""The services, one folder each."""
