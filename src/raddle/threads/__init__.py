"""The world of Python threads: twins, probes, data model and calculus."""
