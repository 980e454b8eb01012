"""A service, a model and stores for the tests of guided flows."""
