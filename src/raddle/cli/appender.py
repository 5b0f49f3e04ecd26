"""A Python port of Log4j's AppenderSkeleton, the first example in the MAP-coverage paper (Fig. 1)."""

import threading


class Priority:
    def __init__(self, level):
        self.level = level

    def isGreaterOrEqual(self, other):
        return self.level >= other.level


class AppenderSkeleton:
    def __init__(self, threshold):
        self.th = threshold

    def isAsSevereAsThreshold(self, priority):
        return self.th is None or priority.isGreaterOrEqual(self.th)

    def setThreshold(self, threshold):
        self.th = threshold


class FixedAppender(AppenderSkeleton):
    def isAsSevereAsThreshold(self, priority):
        th = self.th  # read once, so no other thread can change it in between
        return th is None or priority.isGreaterOrEqual(th)


def use(appender):
    reader = threading.Thread(target=appender.isAsSevereAsThreshold, args=(Priority(3),))
    writer = threading.Thread(target=appender.setThreshold, args=(None,))
    reader.start()
    writer.start()
    reader.join()
    writer.join()


def scenario():
    use(AppenderSkeleton(Priority(2)))


def fixed():
    use(FixedAppender(Priority(2)))
