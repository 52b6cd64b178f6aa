"""The model of engine/chances.py: its fit to games, its calibration, its constants as source."""
