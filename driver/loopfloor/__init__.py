"""loopfloor: how late does your event loop run work, read against its own floor?"""
