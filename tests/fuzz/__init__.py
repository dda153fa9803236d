"""Odd input of every kind; a short, seeded part in each test run, ten minutes by `make fuzz`."""
