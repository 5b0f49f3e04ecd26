"""Native runs record accesses to containers that are passed to uninstrumented code."""

from __future__ import annotations

from native_recording import record


def test_library_calls_read_or_write_their_container_arguments(tmp_path):
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
    # `heappush` and `heappop` write the heap, and `json.dumps` reads it.
    assert recorded.accesses(heap) == [(1, "write"), (1, "read"), (1, "write"), (0, "read")]
