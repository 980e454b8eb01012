"""The services that come with Sori, one folder each."""
