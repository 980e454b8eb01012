"""The checks of ``sori doctor``. Every check tries the thing itself."""
