"""Keeps a copy of one company's programs. Python 3.9 or later, nothing else.

    client = ProgramsClient("https://programs.example.com", token, "programs.json")
    result = client.sync()  # every few minutes
"""

from .client import ProgramsClient
from .poll import CopiedProgram, SyncResult, Update
from .request import BadOptionError, Call, ProgramsApiError
from .state import CopyInUseError

__all__ = ["BadOptionError", "Call", "CopiedProgram", "CopyInUseError", "ProgramsApiError", "ProgramsClient", "SyncResult", "Update"]
