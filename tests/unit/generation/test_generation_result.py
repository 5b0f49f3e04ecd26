from raddle.finding import Finding
from raddle.generation.coverage_meter import CriterionCoverage, MeasuredCoverage
from raddle.generation.generation_result import ClassReport, GeneratedFinding, GenerationResult
from raddle.generation.search_end import SearchEnd
from raddle.place import Place
from raddle.tally import STATIC, UNKNOWN, Total
from raddle.trace import Trace

FAILURE = Finding("exception", "KeyError: 1", "T1", "this-interpreter", None, Trace(()), place=Place("shop.py", 3))
FOUND = GeneratedFinding("shop:Cart", "exception", "exceptions", "take() raised KeyError", executions=7)


def report(name, *, executions=0, **rows):
    criteria = tuple(CriterionCoverage(key, covered, Total(number, STATIC)) for key, (covered, number) in rows.items())
    return ClassReport(name, SearchEnd.TESTS, executions=10, coverage=MeasuredCoverage(executions, criteria))


def test_a_finding_has_the_keys_of_a_finding_of_explore():
    explored = set(FAILURE.as_json())
    assert explored <= set(FOUND.as_json())  # also if no test was verified
    found = GeneratedFinding(
        "shop:Cart", "exception", "exceptions", "take() raised KeyError", failure=FAILURE
    ).as_json()
    assert explored <= set(found)
    # The description of the bug comes first: a place and a message that only the failing execution has are not used.
    assert (found["message"], found["place"]) == ("take() raised KeyError", None)
    assert (found["thread"], found["possible_on"]) == ("T1", "this-interpreter")


def test_a_place_is_a_file_and_a_line():
    found = GeneratedFinding("shop:Cart", "hang", "hangs", "take() never ended", place=Place("shop.py", 3))
    assert found.as_json()["place"] == {"file": "shop.py", "line": 3}


def test_the_coverage_of_several_classes_is_added():
    one, other = report("a:A", executions=3, map=(1, 4)), report("b:B", executions=2, map=(2, 2))
    data = GenerationResult("portfolio", 1, (one, other), 1.0).as_json()
    assert data["criteria"]["map"] == {
        "covered": 3, "total": 6, "total_kind": "static", "percent": 50.0, "executions": 5,
    }  # fmt: skip
    assert data["executions_not_measured"] == 15  # 10 executions of each class, of which 3 and 2 were measured
    assert data["classes"][0]["criteria"]["map"]["percent"] == 25.0


def test_a_sum_of_which_a_part_is_unknown_is_unknown():
    unknown = MeasuredCoverage(1, (CriterionCoverage("map", 2, Total(None, UNKNOWN)),))
    result = GenerationResult(
        "portfolio",
        1,
        (report("a:A", executions=1, map=(1, 4)), ClassReport("b:B", SearchEnd.TESTS, coverage=unknown)),
        1,
    )
    assert result.criteria["map"].covered == 3
    assert result.criteria["map"].percent is None
    assert result.as_json()["criteria"]["map"]["total"] is None
