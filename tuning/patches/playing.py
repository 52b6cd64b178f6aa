"""Plays the trials of a queue: one match at a time, saved after each pair of games."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tuning.engines import command_at, engine
from tuning.matches.elo import elo
from tuning.matches.rules import Conditions, Contender
from tuning.matches.runner import play_match
from tuning.matches.score import Score
from tuning.patches.results import write_page
from tuning.patches.sources import MergeConflictError, Sources
from tuning.patches.trials import BROKEN, BUNDLE, NEW, PATCH, SUM, Change, Queue, Trial
from tuning.progress import progress_bar

PAGE_EVERY_S = 60.0


@dataclass(frozen=True)
class Files:
    """Where a queue keeps what it has played."""

    results: Path  # .json

    @property
    def page(self) -> Path:
        return self.results.with_suffix(".html")

    def games(self, trial: Trial) -> Path:
        folder = self.results.with_name(f"{self.results.stem}-games")
        return folder / f"{trial.name.replace(':', '-')}.pgn"


class Board:
    """Plays one trial after the other."""

    def __init__(self, queue: Queue, files: Files, sources: Sources, tool: str, concurrency: int):
        self.queue, self._files, self._sources = queue, files, sources
        self._tool, self._concurrency = tool, concurrency
        self._page_written = 0.0

    def save(self, with_page: bool = True) -> None:
        """The results, and the page if it is wanted or old."""
        self.queue.save(self._files.results)
        if with_page or time.monotonic() - self._page_written > PAGE_EVERY_S:
            write_page(self.queue, self._files.page)
            self._page_written = time.monotonic()

    def play(self, trial: Trial) -> None:
        """To its outcome. Raises OSError if the match breaks off; what was played is saved."""
        self.save()
        most_games, listed = int(self.queue.settings["games"]), trial.change
        try:
            if not trial.judge(most_games):
                try:
                    contenders = self._contenders(trial)
                except (OSError, ValueError) as reason:
                    trial.outcome, trial.reason, trial.change = BROKEN, str(reason), listed
                else:
                    self._play(trial, contenders, most_games)
        finally:
            self.save()

    def _play(self, trial: Trial, contenders: tuple[Contender, Contender], most_games: int) -> None:
        pgn = self._files.games(trial)
        pgn.parent.mkdir(exist_ok=True)
        with progress_bar("games") as bar:
            task = bar.add_task(
                trial.name, total=most_games, completed=trial.score.games, note=f"by {self._tool}"
            )

            def on_games(score: Score) -> bool:
                trial.score = score.whole_pairs()
                decided = trial.judge(most_games)
                self.save(with_page=False)
                llr = trial.sprt.llr(score.pairs)
                bar.update(
                    task, completed=score.games, note=f"Elo {elo(score.pairs)}  LLR {llr:.2f}"
                )
                return not decided

            play_match(
                self._tool, *contenders, self._conditions(trial, most_games), pgn, on_games,
                trial.score.whole_pairs(),
            )  # fmt: skip

    def _conditions(self, trial: Trial, most_games: int) -> Conditions:
        settings, done = self.queue.settings, sum(trial.score.pairs)
        return Conditions(
            openings=Path(settings["book"]),
            rounds=most_games // 2 - done,
            time_control=settings["long"] if trial.stage == SUM else settings["short"],
            nodes=settings["nodes"] if trial.stage == PATCH else None,
            options={"Hash": "16"},
            concurrency=self._concurrency if trial.stage == PATCH else 1,  # timed: undisturbed
            seed=settings["seed"],
            first_round=done,
            adjudicate=True,
        )

    def _contenders(self, trial: Trial) -> tuple[Contender, Contender]:
        """Both engines, checked out, compiled and started once. OSError if one does not start."""
        if trial.stage == PATCH and not trial.score.games:  # a branch stays where it was
            revisions = [self._sources.resolve(name) for name in trial.change.revisions]
            trial.change = Change(revisions, trial.change.constants)
        if trial.stage == BUNDLE and not trial.score.games:
            self._leave_out_conflicts(trial)
        new = self._contender(NEW, trial.against.plus(trial.change))
        base = self._contender("base", trial.against)
        if (new.command, new.options) == (base.command, base.options):
            raise ValueError("it changes nothing")
        return new, base

    def _contender(self, name: str, change: Change) -> Contender:
        commit = self._sources.merged(self.queue.settings["base"], change.revisions)
        command = command_at(self._sources.checkout(commit), "--tunables")
        options = {name: str(value) for name, value in change.constants.items()}
        with engine(command, options) as running:
            running.ping()  # it has compiled
        return Contender(name, command, options)

    def _leave_out_conflicts(self, bundle: Trial) -> None:
        """Keep the patches that go together, the first ones first."""
        base = self.queue.settings["base"]
        changes = {trial.name: trial.change for trial in self.queue.trials}
        together = bundle.against
        for name in list(bundle.members):
            change = changes[name]
            clash = sorted(set(change.constants) & set(together.constants))
            try:
                if clash:
                    raise MergeConflictError(f"it sets {', '.join(clash)} once more")
                self._sources.merged(base, together.plus(change).revisions)
            except MergeConflictError as reason:
                self.queue.leave_out(bundle, name, str(reason))
            else:
                together = together.plus(change)


def play_queue(
    board: Board,
    following: Callable[[], Trial | None],
    on_outcome: Callable[[Trial], None],
    wait_s: float | None,
) -> None:
    """Play until nothing is left; with `wait_s` look again after so many seconds, for ever."""
    board.queue.reopen()
    while True:
        trial = following()
        if trial is not None:
            board.play(trial)
            on_outcome(trial)
        elif wait_s is None:
            board.save()
            return
        else:
            board.save(with_page=False)
            time.sleep(wait_s)
