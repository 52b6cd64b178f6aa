"""Searches of tests: start one, and remember what it reported."""

from __future__ import annotations

from engine.api import Engine
from engine.events import Message, SearchEvent, SearchInfo, SearchResult
from engine.limits import Limits


class Answers:
    """Remembers what a search reported."""

    def __init__(self) -> None:
        self.events: list[SearchEvent] = []

    @property
    def results(self) -> list[SearchResult]:
        return [event for event in self.events if isinstance(event, SearchResult)]

    @property
    def infos(self) -> list[SearchInfo]:
        return [event for event in self.events if isinstance(event, SearchInfo)]

    @property
    def texts(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Message)]


def go(engine: Engine, limits: Limits) -> Answers:
    answers = start(engine, limits)
    engine.wait()
    return answers


def start(engine: Engine, limits: Limits) -> Answers:
    answers = Answers()
    engine.go(limits, answers.events.append)
    return answers
