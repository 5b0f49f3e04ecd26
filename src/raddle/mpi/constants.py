"""The constants of MPI that the world of ranks distinguishes, with the values of Open MPI."""

from __future__ import annotations

ANY_SOURCE = -1  # a receive accepts messages from every rank
ANY_TAG = -1  # a receive accepts messages with every tag
PROC_NULL = -2  # a rank that does not exist: operations with it complete at once and transfer nothing
ROOT = -4
UNDEFINED = -32766
TAG_UB = 2**31 - 1  # largest tag
