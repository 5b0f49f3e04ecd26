"""A container that is handed to code without probes is told of in native runs, too."""

from __future__ import annotations

from natively import record


def test_looked_at_and_changed(tmp_path):
    recorded = record(
        tmp_path,
        """
        import heapq, json, threading
        from heapq import heappop
        class Tasks:
            def __init__(self):
                self.heap = []
        def main():
            tasks = Tasks()
            def work():
                heapq.heappush(tasks.heap, 1)
                json.dumps(tasks.heap)
                heappop(tasks.heap)
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            return json.dumps(tasks.heap)
        """,
    )
    assert recorded.value == "[]"
    (heap,) = {str(variable) for variable in recorded.entities.variables if str(variable).endswith("heap[]")}
    # The push and the pop change it, what is dumped is read.
    assert recorded.accesses(heap) == [(1, "write"), (1, "read"), (1, "write"), (0, "read")]
