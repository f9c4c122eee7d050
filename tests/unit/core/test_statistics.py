import pickle

from threadwise.core.statistics import Name, Statistics


def test_counters() -> None:
    statistics = Statistics()
    statistics.add(Name.STATES)
    statistics.add("states", 4)
    statistics.set("predicates", 9)
    statistics.set("predicates", 2)
    statistics.maximum("peak_bdd_nodes", -5)
    statistics.maximum("peak_bdd_nodes", -7)
    assert statistics.as_dict() == {"states": 5, "predicates": 2, "peak_bdd_nodes": -5}
    assert statistics.get(Name.STATES) == 5
    assert statistics.get("absent", 1) == 1


def test_order_is_listed_names_then_the_others_by_name() -> None:
    statistics = Statistics({"zebra": 1, "states": 2, "ant": 3, "time_s": 0.5})
    assert list(statistics.as_dict()) == ["time_s", "states", "ant", "zebra"]


def test_keys_are_plain_strings() -> None:
    statistics = Statistics({Name.STATES: 1})
    assert [type(name) for name in statistics.as_dict()] == [str]


def test_merge_takes_the_maximum_of_peaks_and_sums_the_rest() -> None:
    statistics = Statistics({"states": 2, "peak_bdd_nodes": 10})
    statistics.merge(Statistics({"states": 3, "peak_bdd_nodes": 4, "solver_queries": 1}))
    assert statistics == Statistics({"states": 5, "peak_bdd_nodes": 10, "solver_queries": 1})


def test_pickling() -> None:
    statistics = Statistics({"states": 2})
    assert pickle.loads(pickle.dumps(statistics)) == statistics
    assert repr(statistics) == "Statistics({'states': 2})"
