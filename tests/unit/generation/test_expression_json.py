import json

import pytest

from raddle.generation.expression_json import from_json, to_json
from raddle.generation.expressions import (
    Callback,
    Container,
    Imported,
    Literal,
    New,
    Stub,
    TemporaryPath,
    Variable,
)


@pytest.mark.parametrize(
    "expression",
    [
        Literal(b"a"),
        Imported("os.path", "join"),
        Variable("shared"),
        Container("dict", (Literal("a"), Literal(1))),
        New(Imported("io", "BytesIO"), (Literal(b""),), (("x", Literal(1)),)),
        Callback("done", Literal(True)),
        Stub((("close", Callback("close")),)),
        TemporaryPath("a"),
    ],
    ids=lambda expression: type(expression).__name__,
)
def test_an_expression_survives_json(expression):
    assert from_json(json.loads(json.dumps(to_json(expression)))) == expression


def test_anything_else_is_refused():
    with pytest.raises(ValueError, match="not an expression"):
        from_json(["eval", "1"])
