"""What was played of a queue, and what comes next.

A trial is a match by an SPRT: of one patch against the base, of a bundle of patches that passed
against what stood before, or of all accepted bundles against the base. The file of a queue's
results is JSON; it is replaced as a whole after each pair of games.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.files import write_text
from tuning.matches.elo import Sprt
from tuning.matches.score import Score
from tuning.patches.queue_file import BOUNDS, Patch

PATCH, BUNDLE, SUM = "patch", "bundle", "sum"  # the stages
OPEN, PASSED, FAILED, UNDECIDED = "", "passed", "failed", "undecided"  # outcomes
NOT_CLEAN = "not clean"  # time losses, illegal moves, crashes: a void match
BROKEN = "broken"  # does not merge or start
NEW = "new"  # the first player's name


@dataclass
class Change:
    """What an engine has more than the base: commits, 40 digits each, and constants."""

    revisions: list[str] = field(default_factory=list)
    constants: dict[str, int] = field(default_factory=dict)

    def plus(self, other: Change) -> Change:
        return Change(self.revisions + other.revisions, {**self.constants, **other.constants})


@dataclass
class Trial:
    """`members`: names of the trials that a bundle or sum consists of."""

    name: str
    stage: str
    text: str
    change: Change
    against: Change
    bounds: tuple[float, float] = BOUNDS
    members: list[str] = field(default_factory=list)
    score: Score = field(default_factory=lambda: Score(NEW))
    outcome: str = OPEN
    reason: str = ""  # of an outcome that games did not decide
    bundled: bool = False  # or left out because it conflicts: not to be bundled again

    @property
    def sprt(self) -> Sprt:
        return Sprt(*self.bounds)

    def judge(self, most_games: int) -> bool:
        """Sets the outcome if the games decide it. Returns whether they do."""
        if self.score.troubles:
            troubles = ", ".join(f"{n} {what}" for what, n in self.score.troubles.most_common())
            self.outcome, self.reason = NOT_CLEAN, troubles
        elif verdict := self.sprt.verdict(self.score.pairs):
            self.outcome = PASSED if verdict == "H1" else FAILED
        elif 2 * sum(self.score.pairs) >= most_games:
            self.outcome = UNDECIDED
        return self.outcome != OPEN


@dataclass
class Queue:
    """All trials, in the order in which they came up."""

    settings: dict[str, Any]  # see commands/queue.py
    trials: list[Trial] = field(default_factory=list)

    def update(self, patches: Sequence[Patch]) -> None:
        """Take over what the queue file says now.

        Patches that were not played may change and go. ValueError if one that was played changed.
        """
        texts = {patch.name: patch.text for patch in patches}
        for trial in self.trials:
            if trial.score.games and texts.get(trial.name, trial.text) != trial.text:
                raise ValueError(
                    f"{trial.name} was begun as `{trial.text}`: give what changed a new name"
                )
        self.trials = [
            trial
            for trial in self.trials
            if trial.stage != PATCH or trial.score.games or texts.get(trial.name) == trial.text
        ]
        known = {trial.name for trial in self.trials}
        for patch in patches:
            if patch.name not in known:
                revisions = [patch.revision] if patch.revision else []
                change = Change(revisions, dict(patch.constants))
                self.trials.append(
                    Trial(patch.name, PATCH, patch.text, change, Change(), patch.bounds)
                )

    def reopen(self) -> None:
        """Trials whose fault may be mended: what did not start, and timed matches disturbed."""
        for trial in self.trials:
            if trial.outcome == NOT_CLEAN and trial.stage != PATCH:
                trial.score, trial.outcome = Score(NEW), BROKEN
            if trial.outcome == BROKEN:
                trial.outcome, trial.reason = OPEN, ""

    def following(self, bundle_size: int, timed: bool) -> Trial | None:
        """The trial to play now, which may be a new bundle or sum. None: nothing is left."""
        wanted = [t for t in self.trials if t.outcome == OPEN and (timed or t.stage == PATCH)]
        begun = [trial for trial in wanted if trial.score.games]
        patches = [trial for trial in wanted if trial.stage == PATCH]
        passed = [t for t in self.trials if t.stage == PATCH and t.outcome == PASSED]
        fresh = [trial for trial in passed if not trial.bundled]
        if begun:
            return begun[0]
        if timed and fresh and (len(fresh) >= bundle_size or not patches):
            return self._add(BUNDLE, fresh, self.standing())
        if wanted:
            return wanted[0]
        accepted = self._accepted()
        members = [trial.name for trial in accepted]
        sums = [trial.members for trial in self.trials if trial.stage == SUM]
        if timed and accepted and members not in sums:
            return self._add(SUM, accepted, Change())
        return None

    def standing(self) -> Change:
        """All that accepted bundles brought."""
        return _together(self._accepted())

    def _accepted(self) -> list[Trial]:
        return [t for t in self.trials if t.stage == BUNDLE and t.outcome == PASSED]

    def _add(self, stage: str, members: list[Trial], against: Change) -> Trial:
        number = 1 + sum(trial.stage == stage for trial in self.trials)
        names = [member.name for member in members]
        change = _together(members)
        if stage == BUNDLE:
            for member in members:
                member.bundled = True
        trial = Trial(f"{stage}:{number}", stage, ", ".join(names), change, against, members=names)
        self.trials.append(trial)
        return trial

    def leave_out(self, bundle: Trial, name: str, reason: str) -> None:
        """Take a patch that conflicts out of a bundle."""
        bundle.members.remove(name)
        bundle.text = ", ".join(bundle.members)
        members = {trial.name: trial for trial in self.trials}
        bundle.change = _together([members[member] for member in bundle.members])
        members[name].reason = f"left out of {bundle.name}: {reason}"

    def save(self, path: Path) -> None:
        write_text(path, json.dumps(self, indent=1, default=_members) + "\n")


def _members(of: object) -> dict[str, Any]:
    """Of a dataclass, for JSON."""
    return {name: value for name, value in vars(of).items() if not name.startswith("_")}


def _together(trials: Sequence[Trial]) -> Change:
    change = Change()
    for trial in trials:
        change = change.plus(trial.change)
    return change


def load(path: Path) -> Queue:
    """Raises OSError, and ValueError for a file that is not a queue's."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        return Queue(dict(stored["settings"]), [_trial(**trial) for trial in stored["trials"]])
    except (ValueError, KeyError, TypeError, AttributeError) as reason:
        raise ValueError(f"{path}: not the results of a queue: {reason}") from reason


def _trial(**stored: Any) -> Trial:
    score = Score(**stored.pop("score"))
    score.ends, score.troubles = Counter(score.ends), Counter(score.troubles)
    low, high = stored.pop("bounds")
    change, against = Change(**stored.pop("change")), Change(**stored.pop("against"))
    return Trial(**stored, change=change, against=against, bounds=(low, high), score=score)
