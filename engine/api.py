"""The engine as a Python object: positions and limits in, answers or events out. Prints nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.answers import Answer, Infos
from engine.board.attack_tables import new_position
from engine.board.draws import repetitions
from engine.board.fen import START, PositionError, set_fen, to_fen
from engine.board.foreign import root_fen
from engine.board.game import push
from engine.board.makemove import make, unmake
from engine.board.move import NO_MOVE
from engine.board.notation import legal_moves, move_text, parse_among, parse_move
from engine.board.perft import perft
from engine.board.position import MoveLists, Position
from engine.book import OpeningBook
from engine.chances import factor_shown, material_of
from engine.checked import seconds, type_of, whole
from engine.diagram import board_text, flipped_fen
from engine.eval.choice import CLASSICAL, EVALUATIONS, NETWORK, SHIPPED_NETWORK
from engine.eval.explain import Explanation, explain, explanation
from engine.eval.network.loading import SHIPPED_PATH
from engine.events import SearchEvent, SearchResult
from engine.files import expanded
from engine.limits import MOST_PERFT_PLIES, Limits, texts_of
from engine.machine import most_threads
from engine.play.levels import with_book_of_level
from engine.play.search import Search
from engine.play.state import EngineState
from engine.search.params import tunables
from engine.search.reductions import fill_reductions
from engine.search.state import Worker
from engine.settings import NAMES, Settings

if TYPE_CHECKING:
    import chess
    import chess.engine

    from engine.board.ending import Ending

    _Attributes = Settings  # their types
else:
    _Attributes = object

__all__ = ["Engine", "PositionError"]


class Engine:
    """A chess engine with one current position. Keywords are settings (engine/settings.py).

    >>> with Engine(hash_mb=4) as engine:
    ...     engine.set_position("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    ...     answer = engine.analyse(Limits(depth=3))
    >>> answer.best_move, answer.score.mate
    ('a1a8', 1)

    What is refused raises an exception with the reason and changes nothing: TypeError for a value
    of the wrong type or a name that is not known, ValueError for any other value that is none,
    MemoryError for what does not fit into this machine.

    An engine belongs to one thread; only `stop` and `ponderhit` may be called from others. While
    it searches, other threads of the program run. Methods that change something wait for a running
    search, and raise RuntimeError if it would never end.
    """

    def __init__(self, **settings: Any) -> None:
        self._state = EngineState(Settings(**settings))
        self._search: Search | None = None
        self._closed = False
        self._lists = MoveLists()
        self._scratch = new_position(self._state.shared.tables)  # free between calls
        self.book = OpeningBook()
        self.options = Options(self)
        self._fen = ""  # the position comes from this FEN and these moves
        self._moves: tuple[str, ...] = ()
        self._chess960 = self.settings.chess960  # as they were read
        self._remark = ""  # about this FEN
        self.set_position(None, ())
        self.set_tablebases("")

    def close(self) -> None:
        """Stop a running search and close the book; no search starts after this."""
        self.stop()
        self.wait()
        self.book.enable(False)
        self._closed = True

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Engine at {self.fen()}>"

    # --- Settings

    @property
    def settings(self) -> Settings:
        """Change them with `configure`."""
        return self._state.settings

    @property
    def most_threads(self) -> int:
        """How many this machine bears."""
        return most_threads(Worker.size)

    def configure(self, **changes: Any) -> None:
        """Change settings, named as in engine/settings.py. A running search keeps its own."""
        old = self.settings
        new = replace(old, **changes)
        if (new.hash_mb, new.threads, new.chess960) != (old.hash_mb, old.threads, old.chess960):
            self.wait()
        self._state.resize(new.threads)
        try:
            if new.hash_mb != old.hash_mb:
                self._state.shared.resize_hash(new.hash_mb)
        except MemoryError:
            self._state.resize(old.threads)
            raise
        if new.nodes_per_ms != old.nodes_per_ms:
            self._state.node_clock.new_game()
        self._state.settings = new
        if new.chess960 != self._chess960:
            self._read_again()

    def set_tunable(self, name: str, value: int) -> None:
        """Change a constant of the search; see engine/search/params.py."""
        allowed = tunables().get(name)
        if allowed is None:
            raise ValueError(f"{name} is no constant of the search")
        value = whole(name, value, allowed.minimum, allowed.maximum)
        self.wait()
        setattr(self._state.shared.params, name, value)
        fill_reductions(self._state.shared.reduction_table, self._state.shared.params)

    def set_tablebases(self, path: str | os.PathLike[str]) -> list[str]:
        """Use the Syzygy tablebases in these folders, separated by `;` or `:`, and the built-in
        ones for what they lack.

        Returns remarks for the user: how many tables it found, and problems with them.
        """
        self.wait()
        return self._state.tablebases.use(os.fsdecode(path))

    def clear_hash(self) -> None:
        self.wait()
        self._state.shared.clear_hash()

    # --- Evaluation

    @property
    def start_problem(self) -> str:
        """Why the engine does not use its default evaluation; usually empty."""
        reason = self._state.shared.evaluation.problem
        return f"{reason}; using the {CLASSICAL} evaluation" if reason else ""

    def set_network(self, path: str | os.PathLike[str]) -> str:
        """Load a network; SHIPPED_NETWORK or an empty path: the built-in one. Forgets the game.

        Returns a remark for the user.
        """
        file = os.fsdecode(path)
        self.wait()
        evaluation = self._state.shared.evaluation
        chosen = SHIPPED_PATH if file in ("", SHIPPED_NETWORK) else expanded(file)
        evaluation.load_network(chosen)
        self._state.new_game()
        unused = "" if evaluation.chosen == NETWORK else f", but Evaluation is {CLASSICAL}"
        return f"{chosen.name} loaded{unused}"

    @property
    def evaluation(self) -> str:
        """NETWORK or CLASSICAL."""
        return self._state.shared.evaluation.chosen

    def set_evaluation(self, evaluation: str) -> None:
        """NETWORK or CLASSICAL."""
        if not isinstance(evaluation, str):
            raise TypeError(f"evaluation must be str, not {type_of(evaluation)}")
        if evaluation not in EVALUATIONS:
            raise ValueError(f"evaluation must be {' or '.join(EVALUATIONS)}, not {evaluation!r}")
        self.wait()
        before = self._state.shared.evaluation.chosen
        self._state.shared.evaluation.choose(evaluation)
        if evaluation != before:
            self._state.new_game()

    # --- Positions

    def new_game(self) -> None:
        """Forget the results of earlier searches; keep the position."""
        self.wait()
        self._state.new_game()

    def set_position(
        self, position: str | chess.Board | None = None, moves: Iterable[str | chess.Move] = ()
    ) -> str | None:
        """Set up a FEN, or a board of python-chess with its game, and play moves on it. None and
        "startpos" are the start position. A board also sets the option chess960.

        Returns a remark for the user, usually None. Raises PositionError with the reason, and then
        keeps the last good position.
        """
        texts = texts_of("moves", moves)
        self.wait()
        chess960 = self.settings.chess960
        if position is None or isinstance(position, str):
            fen = START if position in (None, "", "startpos") else str(position)
        else:
            fen = root_fen(position)
            texts = (*map(str, position.move_stack), *texts)
            chess960 = position.chess960
        remark = self._set_up(fen, texts, chess960)
        if chess960 != self.settings.chess960:
            self.configure(chess960=chess960)
        return remark or None

    def _set_up(self, fen: str, moves: tuple[str, ...], chess960: bool) -> str:
        known = len(self._moves)
        # A GUI sends the whole game with every move: usually only the last moves are new.
        if fen == self._fen and moves[:known] == self._moves and chess960 == self._chess960:
            pos, remark = self._scratch_copy(), self._remark
            new_moves = moves[known:]
            told = "" if new_moves else remark  # not again with every move
        else:
            pos = self._scratch
            told = remark = set_fen(pos, fen, chess960)
            new_moves = moves
        for text in new_moves:
            move = parse_move(pos, self._lists, text)
            if move == NO_MOVE:
                raise PositionError(f"{text[:20]!r} is not a legal move in {to_fen(pos)}")
            push(pos, move)
        self._state.position.copy_from(pos)
        self._fen, self._moves, self._chess960 = fen, moves, chess960
        self._remark = remark
        return told

    def _read_again(self) -> None:
        """The option chess960 has changed, and so which castling rights count."""
        chess960 = self.settings.chess960
        try:
            self._set_up(self._fen, self._moves, chess960)
        except PositionError:  # castling of Chess960 in the game; the position alone is fine
            self._set_up(self.fen(), (), chess960)

    def _scratch_copy(self) -> Position:
        """The current position, to play moves on."""
        self._scratch.copy_from(self._state.position)
        return self._scratch

    def board(self) -> chess.Board:
        """The current position and the game before it, for python-chess."""
        import chess

        set_fen(self._scratch, self._fen, self._chess960)  # python-chess takes fewer FENs
        board = chess.Board(to_fen(self._scratch), chess960=self._chess960)
        for move in self._moves:
            board.push_uci(move)
        return board

    def fen(self) -> str:
        return to_fen(self._state.position)

    def flip(self) -> None:
        """The same position with the colours exchanged."""
        self.set_position(flipped_fen(self._state.position), ())

    def legal_moves(self) -> list[str]:
        moves = legal_moves(self._state.position, self._lists)
        return [move_text(move, self.settings.chess960) for move in moves]

    def repetitions(self) -> int:
        """How often the current position occurred earlier in the game."""
        return int(repetitions(self._state.position))

    # --- Searching

    def play(self, limits: Limits | chess.engine.Limit) -> Answer:
        """Choose a move as in a game: from the book if it is enabled. Does not make the move.

        Raises ValueError for limits that do not end the search, and whatever fails in it.
        """
        return self._begin(_ending(limits), self.settings).answer()

    def analyse(self, limits: Limits | chess.engine.Limit) -> Answer:
        """Search and return what was found. The book does not answer.

        Raises ValueError for limits that do not end the search, and whatever fails in it.
        """
        return self.infos(_ending(limits)).answer()

    def infos(self, limits: Limits | chess.engine.Limit | None = None) -> Infos:
        """Start to analyse and return at once. Without limits, it analyses until `stop`.

        >>> with Engine(hash_mb=4) as engine:
        ...     [info.depth for info in engine.infos(Limits(depth=3))]
        [1, 2, 3]
        """
        known = Limits(infinite=True) if limits is None else _limits(limits)
        return self._begin(known, replace(self.settings, analyse_mode=True))

    def _begin(self, limits: Limits, settings: Settings) -> Infos:
        legal = legal_moves(self._state.position, self._lists) if limits.search_moves else []
        for move in limits.search_moves:
            if parse_among(legal, str(move)) == NO_MOVE:
                raise ValueError(f"{str(move)!r} in search_moves is not legal in {self.fen()}")
        infos = Infos()
        infos.search = self._start(limits, settings, infos.listen)
        return infos

    def go(
        self,
        limits: Limits | chess.engine.Limit,
        on_event: Callable[[SearchEvent], None],
        began: float | None = None,
    ) -> None:
        """Start a search and return at once.

        Its time counts from `began`, by time.perf_counter; None: from now.

        `on_event` receives what the search reports (engine/events.py), in order; a SearchResult
        comes exactly once, and last. The calls come from other threads or, if the book has a move
        or hardly any time is left, before this method returns: hold no lock that they need. In
        them, methods that wait for the search raise RuntimeError.
        """
        if not callable(on_event):
            raise TypeError(f"on_event must be a function, not {type_of(on_event)}")
        if began is not None:
            began = seconds("began", began)
        self._start(_limits(limits), self.settings, on_event, began)

    def _start(
        self,
        limits: Limits,
        settings: Settings,
        on_event: Callable[[SearchEvent], None],
        began: float | None = None,
    ) -> Search | None:
        """None: the book has answered."""
        if self._closed:
            raise RuntimeError("the engine is closed")
        self.wait()
        known = with_book_of_level(settings)
        pos = self._scratch_copy()
        after_ponderhit: list[SearchEvent] = []
        events = self.book.answer(limits, known, pos, self._lists, self._fen, self._moves)
        has_answered = isinstance(events[-1], SearchResult) if events else False
        if has_answered and limits.ponder:
            after_ponderhit = events
        else:
            for event in events:
                on_event(event)
            if has_answered:
                return None
        search = Search(self._state, settings, limits, on_event, began, after_ponderhit)
        self._search = search
        try:
            search.start()
        except (RuntimeError, MemoryError):  # no thread
            self._search = None
            raise
        return search

    def stop(self) -> None:
        """End the search; its result follows. Harmless when there is no search."""
        if self._search is not None:
            self._search.stop()

    def ponderhit(self) -> None:
        """The opponent played the expected move. If the book has a move, it answers now."""
        if self._search is not None:
            self._search.ponderhit()

    def wait(self) -> None:
        """Return when the running search, if any, has delivered its result. Raises RuntimeError if
        it never would."""
        search = self._search
        if search is None:
            return
        if search.reports_here:
            raise RuntimeError("a search cannot be awaited where it reports: in its on_event")
        if not (search.delivered.is_set() or search.will_end):
            raise RuntimeError("a search without a limit is running: call stop() first")
        search.delivered.wait()

    @property
    def searching(self) -> bool:
        search = self._search
        return search is not None and not search.delivered.is_set()

    # --- Looking at the position

    def perft(self, depth: int) -> list[tuple[str, int]]:
        """Leaves of the game tree `depth` plies down, for each legal move."""
        depth = whole("depth", depth, 1, MOST_PERFT_PLIES)
        self.wait()
        pos = self._scratch_copy()
        counts = []
        for move in legal_moves(pos, self._lists):
            make(pos, move)
            leaves = int(perft(pos, self._lists, depth - 1, 1))
            counts.append((move_text(move, self.settings.chess960), leaves))
            unmake(pos)
        return counts

    def board_text(self) -> str:
        opening = self.book.opening(self._fen, self._moves)
        text = board_text(self._state.position)
        return f"{text}\nOpening: {opening}" if opening else text

    def eval_text(self) -> str:
        from engine.board.ending import claim  # not at startup: imports python-chess

        self.wait()
        if (ending := self.ending()) is not None:
            return str(ending)
        if draw := claim(self.board()):
            return draw
        return explain(self._state.position, self._state.workers[0].evaluator)

    def explanation(self, claimed: bool = False) -> Explanation:
        """What the static evaluation is made of, in the units of a search's scores. `claimed`: see
        `ending`."""
        self.wait()
        if (ending := self.ending(claimed)) is not None:
            return Explanation.of_ending(ending)
        pos = self._state.position
        here = explanation(pos, self._state.workers[0].evaluator)
        return here.scaled(factor_shown(material_of(pos)))

    def ending(self, claimed: bool = False) -> Ending | None:
        """How the game has ended by the rules; None if it goes on. `claimed`: with the draws that a
        player must claim, by the third repetition or after fifty moves without progress."""
        from engine.board.ending import ending_by_rule  # not at startup: imports python-chess

        return ending_by_rule(self.board(), claimed)


class Options(_Attributes):
    """The settings of an engine as attributes, read and assigned, and three options beside them.

    They apply from the next search on. engine/settings.py has meanings, defaults and ranges.
    """

    __slots__ = ("_engine",)  # a misspelt name must not pass for an option

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __getattr__(self, name: str) -> Any:
        if name not in NAMES:
            raise AttributeError(f"{name} is no option")
        return getattr(self._engine.settings, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in NAMES:
            self._engine.configure(**{name: value})
        else:
            object.__setattr__(self, name, value)

    def __dir__(self) -> list[str]:
        return sorted([*NAMES, "evaluation", "own_book", "book_file"])

    @property
    def evaluation(self) -> str:
        """`network` or `classical`."""
        return self._engine.evaluation

    @evaluation.setter
    def evaluation(self, evaluation: str) -> None:
        self._engine.set_evaluation(evaluation)

    @property
    def own_book(self) -> bool:
        """Whether `play` uses the opening book."""
        return self._engine.book.enabled

    @own_book.setter
    def own_book(self, enabled: bool) -> None:
        if not isinstance(enabled, bool):
            raise TypeError(f"own_book must be bool, not {type_of(enabled)}")
        self._use_book(self._engine.book.enable(enabled))

    @property
    def book_file(self) -> str:
        """The path of a Polyglot book, or the name of the built-in one."""
        return self._engine.book.file

    @book_file.setter
    def book_file(self, file: str | os.PathLike[str]) -> None:
        self._use_book(self._engine.book.set_file(os.fsdecode(file)))

    def _use_book(self, remark: str | None) -> None:
        book = self._engine.book
        if book.enabled and not book.is_open:
            book.enable(False)
            raise ValueError(remark)


def _limits(limits: Limits | chess.engine.Limit) -> Limits:
    return limits if isinstance(limits, Limits) else Limits.of(limits)


def _ending(limits: Limits | chess.engine.Limit) -> Limits:
    known = _limits(limits)
    if not known.ends_by_itself:
        raise ValueError(
            f"{limits} would never end the search: give a depth, nodes, a time or a clock, "
            "or use infos() and stop()"
        )
    return known
