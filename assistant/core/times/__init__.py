"""Times of day and dates as people say them, in Korean and English. Pure."""
