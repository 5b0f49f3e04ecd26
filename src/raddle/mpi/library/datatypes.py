"""`MPI.Datatype`: the predefined types of elements, and contiguous sequences of them."""

from __future__ import annotations

import struct

from raddle.mpi.library import errors
from raddle.mpi.library.refusal import Refusing, refuse


class Datatype(Refusing):
    """A type of elements.

    `code` is the element's format in `struct`, and `kind` the same for all formats with the same meaning. A type that
    consists of several elements has a larger `size` than its code.

    >>> INT.Get_size(), INT == INT32_T, INT.Create_contiguous(3).Get_size()
    (4, False, 12)
    >>> INT.basic == INT32_T.basic
    True
    """

    def __init__(self, name: str, code: str, *, length: int = 1) -> None:
        self.name = name
        self.code = code
        self.length = length  # number of basic elements

    @property
    def basic(self) -> tuple[str, int]:
        """The kind and the size of a basic element; types with the same elements match."""
        return _kind(self.code), self.item_size

    @property
    def item_size(self) -> int:
        """The size of a basic element in bytes."""
        if not self.code:
            raise errors.Exception(errors.ERR_TYPE, f"{self.name} is not a type of elements")
        if self.code[0] == "Z":
            return 2 * struct.calcsize(self.code[1])
        return 16 if self.code == "g" else struct.calcsize(self.code)

    @property
    def size(self) -> int:
        """The size in bytes."""
        return self.item_size * self.length

    extent = size
    itemsize = size

    @property
    def is_raw(self) -> bool:
        """Whether elements are bytes without a meaning, which match elements of every type."""
        return self.name in ("MPI_BYTE", "MPI_PACKED")

    def matches(self, other: Datatype) -> bool:
        """Return whether elements of this type can be received as elements of the other."""
        return self.is_raw or other.is_raw or self.basic == other.basic

    def Get_size(self) -> int:  # noqa: N802
        """Return the size in bytes."""
        return self.size

    def Get_extent(self) -> tuple[int, int]:  # noqa: N802
        """Return the lower bound and the extent in bytes."""
        return 0, self.size

    def Get_name(self) -> str:  # noqa: N802
        """Return the name."""
        return self.name

    def Create_contiguous(self, count: int) -> Datatype:  # noqa: N802
        """Return the type of `count` elements in a row."""
        return Datatype(f"{count} {self.name}", self.code, length=self.length * count)

    def Dup(self) -> Datatype:  # noqa: N802
        """Return an equal type."""
        return Datatype(self.name, self.code, length=self.length)

    def Commit(self) -> Datatype:  # noqa: N802
        """Return the type itself: types need no preparation."""
        return self

    def Free(self) -> None:  # noqa: N802
        """Release the type."""

    def __repr__(self) -> str:
        return self.name.replace("MPI_", "MPI.")


def _kind(code: str) -> str:
    if code in "bhilqn":
        return "integer"
    return "unsigned integer" if code in "BHILQN" else code[0]


_CODES = {
    "CHAR": "c", "SIGNED_CHAR": "b", "UNSIGNED_CHAR": "B", "SHORT": "h", "UNSIGNED_SHORT": "H", "INT": "i",
    "UNSIGNED": "I", "LONG": "l", "UNSIGNED_LONG": "L", "LONG_LONG": "q", "UNSIGNED_LONG_LONG": "Q", "FLOAT": "f",
    "DOUBLE": "d", "LONG_DOUBLE": "g", "C_BOOL": "?", "INT8_T": "b", "INT16_T": "h", "INT32_T": "i", "INT64_T": "q",
    "UINT8_T": "B", "UINT16_T": "H", "UINT32_T": "I", "UINT64_T": "Q", "C_FLOAT_COMPLEX": "Zf", "BYTE": "B",
    "PACKED": "B", "C_DOUBLE_COMPLEX": "Zd", "AINT": "q", "OFFSET": "q", "COUNT": "q", "INTEGER": "i", "REAL": "f",
    "DOUBLE_PRECISION": "d", "CHARACTER": "c", "COMPLEX": "Zf", "DOUBLE_COMPLEX": "Zd",
}  # fmt: skip

DATATYPES: dict[str, Datatype] = {name: Datatype(f"MPI_{name}", code) for name, code in _CODES.items()}
DATATYPES |= {
    "BOOL": DATATYPES["C_BOOL"],
    "UNSIGNED_INT": DATATYPES["UNSIGNED"],
    "SINT8_T": DATATYPES["INT8_T"],
    "F_INT": DATATYPES["INTEGER"],
    "F_FLOAT": DATATYPES["REAL"],
    "F_DOUBLE": DATATYPES["DOUBLE_PRECISION"],
    "DATATYPE_NULL": Datatype("MPI_DATATYPE_NULL", ""),
}
INT, INT32_T, BYTE = DATATYPES["INT"], DATATYPES["INT32_T"], DATATYPES["BYTE"]
_BY_CODE = {datatype.code: datatype for datatype in reversed(DATATYPES.values()) if datatype.code} | {
    code: DATATYPES[name]
    for code, name in {"i": "INT", "l": "LONG", "q": "LONG_LONG", "B": "UNSIGNED_CHAR", "b": "SIGNED_CHAR",
                       "d": "DOUBLE", "f": "FLOAT", "c": "CHAR", "h": "SHORT", "w": "INT"}.items()
}  # fmt: skip


def datatype_of(code: str) -> Datatype:
    """Return the type of a buffer's elements, given their format as in `struct` or NumPy's typecode.

    >>> datatype_of("d"), datatype_of("<i4")
    (MPI.DOUBLE, MPI.INT)
    """
    short = code.lstrip("@=<>|")
    named = {"i4": "i", "i8": "l", "f4": "f", "f8": "d", "F": "Zf", "D": "Zd", "S1": "c", "s": "c", "i2": "h"}
    datatype = _BY_CODE.get(named.get(short, short))
    if datatype is None:
        refuse(f"a buffer with elements of the format {code!r}")
    return datatype
