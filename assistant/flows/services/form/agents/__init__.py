"""The agents of the service, one a folder."""
