"""The answers of an engine as text."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from tuning.suites.solving import Answer
from tuning.suites.tasks import Mate


def line_of(answer: Answer) -> str:
    final = answer.final
    played = answer.position.board.san(final.move) if final.move else "none"
    verdict = f"{answer.points}/{answer.task.most_points}"
    time_text = "-" if answer.solved_ms is None else f"{answer.solved_ms} ms"
    return (
        f"{verdict:>6} {time_text:>9}  {answer.position.name:28.28} {played:8} {final.score:>7} "
        f"depth {final.depth:3}  wanted: {answer.task.wanted}"
    )


def summary(answers: Sequence[Answer]) -> str:
    """The totals, as text."""
    solved = [answer for answer in answers if answer.is_full]
    points = sum(answer.points for answer in answers)
    most = sum(answer.task.most_points for answer in answers)
    lines = [
        f"solved {len(solved)} of {len(answers)} ({len(solved) / len(answers):.1%}), "
        f"points {points} of {most} ({points / most:.1%})"
    ]
    mates = [answer for answer in answers if isinstance(answer.task, Mate)]
    if mates:
        lines.append(_mate_summary(mates))
    times = sorted(answer.solved_ms for answer in solved if answer.solved_ms is not None)
    nodes = sorted(answer.solved_nodes for answer in solved if answer.solved_nodes is not None)
    if solved:
        lines.append(
            f"to solution: median {statistics.median(times):.0f} ms and "
            f"{statistics.median(nodes):.0f} nodes, mean {statistics.mean(times):.0f} ms and "
            f"{statistics.mean(nodes):.0f} nodes"
        )
    lines.append(
        f"total: {sum(answer.final.nodes for answer in answers)} nodes, "
        f"{sum(answer.final.time_ms for answer in answers) / 1000:.1f} s"
    )
    return "\n".join(lines)


def _mate_summary(answers: Sequence[Answer]) -> str:
    counts = {"of the length wanted": 0, "shorter": 0, "longer": 0, "none": 0}
    for answer in answers:
        assert isinstance(answer.task, Mate)
        found, wanted = answer.final.mate, answer.task.moves
        if found is None or (found > 0) != (wanted > 0):
            counts["none"] += 1
        elif found == wanted:
            counts["of the length wanted"] += 1
        else:
            counts["shorter" if abs(found) < abs(wanted) else "longer"] += 1
    return "mates found: " + ", ".join(f"{count} {name}" for name, count in counts.items())
