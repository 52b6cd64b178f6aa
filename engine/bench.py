"""The bench: fixed positions searched to a fixed depth. Its node count is the signature of the
engine's behaviour, and it measures speed; the effectiveness table compares search methods."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from engine.board.fen import set_fen
from engine.board.notation import legal_moves
from engine.events import SearchEvent, SearchResult
from engine.limits import Limits
from engine.play.search import Search
from engine.play.state import EngineState
from engine.scores import INFINITE
from engine.search.negamax import negamax
from engine.search.root_moves import set_all_root_moves
from engine.search.shared import clear_table, forget_game, full_width
from engine.search.state import Worker
from engine.search.textbook import alpha_beta, minimax
from engine.settings import Settings

BENCH_DEPTH = 12

# The usual perft positions and openings, then positions of all phases from games that Wadjet
# played against itself, then small endings.
POSITIONS = (
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
    "rnbqkb1r/pp2pppp/3p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R b KQkq - 2 5",
    "rnbqkb1r/5ppp/1pp1p3/p7/2P2P2/P1N1BQ2/1P4PP/R3KB1R w KQkq - 2 13",
    "r2q1rk1/1b1n1p2/1p1bpnp1/1Ppp3p/B1PP4/P3PN1P/1B1N1PP1/2RQR1K1 w - - 1 18",
    "r4rk1/1b4b1/1p2p1B1/p1np4/3p1PP1/P6P/1PPBN3/R4RK1 w - - 0 24",
    "7r/p2b2k1/1p4n1/2p1p1B1/4P3/P2P2P1/1R3P2/3BK3 w - - 5 30",
    "r4bk1/1qr5/p3p1p1/QP1pPpBp/2nP3P/5BP1/3N1P2/1R4K1 w - - 0 36",
    "r1bqk2r/p3bppp/np1ppn2/2p5/4P3/2NP1PP1/PPPBN2P/R2QKB1R w KQkq - 1 8",
    "r1bqk2r/1pp1bppp/p7/3p4/3P4/3P1N2/PP3PPP/R1BQ1RK1 w kq - 1 13",
    "rn1qk2r/6pp/1pp1bp2/p3N3/2PP4/1P3N2/P2Q3P/R3KR2 w Qkq - 0 18",
    "1r1q1rk1/4npb1/3pbn2/1N2p3/1p5p/P2PPB2/1BQN1P2/R3K1R1 w - - 1 24",
    "2k5/1p6/2p2p2/4b1p1/1P3n2/P2p4/3K1P1P/3R4 w - - 0 36",
    "8/1p6/1k6/2p2p1P/2b1p3/4P3/r2B2P1/3RK3 w - - 0 51",
    "r2qkbnr/1p1n2pp/p1p1bp2/3pp3/7P/1P1PPN2/P1PNBPP1/R1BQK2R w KQkq - 4 8",
    "r4rk1/1p1bqppp/p1nbpn2/3p4/P7/1PPBPN2/1B1N1PPP/R2Q1RK1 w - - 3 13",
    "r4rk1/1ppb3p/p2p1q1B/5p1p/3bP3/2NP3P/PPPQ2P1/R5KR w - - 4 18",
    "5knr/p1N1bp2/4p2p/4P1pN/1n4P1/4B3/1P2KP1P/3R4 w - - 2 24",
    "k6r/p1pN2b1/2n4P/p3p3/2P1p3/1r1P1N2/1P3P1R/4K3 w - - 0 30",
    "7r/5Rp1/pkrRB3/1p4bn/1B6/4P2p/PP5P/6K1 w - - 7 36",
    "rn1qk1nr/ppp1p1b1/3pbp1p/6p1/1P4PP/N2P1P1N/P1P1P3/R1BQKB1R w KQkq - 1 8",
    "r4rk1/2pqn1bp/1pn1bpp1/p2pp3/P3P2P/2PPBNP1/1P1N1PB1/R2QR1K1 w - - 1 13",
    "r4rk1/3pqp1p/1pnp1n1R/p3p3/2PP2P1/P2QPN2/1P3P2/R1B1K3 w - - 0 18",
    "2r1r1k1/1p5p/pP2p1pP/2p1Pp2/b1P1p3/BRq1P2R/3P4/4K3 w - - 0 30",
    "8/1k6/2p2R2/B4p2/P1PPp3/1P6/5r2/1K6 w - - 1 43",
    "r1bqk1nr/ppp2p1p/2np2p1/2b1p3/2N5/2P2N2/P2PPPPP/R1BQKB1R w KQkq - 1 8",
    "8/8/8/8/5kp1/P7/8/1K1N4 w - - 0 1",
    "8/5k2/8/2p5/PpP5/1P3K2/8/8 w - - 0 1",
    "8/8/4k3/3p4/3P4/4K3/8/8 w - - 0 1",
    "8/3k4/8/3K4/8/4P3/8/8 w - - 0 1",
    "4k3/8/4K3/8/8/8/8/3QR3 b - - 5 60",
)


@dataclass(frozen=True)
class BenchResult:
    nodes: int
    time_ms: int

    @property
    def nodes_per_second(self) -> int:
        return self.nodes * 1000 // max(1, self.time_ms)


def run_bench(
    on_line: Callable[[str], None],
    depth: int = BENCH_DEPTH,
    hash_mb: int = 16,
    threads: int = 1,
) -> BenchResult:
    """Search every position from an empty table. With one thread the node count is exact.

    Raises MemoryError if the machine has no memory for this hash or these threads.
    """
    state = EngineState(Settings(hash_mb=hash_mb, threads=threads))
    nodes = 0
    started = time.perf_counter()
    for number, fen in enumerate(POSITIONS, 1):
        set_fen(state.position, fen)
        state.new_game()
        events: list[SearchEvent] = []
        search = Search(state, state.settings, Limits(depth=depth), events.append)
        search.start()
        search.delivered.wait()
        here = state.nodes()
        nodes += here
        result = events[-1]
        assert isinstance(result, SearchResult)
        on_line(f"{number:2}/{len(POSITIONS)} {here:10} nodes  {result.best_move:5}  {fen}")
    time_ms = int((time.perf_counter() - started) * 1000)
    return BenchResult(nodes, time_ms)


# --- What alpha-beta and ordering save ---------------------------------------------------------

MINIMAX_LIMIT = 50_000_000  # nodes; deeper columns of the slower methods are left empty


def run_effectiveness(on_line: Callable[[str], None], depth: int = 6) -> None:
    """Print, depth by depth, the nodes of ever better searches over the bench's middlegames.

    Columns: minimax; alpha-beta in generation order; alpha-beta with move ordering; the full
    search. Beside them what theory says: b^d and, for perfect ordering, b^(d/2), with b the
    mean number of legal moves.
    """
    state = EngineState()
    worker = state.workers[0]
    fens = POSITIONS[5:12]
    branching = 0.0
    for fen in fens:
        set_fen(worker.position, fen)
        branching += len(legal_moves(worker.position, worker.lists)) / len(fens)
    on_line(f"{len(fens)} middlegame positions, {branching:.1f} legal moves on average; mean nodes")
    heads = ("depth", "b^d", "minimax", "alpha-beta", "+ ordering", "full search", "b^(d/2)")
    on_line(f"{heads[0]:>5}" + "".join(f"{head:>16}" for head in heads[1:]))
    running = [True, True, True]
    for current in range(1, depth + 1):
        cells: list[float | None] = []
        for method, search in enumerate((_minimax, _alpha_beta, _ordered)):
            running[method] = running[method] and _predicted(current, method, branching)
            cells.append(_mean_nodes(worker, fens, current, search) if running[method] else None)
        cells.append(_mean_nodes(worker, fens, current, _iterate))
        values = [branching**current, *cells, branching ** (current / 2)]
        on_line(
            f"{current:5}"
            + "".join("               -" if v is None else f"{v:16.0f}" for v in values)
        )


def _predicted(depth: int, method: int, branching: float) -> bool:
    """Is a method expected to stay under the limit of nodes?"""
    exponent = (1.0, 0.8, 0.7)[method]
    return float(branching ** (depth * exponent)) <= MINIMAX_LIMIT


def _mean_nodes(
    worker: Worker,
    fens: tuple[str, ...],
    depth: int,
    search: Callable[[Worker, int], object],
) -> float:
    total = 0
    for fen in fens:
        set_fen(worker.position, fen)
        forget_game(worker)
        clear_table(worker.tt)  # so that no method profits from another
        worker.nodes = 0
        search(worker, depth)
        total += int(worker.nodes)
    return total / len(fens)


def _minimax(worker: Worker, depth: int) -> object:
    return minimax(worker, depth, 0)


def _alpha_beta(worker: Worker, depth: int) -> object:
    return alpha_beta(worker, -INFINITE, INFINITE, depth, 0)


def _ordered(worker: Worker, depth: int) -> object:
    """Principal variation search with ordering, but nothing selective."""
    with full_width(worker):
        return _iterate(worker, depth)


def _iterate(worker: Worker, depth: int) -> object:
    set_all_root_moves(worker)
    worker.root_first = 0
    for current in range(1, depth + 1):
        worker.root_depth = current
        negamax(worker, -INFINITE, INFINITE, current, 0, False)
    return None
