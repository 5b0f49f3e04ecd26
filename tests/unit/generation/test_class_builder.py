"""Tests of `raddle.generation.class_builder`: the calls with which AutoConTest extends sequences."""

from __future__ import annotations

from collections import OrderedDict
from random import Random

from raddle.execute.thread_installation import Threads
from raddle.exploring.workbench import Workbench
from raddle.generation.class_builder import ClassBuilder
from raddle.generation.expressions import Literal
from raddle.generation.factory import Factory
from raddle.generation.inspect_class import inspect_class
from raddle.generation.pools import ArgumentPools
from raddle.generation.sandbox import Sandbox
from raddle.generation.sequential import SequentialRunner
from raddle.generation.strategy import Prefix
from raddle.generation.testcase import SHARED
from raddle.instrument import Selection


def test_edges_differ_in_the_kinds_of_their_arguments():
    # Two strings are of one kind, and None is of another.
    values = {"key": (Literal("a"), Literal("b"), Literal(None))}
    pools = ArgumentPools(inspect_class(OrderedDict, methods=["__getitem__"]), factory=Factory(values=values))
    with (
        Workbench(Threads(Selection(root="/nowhere"))) as workbench,
        Sandbox() as sandbox,
        SequentialRunner(workbench, sandbox) as runner,
    ):
        builder = ClassBuilder(workbench, runner, pools, Random(1), sandbox=sandbox, reset=lambda: None)
        edges = builder.edges(Prefix((), {SHARED: OrderedDict}))
    arguments = [call.arguments for call in edges]
    assert len(arguments) == 2
    assert (Literal(None),) in arguments
