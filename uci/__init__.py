"""The front ends. For GUIs: reads commands of the protocol UCI, calls `engine.api`, writes answers,
and knows no chess. For people: a game in `terminal/`."""
