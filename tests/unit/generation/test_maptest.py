import pytest
import shared_classes
from fake_builder import FakeBuilder, make_workbench, run_strategy

from raddle.generation.expressions import Imported, Literal, New
from raddle.generation.maptest import MapTest, MapTestRandom
from raddle.generation.surface import Method, MethodKind
from raddle.generation.testcase import Call

NEW_PRIORITY = New(Imported("shared_classes", "Priority"), (Literal(1),))
CALLS = {"is_as_severe_as_threshold": [(NEW_PRIORITY,)], "set_threshold": [(Literal(None),), (NEW_PRIORITY,)]}


def threshold_builder(workbench, seed):
    """The threshold must be set first: as Fig. 2 is printed, `th` is null at first, and the second read never runs."""
    owner = Imported("shared_classes", "Threshold")
    first = Call(Method("set_threshold", MethodKind.METHOD, owner), (NEW_PRIORITY,))
    return FakeBuilder(workbench, shared_classes.Threshold, CALLS, prefix=(first,), seed=seed)


@pytest.mark.parametrize("strategy", [MapTest, MapTestRandom])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_example_of_the_paper_fails(strategy, seed):
    with make_workbench() as workbench:
        chosen = strategy(threshold_builder(workbench, seed), workbench.installation)
        failure, _ = run_strategy(workbench, chosen, tests=20)
    assert failure.violation.exception == "AttributeError"
    # A reads th (not None), B writes None, A reads None: no passing execution contains pattern 4.
    assert chosen.trigger.explains.number in (1, 2, 4)
    assert chosen.trigger.explains.x[1] == "th"
    print(chosen.report, chosen.trigger)
