"""What no score of a run keeps, measured on fits of its own, for claims about it.

A probe is a function of the views of a data set, its classes and a seed; it fits what it compares,
its arms, and gives one number for each. `config/probes.yaml` declares the data, the arms and the
number of seeds of each; tests of claims read the numbers as they read scores.
"""
