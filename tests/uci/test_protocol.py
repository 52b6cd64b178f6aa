"""uci.protocol: what each line means, and that no line does harm."""

from __future__ import annotations

import time

import pytest

from engine.checked import LARGEST
from engine.limits import Limits
from uci import protocol
from uci.protocol import FALLBACK_MOVETIME_MS, Go, Nothing, Perft, Position, SetOption


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("uci", protocol.Uci()),
        ("uci\r\n", protocol.Uci()),
        ("\ufeffuci\n", protocol.Uci()),
        ("isready", protocol.IsReady()),
        ("  \t isready \t ", protocol.IsReady()),
        ("ucinewgame", protocol.NewGame()),
        ("stop", protocol.Stop()),
        ("ponderhit", protocol.PonderHit()),
        ("quit", protocol.Quit()),
        ("d", protocol.Display()),
        ("eval", protocol.Evaluate()),
        ("flip", protocol.Flip()),
        ("help", protocol.Help()),
        ("bench", protocol.Bench()),
        ("bench 5", protocol.Bench(5)),
        ("bench 5 32 2", protocol.Bench(5, 32, 2)),
        ("bench --effectiveness", protocol.Effectiveness()),
        ("bench --effectiveness 4", protocol.Effectiveness(4)),
        ("perft 5", Perft(5)),
        ("go perft 6", Perft(6)),
    ],
)
def test_each_command(line: str, command: protocol.Command) -> None:
    assert protocol.parse(line) == command


@pytest.mark.parametrize(
    "line",
    ["", "   ", "\t", "\r\n", "# go infinite", "#quit", "\ufeff", "xboard", "debug on", "debug off",
     "\t  debug \t  on  ", "debug joho on", "register later", "register name A B code 1"],
)  # fmt: skip
def test_lines_that_ask_for_nothing(line: str) -> None:
    assert protocol.parse(line) == Nothing()


class TestUnknownTokens:
    def test_are_skipped_before_a_command(self) -> None:
        assert protocol.parse("joho debug on") == Nothing()
        assert protocol.parse("joho hu isready") == protocol.IsReady()
        assert protocol.parse("hm setoption name Hash value 5") == SetOption("Hash", "5")

    def test_do_not_turn_words_of_the_console_into_commands(self) -> None:
        assert isinstance(protocol.parse("what does bench d eval do"), protocol.Unknown)

    def test_are_told_when_nothing_else_is_there(self) -> None:
        command = protocol.parse("\x00\x1b[2J lorem ipsum")
        assert isinstance(command, protocol.Unknown)
        assert "'??[2J lorem ipsum'" in command.warnings[0]

    def test_commands_are_lower_case(self) -> None:
        assert isinstance(protocol.parse("UCI"), protocol.Unknown)


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("setoption name Hash value 64", "Hash", "64"),
        ("setoption name Clear Hash", "Clear Hash", None),
        ("setoption  name   clear   hash  ", "clear hash", None),
        ("setoption name Move Overhead value 100\r\n", "Move Overhead", "100"),
        ("setoption NAME hash VALUE 1", "hash", "1"),
        ("setoption name Debug Log File value", "Debug Log File", ""),
        ("setoption name Debug Log File value   ", "Debug Log File", ""),
        ("setoption name Debug Log File value C:\\my  logs\\a b.txt ", "Debug Log File",
         "C:\\my  logs\\a b.txt"),
        ("setoption name", "", None),
        ("setoption name value 3", "", "3"),
    ],
)  # fmt: skip
def test_setoption(line: str, name: str, value: str | None) -> None:
    assert protocol.parse(line) == SetOption(name, value)


@pytest.mark.parametrize("line", ["setoption", "setoption Hash 5", "setoption value 5"])
def test_setoption_without_a_name(line: str) -> None:
    command = protocol.parse(line)
    assert isinstance(command, Nothing)
    assert "needs a name" in command.warnings[0]


class TestPosition:
    def test_start(self) -> None:
        assert protocol.parse("position startpos") == Position(None)
        assert protocol.parse("position startpos moves") == Position(None)
        assert protocol.parse("position  startpos moves e2e4\te7e5") == Position(
            None, ("e2e4", "e7e5")
        )

    def test_fen_of_any_length_is_left_to_the_engine(self) -> None:
        assert protocol.parse("position fen 4k3/8/8/8/8/8/8/4K3 w - -") == Position(
            "4k3/8/8/8/8/8/8/4K3 w - -"
        )
        assert protocol.parse("position fen 8/8  w - - 0 1 moves E2E4 e7e8Q") == Position(
            "8/8 w - - 0 1", ("e2e4", "e7e8q")
        )

    @pytest.mark.parametrize(
        "line",
        ["position", "position fen", "position moves e2e4", "position startpos e2e4",
         "position fen moves e2e4", "position 8/8/8/8/8/8/8/8 w - - 0 1"],
    )  # fmt: skip
    def test_without_a_root(self, line: str) -> None:
        command = protocol.parse(line)
        assert isinstance(command, Position)
        assert command.problem.startswith("it needs startpos or fen <fen>, not ")


class TestGo:
    @pytest.mark.parametrize(
        ("line", "limits"),
        [
            ("go", Limits()),
            ("go infinite", Limits(infinite=True)),
            ("go depth 5", Limits(depth=5)),
            ("go nodes 1000", Limits(nodes=1000)),
            ("go mate 3", Limits(mate=3)),
            ("go movetime 50", Limits(movetime_ms=50)),
            ("go wtime 100", Limits(white_time_ms=100)),
            ("go btime -5", Limits(black_time_ms=-5)),
            ("go ponder wtime 1 btime 2", Limits(ponder=True, white_time_ms=1, black_time_ms=2)),
            ("go movestogo 0 wtime 5", Limits(white_time_ms=5)),
            ("go movestogo -1 wtime 5", Limits(white_time_ms=5)),
            ("go depth 4 depth 6", Limits(depth=6)),
            ("go searchmoves e2e4 d2d4", Limits(search_moves=("e2e4", "d2d4"))),
            ("go searchmoves 0000", Limits(search_moves=("0000",))),
            ("go searchmoves e7e8Q depth 3", Limits(search_moves=("e7e8q",), depth=3)),
        ],
    )
    def test_tokens(self, line: str, limits: Limits) -> None:
        assert protocol.parse(line) == Go(limits)

    @pytest.mark.parametrize(
        "order",
        [
            "wtime 1 btime 2 winc 3 binc 4 movestogo 5 searchmoves a2a3 a2a4 ponder",
            "searchmoves a2a3 a2a4 ponder binc 4 winc 3 btime 2 wtime 1 movestogo 5",
            "movestogo 5 wtime 1 searchmoves a2a3 winc 3 searchmoves a2a4 ponder btime 2 binc 4",
        ],
    )
    def test_any_order(self, order: str) -> None:
        assert protocol.parse(f"go {order}") == Go(
            Limits(
                white_time_ms=1,
                black_time_ms=2,
                white_increment_ms=3,
                black_increment_ms=4,
                moves_to_go=5,
                ponder=True,
                search_moves=("a2a3", "a2a4"),
            )
        )

    @pytest.mark.parametrize(
        ("token", "field"),
        [("depth", "depth"), ("nodes", "nodes"), ("mate", "mate"), ("movetime", "movetime_ms")],
    )
    @pytest.mark.parametrize("number", ["0", "-7"])
    def test_numbers_too_small_are_clamped(self, token: str, field: str, number: str) -> None:
        command = protocol.parse(f"go {token} {number}")
        assert isinstance(command, Go)
        assert command.limits == Limits(**{field: 1})  # type: ignore[arg-type]
        assert "using 1" in command.warnings[0]

    @pytest.mark.parametrize("digits", [16, 25, 5000])
    def test_numbers_too_large_are_clamped(self, digits: int) -> None:
        command = protocol.parse("go nodes " + "9" * digits)
        assert isinstance(command, Go)
        assert command.limits == Limits(nodes=LARGEST)
        assert len(command.warnings) == 1

    @pytest.mark.parametrize("bad", ["x", "1.5", "1_000", "٣", "", "0x10", "--5"])
    def test_a_limit_without_a_number_is_ignored(self, bad: str) -> None:
        command = protocol.parse(f"go wtime 1000 depth {bad} btime 900")
        assert isinstance(command, Go)
        assert command.limits == Limits(white_time_ms=1000, black_time_ms=900)
        assert "after 'depth'" in command.warnings[0]

    @pytest.mark.parametrize("line", ["go movetime", "go wtime x btime y winc 5", "go nodes 1e6",
                                      "go depht 10", "go fast", "go ponder fast"])  # fmt: skip
    def test_a_search_still_ends_when_no_limit_can_be_read(self, line: str) -> None:
        command = protocol.parse(line)
        assert isinstance(command, Go)
        assert command.limits.movetime_ms == FALLBACK_MOVETIME_MS
        assert command.warnings[-1].endswith("so the search takes 100 ms")

    def test_unknown_tokens_are_told_but_not_all(self) -> None:
        command = protocol.parse("go fast depth 3 " + "junk " * 10_000)
        assert isinstance(command, Go)
        assert command.limits == Limits(depth=3)
        (warning,) = command.warnings
        assert "'fast'" in warning
        assert "9998 more" in warning
        assert protocol.parse("go a b c infinite").warnings == ("go: ignored 'a', 'b', 'c'",)
        assert protocol.parse("go a b c d depth 1").warnings == (
            "go: ignored 'a', 'b', 'c' and 1 more",
        )


class TestCounts:
    @pytest.mark.parametrize("line", ["perft", "perft x", "go perft", "go perft depth"])
    def test_perft_needs_a_depth(self, line: str) -> None:
        command = protocol.parse(line)
        assert isinstance(command, Nothing)
        assert "perft needs a depth" in command.warnings

    def test_perft_is_clamped(self) -> None:
        for text, depth in (("perft -3", 1), ("perft 600", 200)):
            command = protocol.parse(text)
            assert isinstance(command, Perft)
            assert command.depth == depth
            assert command.warnings

    def test_bench_asks_what_a_mistyped_option_means(self) -> None:
        command = protocol.parse("bench --efectiveness 3")
        assert command == protocol.Nothing(
            warnings=("bench: unknown word '--efectiveness', did you mean --effectiveness?",)
        )

    def test_bench_tells_what_it_ignores(self) -> None:
        command = protocol.parse("bench x 0 2 default depth")
        assert isinstance(command, protocol.Bench)
        assert (command.depth, command.hash_mb, command.threads) == (None, 1, 2)
        assert len(command.warnings) == 3


@pytest.mark.parametrize(
    "line",
    ["x" * 100_000, "go " * 33_000, " " * 100_000 + "x", "setoption name " + "a " * 50_000,
     "setoption name" + " " * 100_000 + "value", "position fen " + "/" * 100_000,
     "position startpos moves " + "e2e4 " * 20_000, "go depth " + "1" * 100_000],
)  # fmt: skip
def test_long_lines_are_read_quickly_and_told_briefly(line: str) -> None:
    start = time.perf_counter()
    command = protocol.parse(line)
    assert time.perf_counter() - start < 1
    assert all(len(warning) < 300 for warning in command.warnings)


def test_every_documented_command_says_how_and_what_for() -> None:
    for command in protocol.DOCUMENTED:
        assert command.usage, command
        assert command.__doc__, command
        assert "\n" not in command.__doc__, command
