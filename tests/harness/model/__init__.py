"""A model that is no model: answers real harnesses on loopback, by what the prompt asks for.

``script`` decides the answer; ``anthropic``, ``responses`` and ``chat`` are the three dialects it
is said in; ``server`` carries them and writes down what was asked.
"""
