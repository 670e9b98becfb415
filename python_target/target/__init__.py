"""The Python target: one contract, served by FastAPI on uvicorn, on the loop that it is told to use."""
