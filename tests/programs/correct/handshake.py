"""Each thread waits for the other's event."""

import threading


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Talk:
    def __init__(self):
        self.asked, self.answered = threading.Event(), threading.Event()
        self.question = self.answer = None


def scenario():
    talk = Talk()

    def ask():
        talk.question = 6
        talk.asked.set()
        talk.answered.wait()
        assert talk.answer == 42

    def answer():
        talk.asked.wait()
        talk.answer = talk.question * 7
        talk.answered.set()

    side_by_side(ask, answer)
