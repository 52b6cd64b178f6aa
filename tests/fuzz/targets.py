"""What is fuzzed: readers of input that others wrote.

A target takes any bytes. It returns whether they were read, or refused as the reader's docstring
says; every other exception, a crash and a hang are faults. Where there is an independent answer it
compares.
"""

from __future__ import annotations

import contextlib
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import chess
import numpy as np

from engine.board.attack_tables import new_attack_tables, new_position
from engine.board.fen import START, PositionError, set_fen, to_fen
from engine.board.notation import legal_moves, move_text, parse_move
from engine.board.position import MoveLists, Position
from engine.eval.network.file import decode
from engine.eval.network.loading import SHIPPED_PATH
from engine.tb.memory import Prober
from openings import SHIPPED_BOOK_PATH, pgn
from openings.polyglot import Book, BookError
from tablebases.commands.sampling import check_sample, new_sample
from tablebases.folders import BUILT_IN, Tablebase
from tablebases.material import FormatError
from tablebases.reading import open_table
from tests.reference.hostile_fens import HOSTILE
from tuning.data import dataset, epd, games, readers
from uci import options, protocol

TABLE = "KPvK.rtbw"
PROBES = 10  # random positions of a damaged table


@dataclass(frozen=True)
class Target:
    """`check(content, folder)`: the folder is for files of the target's own."""

    check: Callable[[bytes, Path], bool]
    seeds: Callable[[Path], list[bytes]]  # which are read
    refused: tuple[bytes, ...] = ()  # more seeds, which are not
    words: tuple[bytes, ...] = ()  # that mean something to the reader
    longest: int = 4096  # bytes, of what mutations add


def _kept(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


# --- UCI ---------------------------------------------------------------------------------------


def check_uci(content: bytes, _: Path) -> bool:
    known = True
    for line in content.split(b"\n"):
        command = protocol.parse(line.decode("utf-8", "surrogateescape"))
        # No warning is two lines, of which the second would look like a command's answer.
        problem = command.problem if isinstance(command, protocol.Position) else ""
        problems = [*command.warnings, *filter(None, [problem])]
        assert all(len(one.splitlines()) == 1 for one in problems)
        if isinstance(command, protocol.SetOption):
            option = options.find(command.name)
            if option is not None:
                with contextlib.suppress(ValueError):
                    option.read(command.value or "")
        known = known and not problems
    return known


UCI_LINES = (
    b"position startpos moves e2e4 e7e5 g1f3",
    b"position fen " + START.encode() + b" moves e2e4",
    b"go wtime 1000 btime 1000 winc 10 binc 10 movestogo 40",
    b"go depth 3 nodes 500 movetime 20 searchmoves e2e4 d2d4",
    b"go infinite",
    b"go ponder wtime 1 btime 1",
    b"go mate 3",
    b"setoption name Hash value 16",
    b"setoption name UCI_Chess960 value true",
    b"setoption name Clear Hash",
    b"setoption name SyzygyPath value /a:/b;c",
    b"bench 1 16 1",
    b"perft 2",
    b"debug on\nucinewgame\nisready\nponderhit\nstop\nquit",
)

# --- Positions ---------------------------------------------------------------------------------


@cache
def _board() -> tuple[Position, MoveLists]:
    return new_position(new_attack_tables()), MoveLists()


def check_fen(content: bytes, _: Path) -> bool:
    text = content.decode("utf-8", "surrogateescape")
    pos, lists = _board()
    for chess960 in (False, True):
        try:
            set_fen(pos, text, chess960)
        except PositionError:
            return False
        fen = to_fen(pos)
        moves = legal_moves(pos, lists)
        board = chess.Board(fen, chess960=chess960)
        texts = {move_text(move, chess960) for move in moves}
        if chess960:
            assert texts == {board.uci(move) for move in board.legal_moves}, fen
        assert len(moves) == board.legal_moves.count(), fen
        assert {parse_move(pos, lists, move_text(move, chess960)) for move in moves} == set(moves)
        set_fen(pos, fen, chess960)
        assert to_fen(pos) == fen
    return True


FENS = (
    START,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
)

# --- Books and tables --------------------------------------------------------------------------


def check_polyglot(content: bytes, folder: Path) -> bool:
    path = _kept(folder, "book.bin", content)
    try:
        book = Book(path)
    except BookError:
        return False
    try:
        for at in range(0, len(content), 16 * max(1, len(content) // 64)):
            (key,) = struct.unpack_from(">Q", content, at)
            for entry in book.entries(key):
                assert 0 <= entry.weight <= 0xFFFF and len(entry.move) in (4, 5)
    finally:
        book.close()
    return True


def check_syzygy(content: bytes, folder: Path) -> bool:
    path = _kept(folder, TABLE, content)
    try:
        open_table(path)
    except FormatError:
        return False
    tablebase = Tablebase([folder, BUILT_IN])
    tablebase.prepare("KP", "K")
    prober = Prober()
    prober.tablebases = tablebase.memory
    prober.most_men = tablebase.most_men
    pos, lists = _board()
    check_sample(new_sample("KPvK", 1), prober, pos, lists, PROBES, False)  # it comes back
    return True


# --- Our own files -----------------------------------------------------------------------------


def check_network(content: bytes, _: Path) -> bool:
    try:
        decode(content)
    except ValueError:
        return False
    return True


def check_positions(content: bytes, folder: Path) -> bool:
    times_read = 0
    for mended in (content, _with_checksum(content)):
        path = _kept(folder, "a.positions", mended)
        for read in (dataset.load, dataset.open_positions):
            try:
                found = read(path)
            except ValueError:
                continue
            assert len(found) == len(found.records)
            times_read += 1
    return times_read == 4


def _with_checksum(content: bytes) -> bytes:
    """So that damage behind the checksum is seen, too."""
    if len(content) < 32:
        return content
    (start,) = struct.unpack_from("<I", content, 8)
    return content[:24] + struct.pack("<Q", zlib.crc32(content[start:])) + content[32:]


def check_games(content: bytes, folder: Path) -> bool:
    path = _kept(folder, "a.games", content)
    with contextlib.suppress(ValueError):
        for game in games.read_games(path):
            assert len(game.moves) <= len(content)
    return _has_positions(path)


def check_epd(content: bytes, _: Path) -> bool:
    refused = False
    for line in content.decode("utf-8", "replace").splitlines():
        try:
            found = epd.parse(line, 1)
            found.moves("bm")
            assert found.mate is None or isinstance(found.mate, int)
        except ValueError:
            refused = True
    return not refused


def check_pgn(content: bytes, _: Path) -> bool:
    """What was read of games is the same after writing."""
    found = list(pgn.read_games(content))
    assert all(sentence.isprintable() for one in found for sentence in one.left_out("a", "read"))
    good = [one.game for one in found if not one.refused]
    text = pgn.pgn_text(good)
    again = list(pgn.read_games(text.encode("utf-8", "replace")))
    assert not any(one.faults or one.refused for one in again), text
    assert pgn.pgn_text(one.game for one in again) == text
    return not any(one.faults or one.refused for one in found)


def check_texts(content: bytes, folder: Path) -> bool:
    """PGN, CSV and EPD, as `wadjet-tune import` reads them."""
    paths = [_kept(folder, name, content) for name in ("a.pgn", "a.csv", "a.epd")]
    return sum(_has_positions(path) for path in paths) > 0  # each of them tries


def _has_positions(path: Path) -> bool:
    try:
        return sum(len(batch.records) for batch in readers.read(path, [])) > 0
    except ValueError:
        return False


def _positions_seed(folder: Path) -> list[bytes]:
    path = folder / "seed.positions"
    dataset.Dataset(np.zeros(8, dataset.RECORD), ["seed"], {"note": [1]}).save(path)
    return [path.read_bytes()]


def _games_seed(folder: Path) -> list[bytes]:
    path = folder / "seed.games"
    path.unlink(missing_ok=True)
    with games.GameFile(path, {"nodes": 5}) as file:
        for number in range(3):
            file.add(number, games.GameRecord(START, [796, 3364], [10, -10], 1))
    return [path.read_bytes()]


def _book_seed(_: Path) -> list[bytes]:
    shipped = SHIPPED_BOOK_PATH.read_bytes()
    return [shipped[:320], shipped[-320:]]


def _best_move(fen: str) -> str:
    board = chess.Board(fen)
    return board.san(next(iter(board.legal_moves)))


NETWORK = Path(SHIPPED_PATH).read_bytes()
PGN = b"""[Event "x"]
[White "a"]
[Black "b"]
[Result "1-0"]

1. e4 {+0.20/12 0.1s} e5 2. Nf3 (2. f4 exf4) Nc6 $1 1-0

"""
RICH_PGN = """[Event "a \\"b\\" \\\\"]
[FEN "4k3/4P3/8/8/8/8/8/4K2R w K - 0 40"]

{before} 40. O-O $5 {[%clk 0:01:00]} (40. Kd2! ; rest }
Kd7 {x
y}) (40. Rh8+ Kxe7 -- 1-0) Kxe7 41. ♖e1+ Kd8 1-0
1. e4 c5 2. Cf3 d6 *
""".encode()
CSV = f"#fen;cp_white;result_white;ply\n{START};12;0.5;0\n{FENS[1]};-30;1.0;40\n".encode()
EPDS = tuple(
    f'{" ".join(fen.split()[:4])} bm {_best_move(fen)}; id "x.1"; dm 3;'.encode() for fen in FENS
)

TARGETS = {
    "uci": Target(
        check_uci,
        lambda _: list(UCI_LINES),
        words=(*b" ".join(UCI_LINES).split(), b"\0", b"\xff", b"99999999999999999999", b"-1"),
    ),
    "fen": Target(
        check_fen,
        lambda _: [fen.encode() for fen in FENS],
        tuple(text.encode("utf-8", "surrogateescape") for text in HOSTILE),
        tuple(b"KQkq|HAha| w | b |-|/|8|k|K|p|e3|d6| 99 ".split(b"|")),
        longest=64,
    ),
    "polyglot": Target(check_polyglot, _book_seed, words=(bytes(8), b"\xff" * 8, bytes(16))),
    "syzygy": Target(check_syzygy, lambda _: [(BUILT_IN / TABLE).read_bytes()], longest=64),
    "network": Target(
        check_network,
        lambda _: [NETWORK],
        (NETWORK[:2048],),
        (b"\xff\xff\xff\xff", bytes(4)),
        longest=64,
    ),
    "positions": Target(
        check_positions,
        _positions_seed,
        words=(b'{"sources": []}', b"[" * 3000, b"null", b"\xff\xff\xff\xff", bytes(8)),
    ),
    "games": Target(
        check_games,
        _games_seed,
        words=(b"{}", b"[" * 3000, b"\xff\xff\xff\xff", bytes(4), b"WADJGAM1"),
    ),
    "epd": Target(
        check_epd, lambda _: list(EPDS), words=(b"bm ", b"dm ", b";", b'"', b"am O-O;", b"0 1")
    ),
    "pgn": Target(
        check_pgn,
        lambda _: [PGN, PGN.decode().encode("utf-16"), RICH_PGN],
        words=(
            *b'{ } ( ) ; % $5 $ -- 1. 1... [ ] \\ " * 1-0 e4 Cf3 e8(Q) \n \n\n \r'.split(b" "),
            b'\n[Event "a"]\n',
            b'\n[FEN "x"]\n',
            b'[Variant "Atomic"]',
        ),
    ),
    "texts": Target(
        check_texts,
        lambda _: [PGN, CSV, *EPDS],
        words=(b"{", b"}", b"(", b")", b"fen;", b"cp_white;", b"O-O-O", b"\n\n"),
    ),
}
# What the readers are asked in proportion: the slow ones get fewer inputs.
SHARES = {"uci": 60, "fen": 12, "polyglot": 8, "syzygy": 2, "network": 2, "positions": 4}
DEFAULT_SHARE = 3


def mutated(target: Target, seeds: list[bytes], random: Random) -> bytes:
    """A seed, changed in a few places: bits, bytes, numbers, words, cuts, splices."""
    seeds = [*seeds, *target.refused]
    content = bytearray(random.choice(seeds))
    for _ in range(random.choice((1, 1, 2, 3, 5, 8))):
        at = random.randrange(len(content) + 1)
        kind = random.randrange(8)
        if kind == 0 and at < len(content):
            content[at] ^= 1 << random.randrange(8)
        elif kind == 1 and at < len(content):
            content[at] = random.randrange(256)
        elif kind == 2:
            content[at:at] = random.randbytes(random.randrange(1, 9))
        elif kind == 3:
            del content[at : at + random.choice((1, 2, 4, 16, 256))]
        elif kind == 4 and target.words:
            content[at:at] = random.choice(target.words)
        elif kind == 5:
            number = random.choice((0, 1, -1, 1 << 31, (1 << 32) - 1, 1 << 15, len(content)))
            content[at : at + 4] = (number & 0xFFFFFFFF).to_bytes(
                4, random.choice(("little", "big"))
            )
        elif kind == 6:
            other = random.choice(seeds)
            start = random.randrange(len(other) + 1)
            content[at:at] = other[start : start + random.randrange(1, target.longest)]
        elif kind == 7:
            content = content[:at]
    return bytes(content)
