"""Rewrites the targets of assignments, loops, `with` and `del`.

Python evaluates the value first, then each target from left to right. The parts of a target are evaluated just before a
value is stored in it. If a statement has more than one target, a target that needs probes therefore gets its value
through a temporary name, which is deleted right afterwards. Class bodies get no temporaries, because their namespace
may be a custom object: an `Enum`, for example, turns every name bound in its body into a member. Statements in class
bodies that would need temporaries stay unchanged.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from raddle.instrument.expressions import Expressions
from raddle.instrument.nodes import Place, content_of, is_from_pytest, is_super, load, place_of, probe, store
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
            return not is_from_pytest(target.value)
        return isinstance(target, ast.Attribute) and not is_super(target.value) and not is_from_pytest(target)

    def needs_temporary(self, target: ast.expr) -> bool:
        """Return whether the value must be stored under a temporary name before it is stored in this target."""
        return self.scope.kind != CLASS and self.needs_probes(target)

    def deleting(self, temporaries: Sequence[str], body: list[ast.stmt], place: Place) -> list[ast.stmt]:
        """Return statements that run the body and then delete the temporaries, even if the body raises."""
        if not temporaries:
            return body
        names: list[ast.expr] = [ast.Name(name, ast.Del()) for name in temporaries]
        return [place.locate(ast.Try(body, [], [], [ast.Delete(names)]))]

    # -- storing -------------------------------------------------------------------------------------

    def assign(self, statement: ast.Assign) -> list[ast.stmt]:
        """Rewrite an assignment such as `a = b.c = d, e[f] = value`."""
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
        saving = place.locate(ast.Assign([store(temporary)], statement.value))
        return [saving, *self.deleting([temporary], stores, place)]

    def bind(self, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        """Return statements that evaluate the value, then the target's parts, and then store the value."""
        place = place_of(target)
        place.locate(value)
        if not self.needs_probes(target):
            return [place.locate(ast.Assign([target], value))]
        if isinstance(target, ast.Name):
            return [place.locate(ast.Assign([target], self.name_write(target.id, value, place)))]
        if isinstance(target, (ast.Attribute, ast.Subscript)):
            obj, part, name = self._parts(target)
            kind = "write" if isinstance(target, ast.Attribute) else "setitem"
            return [place.locate(ast.Expr(probe(kind, value, obj, part, self.site(place, "write", name))))]
        assert isinstance(target, (ast.Tuple, ast.List))
        return self._unpack(target, value)

    def _parts(self, target: ast.Attribute | ast.Subscript) -> tuple[ast.expr, str | ast.expr, str]:
        """Return the target's object, the attribute name or key, and the name that sites use for the target."""
        if isinstance(target, ast.Attribute):
            return self.receiver(target.value), self.scope.mangled(target.attr), target.attr
        return self.receiver(target.value), self.key(target.slice), content_of(target.value)

    def _unpack(self, target: ast.Tuple | ast.List, value: ast.expr) -> list[ast.stmt]:
        place = place_of(target)
        elements: list[ast.expr] = []
        delayed: dict[str, ast.expr] = {}
        for element in target.elts:
            if not delayed and not self.needs_probes(element):
                elements.append(element)  # Python assigns to this element before it evaluates any probed target
                continue
            temporary = self.temporary()
            new: ast.expr = store(temporary)
            if isinstance(element, ast.Starred):
                element, new = element.value, ast.Starred(new, ast.Store())
            elements.append(place_of(element).locate(new))
            delayed[temporary] = element
        unpacking = place.locate(ast.Assign([ast.Tuple(elements, ast.Store())], value))
        stores = [part for name, element in delayed.items() for part in self.bind(element, load(name))]
        return [unpacking, *self.deleting(list(delayed), stores, place)]

    # -- deleting ------------------------------------------------------------------------------------

    def delete(self, statement: ast.Delete) -> list[ast.stmt]:
        """Rewrite a deletion such as `del a, b.c, (d[e], f)`."""
        if not any(map(self.needs_probes, statement.targets)):
            return [statement]
        return [part for target in statement.targets for part in self._delete(target)]

    def _delete(self, target: ast.expr) -> list[ast.stmt]:
        place = place_of(target)
        if not self.needs_probes(target):
            return [place.locate(ast.Delete([target]))]
        if isinstance(target, (ast.Attribute, ast.Subscript)):
            obj, part, name = self._parts(target)
            kind = "delete" if isinstance(target, ast.Attribute) else "delitem"
            return [place.locate(ast.Expr(probe(kind, obj, part, self.site(place, "delete", name))))]
        if isinstance(target, ast.Name):
            owner = self.sharing_owner(target.id)
            assert owner is not None
            number = self.site(place, "delete", target.id)
            event = probe("delete_name", owner, self.scope.mangled(target.id), number)
            return [place.locate(ast.Expr(event)), place.locate(ast.Delete([target]))]
        assert isinstance(target, (ast.Tuple, ast.List))
        return [part for element in target.elts for part in self._delete(element)]

    # -- augmented assignment ------------------------------------------------------------------------

    def augment(self, statement: ast.AugAssign) -> list[ast.stmt]:
        """Rewrite `target += value` so that the read, the in-place operator and the write each have a probe."""
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
            before.append(place.locate(ast.Assign([store(name)], value)))
            parts[index] = place.locate(load(name))
            names.append(name)
        body = self._augment_parts(statement, parts)
        return [*before, *self.deleting(names, body, place_of(statement))]

    def _augment_name(self, statement: ast.AugAssign, target: ast.Name) -> list[ast.stmt]:
        owner = self.sharing_owner(target.id)
        if self.is_ignored(target) or (owner is None and _is_immutable(statement.value)):
            statement.value = self.expr(statement.value)
            return [statement]
        place = place_of(target)
        current = self.expr(place.locate(load(target.id)))
        value = self.name_write(target.id, self._inplace_operation(statement, current), place)
        return [place_of(statement).locate(ast.Assign([target], value))]

    def _augment_parts(self, statement: ast.AugAssign, parts: list[ast.expr]) -> list[ast.stmt]:
        """Rewrite an augmented assignment to an attribute or item whose parts can safely be evaluated twice.

        `parts` holds the object of an attribute, or the container and the key of an item.
        """
        target, place = statement.target, place_of(statement.target)
        assert isinstance(target, (ast.Attribute, ast.Subscript))
        if isinstance(target, ast.Attribute):
            name, reader, writer = target.attr, "read", "write"
            arguments: list[ast.expr] = [*parts, ast.Constant(self.scope.mangled(name))]
        else:
            name, reader, writer, arguments = content_of(target.value), "getitem", "setitem", parts
        current = place.locate(probe(reader, *arguments, self.site(place, "read", name)))
        value = self._inplace_operation(statement, current)
        return [place.locate(ast.Expr(probe(writer, value, *arguments, self.site(place, "write", name))))]

    def _inplace_operation(self, statement: ast.AugAssign, current: ast.expr) -> ast.expr:
        operation, place = _INPLACE[type(statement.op)], place_of(statement)
        value = self.expr(statement.value)
        with self.maker.keeping_may_switch():
            number = self.site(place, "write", content_of(statement.target))
        return place.locate(probe("inplace", operation, current, value, number))

    def _is_stable(self, part: ast.expr, evaluated: Sequence[ast.expr]) -> bool:
        """Return whether a part of the target is certain to have the same value when it is evaluated a second time."""
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
    """Return whether the node is a number, a string or another constant, as in `x += 1`.

    An augmented assignment of such a value to a local is assumed not to change a container in place.
    """
    return isinstance(node, (ast.Constant, ast.JoinedStr))
