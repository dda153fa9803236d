"""Programs that others wrote, talking to the practice API as they would to the real one."""
