"""The parallel control flow graph of a message-passing program, and the elements that structural criteria require.

Souza et al., "Empirical evaluation of a new composite approach to the coverage criteria and reachability testing of
concurrent programs", STVR 2015, section 3. The analysis reads only the source of the program.
"""
