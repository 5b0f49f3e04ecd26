"""Distribution: splits a search into units and runs them in several processes.

The processes are workers of a `concurrent.futures.Executor`. `raddle.explore(scenario, workers=4)` starts its own
workers on this machine. `workers` can also be any executor, such as the one that Dask's `Client.get_executor()`
returns. Units are pickled and submitted to the executor, and this process merges their results. The workers must be
processes that can import raddle and the scenario.
"""
