"""uci.options: what is listed is valid and true, and what is set arrives."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from docs.options_page import PAGE, page
from engine.search.params import tunables
from engine.settings import Settings
from tests.uci.fake_engine import FakeEngine
from uci import options
from uci.options import OPTIONS, Check, Combo, Spin, Text
from uci.output import DebugLog


class Target:
    """What options act on, without a session around it."""

    def __init__(self) -> None:
        self.engine = FakeEngine()
        self.log = DebugLog()
        self.told: list[str] = []

    def tell(self, text: str) -> None:
        self.told.append(text)


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("spin", ["Hash", "Threads", "MultiPV", "Move Overhead", "SyzygyProbeDepth"]),
        ("check", ["Ponder", "OwnBook", "UCI_Chess960", "UCI_ShowWDL", "Syzygy50MoveRule"]),
        ("string", ["SyzygyPath", "UCI_Opponent", "UCI_EngineAbout", "Debug Log File"]),
        ("button", ["Clear Hash"]),
    ],
)
def test_what_guis_and_match_runners_look_for_has_the_type_they_expect(
    kind: str, names: list[str]
) -> None:
    assert len({option.name.casefold() for option in OPTIONS}) == len(OPTIONS)
    for name in names:
        option = options.find(name)
        assert option is not None
        assert option.listing().partition(" type ")[2].split()[0] == kind, name


def test_the_page_of_options_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m docs.options_page"


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_listing_follows_the_grammar(option: options.Option) -> None:
    assert re.fullmatch(
        r"option name \S.* type (button|check default (true|false)|string default \S.*"
        r"|spin default -?\d+ min -?\d+ max -?\d+|combo default \w+( var \w+)+)",
        option.listing(),
    )
    assert not {"name", "value"} & set(option.name.casefold().split())


@pytest.mark.parametrize(
    "option",
    [o for o in OPTIONS if isinstance(o, Check | Spin | Combo | Text)],
    ids=lambda o: o.name,
)
def test_the_listed_default_is_a_value_without_remark(option: Check | Spin | Combo | Text) -> None:
    listed = option.listing().split("default ")[1].split(" min ")[0].split(" var ")[0]
    assert option.read(listed) == (option.default, None)


def test_names_are_found_in_any_case_and_spacing() -> None:
    for option in OPTIONS:
        assert options.find(option.name) is option
        assert options.find(option.name.upper().replace(" ", "   ")) is option
    assert options.find("") is None
    assert options.find("Has") is None
    assert options.find("ClearHash") is None


@pytest.mark.parametrize(
    ("text", "value"), [("0", 1), ("1", 1), ("64", 64), ("131072", 131072), ("131073", 131072),
                        ("-5", 1), ("9" * 5000, 131072), (" 7 ", 7)],
)  # fmt: skip
def test_numbers_are_clamped_and_that_is_told(text: str, value: int) -> None:
    hash_option = options.find("Hash")
    assert hash_option is not None
    reading = hash_option.read(text)
    assert reading.value == value
    assert (reading.remark is None) == (text.strip() == str(value))


@pytest.mark.parametrize(
    ("name", "text"),
    [("Hash", ""), ("Hash", "many"), ("Hash", "1.5"), ("Hash", "1_6"),
     ("Hash", "\u0661\u0666"), ("Ponder", ""), ("Ponder", "1"),
     ("Ponder", "yes please"), ("Evaluation", ""), ("Evaluation", "neural")],
)  # fmt: skip
def test_what_is_no_value_is_refused_with_the_reason(name: str, text: str) -> None:
    option = options.find(name)
    assert option is not None
    with pytest.raises(ValueError, match="must be"):
        option.read(text)


@pytest.mark.parametrize(
    ("name", "text", "attribute", "value"),
    [
        ("Ponder", "TRUE", "ponder", True),
        ("MultiPV", "3", "multi_pv", 3),
        ("Move Overhead", "150", "move_overhead_ms", 150),
        ("UCI_Chess960", "true", "chess960", True),
        ("Hash", "0" * 40 + "32", "hash_mb", 32),
        ("SyzygyProbeDepth", "5", "tablebase_least_depth", 5),
        ("OwnBook", "true", "enabled", True),
        ("Book File", "C:\\my books\\a b.bin", "file", "C:\\my books\\a b.bin"),
        ("Book File", "<empty>", "file", ""),
    ],
)
def test_values_arrive(name: str, text: str, attribute: str, value: object) -> None:
    target = Target()
    option = options.find(name)
    assert option is not None
    option.apply(target, option.read(text).value)  # type: ignore[arg-type]
    holder = target.engine.book if "Book" in name else target.engine.settings
    assert getattr(holder, attribute) == value


def test_threads_are_clamped_to_what_the_machine_bears() -> None:
    target = Target()
    option = options.find("Threads")
    assert option is not None
    remark = option.apply(target, 1024)  # type: ignore[arg-type]
    assert remark == "1024 are too many for this machine, taken as 64"
    assert target.engine.settings.threads == 64


def test_every_setting_has_exactly_one_option() -> None:
    """And its listed default is what the engine has without it: GUIs do not send defaults."""
    seen: list[str] = []
    for option in OPTIONS:
        target = Target()
        if isinstance(option, Check | Spin):
            option.apply(target, option.default)  # type: ignore[arg-type]
            assert target.engine.settings == Settings()
            seen += [call.split()[1].split("=")[0] for call in target.engine.calls]
    assert sorted(seen) == sorted(setting.name for setting in fields(Settings))


@pytest.mark.parametrize(
    ("name", "text", "call"),
    [
        ("Evaluation", "Network", "set_evaluation network"),
        ("Evaluation", " CLASSICAL ", "set_evaluation classical"),
        ("EvalFile", "C:\\my nets\\a b.nnue", "set_network C:\\my nets\\a b.nnue"),
        ("EvalFile", "<empty>", "set_network "),
    ],
)
def test_evaluations_arrive(name: str, text: str, call: str) -> None:
    target = Target()
    option = options.find(name)
    assert option is not None
    option.apply(target, option.read(text).value)  # type: ignore[arg-type]
    assert target.engine.calls == [call]


def test_the_constants_of_the_search_are_options_where_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(options, "OPTIONS", list(OPTIONS))
    assert options.find("razoring_margin") is None
    options.add_tunables()
    margin = options.find("razoring_margin")
    assert isinstance(margin, Spin) and margin.default == tunables()["razoring_margin"].default
    assert {option.name for option in options.OPTIONS} >= set(tunables())
    target = Target()
    margin.apply(target, 123)  # type: ignore[arg-type]
    assert target.engine.calls == ["set_tunable razoring_margin 123"]
