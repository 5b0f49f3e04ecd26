"""Rewrites what gets a value or loses it: targets of assignments, loops, `with` and `del`.

Python evaluates the value first, then each target from left to right, the parts of a target just before
it is stored. A target that needs probes and is not alone therefore gets its value through a temporary
name, which is deleted at once. Class bodies get no temporaries: their namespace may be anybody's object
(an `Enum` makes members of all names stored in it), so there such a statement stays as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from raddle.instrument.expressions import Expressions
from raddle.instrument.nodes import Place, content_of, is_pytests, is_super, load, place_of, probe, store
from raddle.instrument.scopes import CLASS, FUNCTION

_INPLACE = {
    ast.Add: "iadd", ast.Sub: "isub", ast.Mult: "imul", ast.MatMult: "imatmul", ast.Div: "itruediv",
    ast.FloorDiv: "ifloordiv", ast.Mod: "imod", ast.Pow: "ipow", ast.LShift: "ilshift", ast.RShift: "irshift",
    ast.BitOr: "ior", ast.BitXor: "ixor", ast.BitAnd: "iand",
}  # fmt: skip


class Targets(Expressions):
    """Rewrites the targets of one module."""

    _temporaries = 0

    def temporary(self) -> str:
        self._temporaries += 1
        return f"_raddle_{self._temporaries}"

    def needs_probes(self, target: ast.expr) -> bool:
        if self.is_ignored(target):
            return False
        if isinstance(target, ast.Name):
            return self.sharing_owner(target.id) is not None
        if isinstance(target, (ast.Tuple, ast.List)):
            return any(map(self.needs_probes, target.elts))
        if isinstance(target, ast.Starred):
            return self.needs_probes(target.value)
        if isinstance(target, ast.Subscript):
            return not is_pytests(target.value)
        return isinstance(target, ast.Attribute) and not is_super(target.value) and not is_pytests(target)

    def needs_temporary(self, target: ast.expr) -> bool:
        """Must a value that Python itself would store here be stored by statements of its own?"""
        return self.scope.kind != CLASS and self.needs_probes(target)

    def deleting(self, temporaries: Sequence[str], body: list[ast.stmt], place: Place) -> list[ast.stmt]:
        """Statements that leave no temporaries behind, whatever happens."""
        if not temporaries:
            return body
        names: list[ast.expr] = [ast.Name(name, ast.Del()) for name in temporaries]
        return [place.put(ast.Try(body, [], [], [ast.Delete(names)]))]

    # -- storing -------------------------------------------------------------------------------------

    def assign(self, statement: ast.Assign) -> list[ast.stmt]:
        """`a = b.c = d, e[f] = value`"""
        targets, place = statement.targets, place_of(statement)
        unpacks = any(isinstance(target, (ast.Tuple, ast.List)) for target in targets)
        statement.value = self.content(statement.value) if unpacks else self.expr(statement.value)
        if not any(map(self.needs_probes, targets)):
            return [statement]
        if len(targets) == 1 and (not unpacks or self.needs_temporary(targets[0])):
            return self.bind(targets[0], statement.value)
        if self.scope.kind == CLASS:
            return [statement]
        temporary = self.temporary()
        stores = [part for target in targets for part in self.bind(target, load(temporary))]
        keep = place.put(ast.Assign([store(temporary)], statement.value))
        return [keep, *self.deleting([temporary], stores, place)]

    def bind(self, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        """Statements that evaluate the value, then the target's parts, then store."""
        place = place_of(target)
        place.put(value)
        if not self.needs_probes(target):
            return [place.put(ast.Assign([target], value))]
        if isinstance(target, ast.Name):
            return [place.put(ast.Assign([target], self.written_name(target.id, value, place)))]
        if isinstance(target, (ast.Attribute, ast.Subscript)):
            obj, part, name = self._parts(target)
            kind = "write" if isinstance(target, ast.Attribute) else "setitem"
            return [place.put(ast.Expr(probe(kind, value, obj, part, self.site(place, "write", name))))]
        assert isinstance(target, (ast.Tuple, ast.List))
        return self._unpack(target, value)

    def _parts(self, target: ast.Attribute | ast.Subscript) -> tuple[ast.expr, str | ast.expr, str]:
        """Return the object, the name or key in it, and what a site calls the target."""
        if isinstance(target, ast.Attribute):
            return self.receiver(target.value), self.scope.mangled(target.attr), target.attr
        return self.receiver(target.value), self.key(target.slice), content_of(target.value)

    def _unpack(self, target: ast.Tuple | ast.List, value: ast.expr) -> list[ast.stmt]:
        place = place_of(target)
        elements: list[ast.expr] = []
        late: dict[str, ast.expr] = {}
        for element in target.elts:
            if not late and not self.needs_probes(element):
                elements.append(element)  # stored before any probed target is evaluated, as in the source
                continue
            temporary = self.temporary()
            new: ast.expr = store(temporary)
            if isinstance(element, ast.Starred):
                element, new = element.value, ast.Starred(new, ast.Store())
            elements.append(place_of(element).put(new))
            late[temporary] = element
        unpacking = place.put(ast.Assign([ast.Tuple(elements, ast.Store())], value))
        stores = [part for name, element in late.items() for part in self.bind(element, load(name))]
        return [unpacking, *self.deleting(list(late), stores, place)]

    # -- deleting ------------------------------------------------------------------------------------

    def delete(self, statement: ast.Delete) -> list[ast.stmt]:
        """`del a, b.c, (d[e], f)`"""
        if not any(map(self.needs_probes, statement.targets)):
            return [statement]
        return [part for target in statement.targets for part in self._delete(target)]

    def _delete(self, target: ast.expr) -> list[ast.stmt]:
        place = place_of(target)
        if not self.needs_probes(target):
            return [place.put(ast.Delete([target]))]
        if isinstance(target, (ast.Attribute, ast.Subscript)):
            obj, part, name = self._parts(target)
            kind = "delete" if isinstance(target, ast.Attribute) else "delitem"
            return [place.put(ast.Expr(probe(kind, obj, part, self.site(place, "delete", name))))]
        if isinstance(target, ast.Name):
            owner = self.sharing_owner(target.id)
            assert owner is not None
            number = self.site(place, "delete", target.id)
            event = probe("delete_name", owner, self.scope.mangled(target.id), number)
            return [place.put(ast.Expr(event)), place.put(ast.Delete([target]))]
        assert isinstance(target, (ast.Tuple, ast.List))
        return [part for element in target.elts for part in self._delete(element)]

    # -- augmented assignment ------------------------------------------------------------------------

    def augment(self, statement: ast.AugAssign) -> list[ast.stmt]:
        """`target += value`: read, then evaluate the value, then the in-place operator, then write."""
        target = statement.target
        if isinstance(target, ast.Name):
            return self._augment_name(statement, target)
        if not self.needs_probes(target):
            statement.value = self.expr(statement.value)
            return [statement]
        parts = [target.value] if isinstance(target, ast.Attribute) else [target.value, target.slice]
        stable = [self._is_stable(part, [*parts, statement.value]) for part in parts]
        if self.scope.kind == CLASS and not all(stable):
            statement.value = self.expr(statement.value)
            return [statement]
        names: list[str] = []
        before: list[ast.stmt] = []
        for index, part in enumerate(parts):
            if stable[index]:
                continue
            place, name = place_of(part), self.temporary()
            value = self.key(part) if index else self.receiver(part)
            before.append(place.put(ast.Assign([store(name)], value)))
            parts[index] = place.put(load(name))
            names.append(name)
        body = self._augment_parts(statement, parts)
        return [*before, *self.deleting(names, body, place_of(statement))]

    def _augment_name(self, statement: ast.AugAssign, target: ast.Name) -> list[ast.stmt]:
        owner = self.sharing_owner(target.id)
        if self.is_ignored(target) or (owner is None and _is_immutable(statement.value)):
            statement.value = self.expr(statement.value)
            return [statement]
        place = place_of(target)
        current = self.expr(place.put(load(target.id)))
        value = self.written_name(target.id, self._operated(statement, current), place)
        return [place_of(statement).put(ast.Assign([target], value))]

    def _augment_parts(self, statement: ast.AugAssign, parts: list[ast.expr]) -> list[ast.stmt]:
        """For an attribute, its object; for an item, its container and key: each may be evaluated twice."""
        target, place = statement.target, place_of(statement.target)
        assert isinstance(target, (ast.Attribute, ast.Subscript))
        if isinstance(target, ast.Attribute):
            name, get, put = target.attr, "read", "write"
            arguments: list[ast.expr] = [*parts, ast.Constant(self.scope.mangled(name))]
        else:
            name, get, put, arguments = content_of(target.value), "getitem", "setitem", parts
        current = place.put(probe(get, *arguments, self.site(place, "read", name)))
        value = self._operated(statement, current)
        return [place.put(ast.Expr(probe(put, value, *arguments, self.site(place, "write", name))))]

    def _operated(self, statement: ast.AugAssign, current: ast.expr) -> ast.expr:
        operation, place = _INPLACE[type(statement.op)], place_of(statement)
        value = self.expr(statement.value)
        with self.maker.not_closing():
            number = self.site(place, "write", content_of(statement.target))
        return place.put(probe("inplace", operation, current, value, number))

    def _is_stable(self, part: ast.expr, evaluated: Sequence[ast.expr]) -> bool:
        """Does a part of the target have the same value when it is evaluated again, after the others?"""
        if isinstance(part, ast.Constant):
            return True
        if not isinstance(part, ast.Name) or self.needs_probes(part):
            return False
        if all(isinstance(other, (ast.Name, ast.Constant)) for other in evaluated):
            return True
        if self.scope.owner(self.scope.mangled(part.id)).kind != FUNCTION:
            return False  # any call may change a global
        return not any(
            isinstance(node, ast.NamedExpr) and node.target.id == part.id
            for other in evaluated
            for node in ast.walk(other)
        )


def _is_immutable(node: ast.expr) -> bool:
    """`x += 1`, `x += "a"`: nothing that takes these in place is a built-in container."""
    return isinstance(node, (ast.Constant, ast.JoinedStr))
