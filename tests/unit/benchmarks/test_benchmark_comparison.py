"""Comparisons: the best of several rounds, ratios to the faster mode of each peer, and medians."""

from comparison import Comparison


def compared() -> Comparison:
    packages = {"raddle": "raddle", "fast-mode": "peer", "slow-mode": "peer", "plain": "plain"}
    comparison = Comparison(["one", "two", "three"], packages)
    for scenario, ours in (("one", 100), ("two", 300), ("three", 400)):
        comparison.add(scenario, "raddle", rate=ours)
        comparison.add(scenario, "slow-mode", rate=10)
        comparison.add(scenario, "fast-mode", rate=50)
        comparison.add(scenario, "plain", rate=1000)
    return comparison


def test_the_best_round_counts() -> None:
    comparison = compared()
    comparison.add("one", "raddle", rate=150)
    comparison.add("one", "raddle", rate=120)
    assert comparison.best("one", "raddle") == 150


def test_a_peer_is_represented_by_its_faster_mode() -> None:
    assert compared().ratio("one", "peer") == 100 / 50


def test_the_median_is_over_the_scenarios() -> None:
    assert compared().median_ratio("peer") == 300 / 50  # the ratios are 2, 6 and 8
    assert compared().median_ratio("plain") == 0.3  # the ratios are 0.1, 0.3 and 0.4


def test_a_peer_that_misses_a_scenario_has_no_median() -> None:
    comparison = compared()
    del comparison.samples["two", "plain"]
    comparison.fail("two", "plain", reason="it broke")
    assert comparison.ratio("two", "plain") is None
    assert comparison.median_ratio("plain") is None
    assert comparison.times_failed("two", "plain") == 1


def test_the_json_has_every_scenario_and_tool() -> None:
    comparison = compared()
    del comparison.samples["two", "slow-mode"]
    comparison.fail("two", "slow-mode", reason="it broke")
    data = comparison.as_json()
    rates = data["executions_per_second"]
    assert rates["two"] == {"raddle": 300, "fast-mode": 50, "slow-mode": None, "plain": 1000}  # type: ignore[index] # JSON
    assert data["median_ratio"] == {"peer": 6, "plain": 0.3}
    assert data["failures"] == [{"scenario": "two", "tool": "slow-mode", "reasons": ["it broke"]}]
