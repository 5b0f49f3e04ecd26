"""Distribution: a search split into units that several processes run.

The processes are workers of a `concurrent.futures.Executor`. `raddle.explore(scenario, workers=4)` starts its own
workers on this machine. `workers` can also be any executor, such as `Client.get_executor()` of Dask. Units are pickled
and submitted to the executor, and this process merges their results. The workers must be processes that can import
raddle and the scenario.
"""
