"""Carries out commands in the order they came, in one of two threads.

The session's own thread loads the engine and does what can take long. While it has nothing to do,
the thread that reads carries out the commands of a game itself: on a crowded machine, each change
of thread may cost more time than a bullet game leaves for a move. Whoever changes the engine holds
a lock. Searches run on the engine's own threads, except very short ones.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from engine.events import SearchEvent, SearchInfo, SearchResult
from engine.files import reason_of
from engine.limits import Limits
from engine.spelling import did_you_mean
from uci import options, protocol, render
from uci.options import Option, When
from uci.output import DebugLog, Output
from uci.text import brief

if TYPE_CHECKING:
    from engine.api import Engine

QUIT_PATIENCE_S = 0.1  # time for a search to give its bestmove when the GUI quits
LOADING_PATIENCE_S = 2.0  # the same for an engine that is still loading

DURING_SEARCH = (protocol.IsReady, protocol.Stop, protocol.PonderHit)
OF_A_GAME = (*DURING_SEARCH, protocol.Position, protocol.Go)


class _Finish:
    """Not a command of the protocol: end the thread after all earlier commands."""

    def __init__(self, cut_short: bool) -> None:
        self.cut_short = cut_short


class _SearchEnded:
    """Not a command of the protocol: set the options that waited for the search."""


class Session:
    def __init__(
        self, output: Output, load: Callable[[Output], Engine], at_terminal: bool = False
    ) -> None:
        """`at_terminal`: a person types, and wants `quit` to be obeyed at once."""
        self.exit_status = 0  # of a single command: 1 if it failed, 2 if it made no sense
        self._output = output
        self._at_terminal = at_terminal
        self._load = load
        self._engine: Engine | None = None
        self._queue: SimpleQueue[protocol.Command | _Finish | _SearchEnded] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="session", daemon=True)
        self._handed_over = self._done = 0  # commands for this thread, and those it has carried out
        self._working = threading.Lock()  # held by whoever changes the engine
        self._starter: int | None = None  # the thread that carries out `go`
        self._greeted = False
        self._is_script = False  # no GUI, and wants the answers: no `uci`, or console commands
        self._loaded = threading.Event()
        self._idle = threading.Event()  # no bestmove is owed
        self._idle.set()
        self._answering = threading.Lock()  # a GUI may go on as soon as it has read the bestmove
        self._free_since = 0.0  # since then nothing but the GUI has kept a search waiting
        self._limits = Limits()  # of the search that runs, or ran last
        self._no_position = ""  # why: the last `position` was refused
        self._is_parked = False  # no search runs, but its `bestmove` may not come yet
        self._waiting: dict[str, tuple[Option, Any]] = {}  # options for when the search has ended

    # --- For the thread that reads the input --------------------------------------------------

    def obey(self, command: protocol.Command) -> bool:
        """Carry out what needs no engine, and leave the rest to the thread that owns it. False
        after the last command."""
        # A GUI that does not know the protocol yet tries others first, and may take any answer to
        # them for a refusal. A person wants an answer.
        if self._greeted or self._at_terminal or not isinstance(command, protocol.Unknown):
            for warning in command.warnings:
                self._output.tell(warning)
        match command:
            case protocol.Nothing() | protocol.Unknown():
                pass
            case protocol.Uci():
                self._output.say(render.identity(option.listing() for option in options.OPTIONS))
                self._greeted = True
                self._start()
            case protocol.Help():
                self._output.say(render.commands(protocol.DOCUMENTED))
            case protocol.Quit():
                self._quit()
                return False
            case protocol.Program() if self._at_terminal:
                self._quit()
                return False
            case protocol.Program():
                self._output.tell(f"{command.name} needs a terminal: wadjet {command.name}")
            case protocol.SetOption() if _is_set_at_once(command):
                self._set_option(command)
            case _:
                self._start()
                self._is_script |= isinstance(command, protocol.ConsoleCommand) or not self._greeted
                if not self._is_done_here(command):
                    self._handed_over += 1
                    self._queue.put(command)
        return True

    def _is_done_here(self, command: protocol.Command) -> bool:
        """Carry out a command of a game in the thread that reads, if it need not wait for another
        command, for the end of a search or for an option."""
        if not isinstance(command, OF_A_GAME) or self._handed_over != self._done:
            return False
        if not self._loaded.is_set() or not self._working.acquire(blocking=False):
            return False
        try:
            is_free = self._idle.is_set() or isinstance(command, DURING_SEARCH)
            if is_free and not self._waiting:
                self._carry_out(command)
                return True
            return False
        finally:
            self._working.release()

    def _start(self) -> None:
        """Load the engine in the background, if that has not begun yet."""
        if self._thread.ident is None:
            self._thread.start()

    def finish(self, cut_short: bool = False) -> None:
        """Return when all submitted commands are done. A search that ends by itself is awaited,
        unless `cut_short`."""
        if self._thread.ident is None or (not self._loaded.is_set() and self._queue.empty()):
            return  # the engine has nothing to do
        self._queue.put(_Finish(cut_short))
        if cut_short:
            if not self._loaded.wait(None if self._is_script else LOADING_PATIENCE_S):
                return
            if self._engine is not None:
                self._engine.stop()  # what is in the queue may wait for its end
        self._thread.join()

    def _quit(self) -> None:
        """Stop searches, which give their bestmove, and do all other commands: a script sees its
        answers. A person does not want to wait for them."""
        if self._at_terminal:
            self._stop_within(QUIT_PATIENCE_S)
        else:
            self.finish(cut_short=True)

    # --- What options act on ------------------------------------------------------------------

    @property
    def engine(self) -> Engine:
        if self._engine is None:
            raise RuntimeError("the engine could not be loaded")
        return self._engine

    @property
    def log(self) -> DebugLog:
        return self._output.log

    def tell(self, text: str) -> None:
        self._output.tell(text)

    # --- The thread ---------------------------------------------------------------------------

    def _work(self) -> None:
        try:
            self._engine = self._load(self._output)
            if self._engine.start_problem:
                self.tell(self._engine.start_problem)
        except BaseException as error:  # whatever happens, tell the GUI, or it hangs
            self.report("the engine could not be loaded", error)
        self._free_since = time.perf_counter()
        self._loaded.set()
        command: protocol.Command | _Finish | _SearchEnded | None = None
        while not isinstance(command, _Finish):
            command = self._queue.get()
            with self._working:
                self._carry_out(command)
            if isinstance(command, protocol.Command):
                self._done += 1

    def _carry_out(self, command: protocol.Command | _Finish | _SearchEnded) -> None:
        try:
            if self._idle.is_set():
                self._set_waiting_options()
            if isinstance(command, _Finish):
                self._finish_search(command.cut_short)
            elif isinstance(command, protocol.Command) and self._engine is None:
                self._execute_without_engine(command)
            elif isinstance(command, protocol.Command):
                self._execute(command)
        except Exception as error:
            self.report(f"internal error in {type(command).__name__.lower()}", error)
        if isinstance(command, protocol.ConsoleCommand):
            self._free_since = time.perf_counter()

    def _execute_without_engine(self, command: protocol.Command) -> None:
        """Loading has failed, and the user knows why. Without answers, or without an engine
        process, a GUI may hang, so keep answering."""
        match command:
            case protocol.IsReady():
                self._output.say("readyok")
            case protocol.Go():
                self._output.tell("no search: the engine could not be loaded")
                self._output.say(render.event(SearchResult(None)))
            case protocol.ConsoleCommand():
                self._output.tell("the engine could not be loaded")

    def _execute(self, command: protocol.Command) -> None:
        match command:
            case protocol.IsReady():
                self._output.say("readyok")
            case protocol.SetOption():
                self._set_option(command)
            case protocol.Stop():
                self._stop()
            case protocol.PonderHit():
                if self._is_parked and not self._limits.infinite:
                    self._stop()
                self.engine.ponderhit()
            case protocol.Display() | protocol.Evaluate() | protocol.Flip() | protocol.Perft() if (
                self._no_position
            ):
                self._output.tell(self._no_position)
            case protocol.Display():
                self._output.say(self.engine.board_text())
            case protocol.Go():
                self._end_running_search()
                self._go(command)
            case _:
                self._end_running_search()
                self._execute_idle(command)

    def _execute_idle(self, command: protocol.Command) -> None:
        """Commands that must not run during a search."""
        match command:
            case protocol.Position():
                self._set_position(command)
            case protocol.NewGame():
                self.engine.new_game()
            case protocol.Perft():
                self._output.say(render.perft(self.engine.perft(command.depth)))
            case protocol.Bench():
                self._bench(command)
            case protocol.Effectiveness():
                from engine.bench import run_effectiveness

                run_effectiveness(**_given(depth=command.depth), on_line=self._output.say)
            case protocol.Evaluate():
                self._output.say(self.engine.eval_text())
            case protocol.Flip():
                self.engine.flip()

    # --- Searching ----------------------------------------------------------------------------

    def _go(self, command: protocol.Go) -> None:
        self._limits = command.limits
        self._idle.clear()
        if self._no_position:
            self._output.tell(self._no_position)
            self._is_parked = True
            if not command.limits.waits_for_user:
                self._stop()
            return
        self._starter = threading.get_ident()
        try:
            began = max(command.read_at, self._free_since)
            self.engine.go(command.limits, self._on_event, began)
        except Exception as error:
            if self._idle.is_set():
                self.report("internal error in go", error)
            else:
                self._give_result(SearchResult(None, error=error))
        finally:
            self._starter = None

    def _on_event(self, event: SearchEvent) -> None:
        if isinstance(event, SearchResult):
            self._give_result(event)
        else:
            # In the thread that carries out `go`, the answer follows at once.
            is_short = isinstance(event, SearchInfo) and self._starter == threading.get_ident()
            self._output.say(render.event(event), more_follows=is_short)

    def _give_result(self, result: SearchResult) -> None:
        if result.error is not None:
            self.report("internal error in a search", result.error)
        if result.best_move is None:  # the game has ended, or the search has failed
            result = SearchResult(self._any_legal_move())
        self._answer(result)

    def _answer(self, result: SearchResult) -> None:
        with self._answering:
            self._output.say(render.event(result))
            self._idle.set()
        if self._waiting:
            self._queue.put(_SearchEnded())

    def _end_running_search(self) -> None:
        """Some GUIs send `position` or `go` too early: the old search must answer first, and the
        command must not be lost."""
        if not self._idle.is_set():
            self._stop()
            self._idle.wait()
            self._free_since = time.perf_counter()
        self.engine.wait()
        self._set_waiting_options()

    def _finish_search(self, cut_short: bool) -> None:
        if cut_short or not self._limits.ends_by_itself:
            self._stop_within(QUIT_PATIENCE_S)
        else:
            self._idle.wait()

    def _stop_within(self, seconds: float) -> None:
        """Stop a running search and wait this long for its bestmove."""
        if self._engine is not None:
            self._stop()
            self._idle.wait(seconds)

    def _stop(self) -> None:
        self.engine.stop()
        with self._answering:
            was_parked, self._is_parked = self._is_parked, False
        if was_parked:
            self._answer(SearchResult(None))

    def _any_legal_move(self) -> str | None:
        """A bad move loses less than none."""
        try:
            return next(iter(self.engine.legal_moves()), None)
        except Exception as error:
            self.report("no legal move could be found", error)
            return None

    # --- Other commands -----------------------------------------------------------------------

    def _set_position(self, command: protocol.Position) -> None:
        """From a bad position on there is none: a move of the last good one would be illegal."""
        self._no_position = "no position: it could not be set up"
        try:
            if command.problem:
                raise ValueError(command.problem)
            if remark := self.engine.set_position(command.fen, command.moves):
                self._output.tell(remark)
            self._no_position = ""
        except ValueError as reason:  # the engine's PositionError
            self._no_position = f"no position: {reason}"
            self._output.tell(self._no_position)
            self.exit_status = 2

    def _bench(self, command: protocol.Bench) -> None:
        from engine.bench import run_bench

        chosen = _given(depth=command.depth, hash_mb=command.hash_mb, threads=command.threads)
        try:
            result = run_bench(**chosen, on_line=self._output.say)
        except MemoryError as reason:
            self._output.tell(f"no bench: {reason}")
            self.exit_status = 1
            return
        self._output.say(render.bench(result))

    def _set_option(self, command: protocol.SetOption) -> None:
        option = options.find(command.name)
        if option is None:
            meant = did_you_mean(command.name, (known.name for known in options.OPTIONS))
            self._output.tell(f"no option {brief(command.name)}{meant}")
            self.exit_status = 2
        else:
            self._apply(option, command.value or "")

    def _apply(self, option: Option, text: str) -> None:
        try:
            value, remark = option.read(text)
        except ValueError as reason:
            self._output.tell(f"option {option.name} unchanged: {reason}")
            self.exit_status = 2
            return
        if remark is not None:
            self._output.tell(f"option {option.name} {remark}")
        with self._answering:
            waits = option.when is When.WHEN_IDLE and not self._idle.is_set()
            if waits:
                self._waiting[option.name] = (option, value)
        if waits:
            self._output.tell(f"option {option.name} will be set when the search has ended")
        else:
            self._waiting.pop(option.name, None)  # an older value
            self._set(option, value)

    def _set_waiting_options(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for option, value in waiting.values():
            self._set(option, value)

    def _set(self, option: Option, value: Any) -> None:
        try:
            if option.when is When.WHEN_IDLE:
                self.engine.wait()  # a search lives on a little after its bestmove
            remark = option.apply(self, value)
            if remark is not None:
                self._output.tell(f"option {option.name}: {remark}")
        except (OSError, MemoryError, ValueError) as reason:
            self._output.tell(f"option {option.name} unchanged: {reason_of(reason)}")

    def report(self, what: str, error: BaseException) -> None:
        """Our own errors: one line for the user, the traceback for the log."""
        self.exit_status = 1
        self._output.tell(f"{what}: {type(error).__name__}: {brief(str(error), 200)}")
        self.log.note_error(error)


def _is_set_at_once(command: protocol.SetOption) -> bool:
    option = options.find(command.name)
    return option is not None and option.when is When.AT_ONCE


def _given(**numbers: int | None) -> dict[str, int]:
    """The arguments that were given; the callee has defaults for the others."""
    return {name: number for name, number in numbers.items() if number is not None}
