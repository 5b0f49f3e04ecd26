"""The modules `mpi4py` and `mpi4py.MPI` that programs import."""

from __future__ import annotations

import types
from typing import Any

from raddle.mpi import constants
from raddle.mpi.library import errors, operators
from raddle.mpi.library.buffers import IN_PLACE
from raddle.mpi.library.comm import COMM_NULL, COMM_SELF, COMM_WORLD, Comm
from raddle.mpi.library.datatypes import DATATYPES, Datatype
from raddle.mpi.library.environment import ENVIRONMENT
from raddle.mpi.library.group import CONGRUENT, IDENT, SIMILAR, UNEQUAL, Group
from raddle.mpi.library.management import (
    ATTRIBUTES,
    BSEND_OVERHEAD,
    COMM_TYPE_SHARED,
    ERRORS_ARE_FATAL,
    ERRORS_RETURN,
    ErrorHandler,
    attach_buffer,
    detach_buffer,
)
from raddle.mpi.library.matched import MatchedMessage
from raddle.mpi.library.persistent import Prequest
from raddle.mpi.library.refusal import refuse
from raddle.mpi.library.request import REQUEST_NULL, Request
from raddle.mpi.library.status import Status

VERSION = "4.1.0"  # the version of mpi4py whose interface these modules have


class _MpiModule(types.ModuleType):
    """The module `mpi4py.MPI`, which rejects names that raddle does not simulate."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        refuse(f"MPI.{name}")


def mpi_modules() -> dict[str, types.ModuleType]:
    """Return the modules by name."""
    package = types.ModuleType("mpi4py", "Message-passing programs under raddle.")
    package.__path__ = []
    package.__version__ = VERSION  # type: ignore[attr-defined]
    mpi = _MpiModule("mpi4py.MPI", "The MPI library of raddle.")
    names: dict[str, Any] = {
        "Comm": Comm,
        "Intracomm": Comm,
        "Request": Request,
        "Prequest": Prequest,
        "Message": MatchedMessage,
        "Datatype": Datatype,
        "IN_PLACE": IN_PLACE,
        **DATATYPES,
        "Status": Status,
        "Op": operators.Op,
        "Exception": errors.Exception,
        "COMM_WORLD": COMM_WORLD,
        "COMM_SELF": COMM_SELF,
        "COMM_NULL": COMM_NULL,
        "REQUEST_NULL": REQUEST_NULL,
        **{name: value for name, value in vars(constants).items() if name.isupper()},
        **{name: value for name, value in vars(operators).items() if isinstance(value, operators.Op)},
        **{name: value for name, value in vars(errors).items() if name.startswith("ERR_") or name == "SUCCESS"},
        **ENVIRONMENT,
        **ATTRIBUTES,
        "Group": Group,
        "GROUP_EMPTY": Group(()),
        "IDENT": IDENT,
        "CONGRUENT": CONGRUENT,
        "SIMILAR": SIMILAR,
        "UNEQUAL": UNEQUAL,
        "COMM_TYPE_SHARED": COMM_TYPE_SHARED,
        "BSEND_OVERHEAD": BSEND_OVERHEAD,
        "Attach_buffer": attach_buffer,
        "Detach_buffer": detach_buffer,
        "Errhandler": ErrorHandler,
        "ERRORS_RETURN": ERRORS_RETURN,
        "ERRORS_ARE_FATAL": ERRORS_ARE_FATAL,
    }
    vars(mpi).update(names)
    rc = types.ModuleType("mpi4py.rc")
    vars(rc).update(initialize=True, finalize=True, threads=True, thread_level="multiple")
    package.get_config = dict  # type: ignore[attr-defined]
    package.MPI, package.rc = mpi, rc  # type: ignore[attr-defined]
    return {"mpi4py": package, "mpi4py.MPI": mpi, "mpi4py.rc": rc}
