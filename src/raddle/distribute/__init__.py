"""Distribution: a search split into units that several processes run.

The processes are workers of a `concurrent.futures.Executor`. `raddle.explore(scenario, workers=4)` starts its own on
this machine. `workers` can also be any executor, such as `Client.get_executor()` of Dask: units are pickled and
submitted to it, and what comes of them is merged here. Its workers must be processes that can import raddle and the
scenario.
"""
