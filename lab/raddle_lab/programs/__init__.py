"""The five test cases of Křena, Letko and Vojnar (section 5.1), one file each, based on the paper's descriptions.

Each file has a function `scenario` that runs the program once and raises an exception if something goes wrong. None of
the programs sleeps or draws random numbers, so executions differ only in how their threads interleave.
"""
