"""Lines merged into a graph of positions: transpositions meet, and what was played is counted.

A position is known by its Polyglot key. Only the start position has no position before it, so a
board can be made for every other by playing the moves that led there first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import chess
import chess.polyglot

START_KEY = chess.polyglot.zobrist_hash(chess.Board())


class Edge:
    """A move that was played: where it leads, how often, and with what success."""

    __slots__ = ("count", "games", "points", "to")

    def __init__(self, to: int) -> None:
        self.to = to  # key of the position after the move
        self.count = 0.0  # lines and games, by their weight
        self.games = 0.0  # of these, the ones with a result
        self.points = 0.0  # of the side that moved: 1 for a win, 0.5 for a draw


class Node:
    """A position: the moves played in it, and the first way to it."""

    __slots__ = ("before", "edges", "move", "ply")

    def __init__(self, before: int | None, move: chess.Move | None, ply: int) -> None:
        self.before = before  # key
        self.move = move  # that leads here from `before`
        self.ply = ply  # when it was first seen
        self.edges: dict[chess.Move, Edge] = {}

    def count(self) -> float:
        """How often something was played here."""
        return sum(edge.count for edge in self.edges.values())


class Graph:
    def __init__(self) -> None:
        self.nodes: dict[int, Node] = {START_KEY: Node(None, None, 0)}

    def add(
        self, moves: Sequence[chess.Move], white_points: float | None = None, weight: float = 1
    ) -> None:
        """Count a line; `weight` is how many it stands for. The moves must be legal."""
        key = START_KEY
        board: chess.Board | None = None  # made when a new position has to be hashed
        for ply, move in enumerate(moves):
            node = self.nodes[key]
            edge = node.edges.get(move)
            if edge is None:
                if board is None:
                    board = self.board(key)
                board.push(move)
                edge = node.edges[move] = Edge(chess.polyglot.zobrist_hash(board))
                self.nodes.setdefault(edge.to, Node(key, move, ply + 1))
            elif board is not None:
                board.push(move)
            edge.count += weight
            if white_points is not None:
                edge.games += weight
                edge.points += weight * (white_points if ply % 2 == 0 else 1 - white_points)
            key = edge.to

    def extend(self, key: int, move: chess.Move) -> Edge:
        """The edge of a legal move, new if nobody has played it."""
        node = self.nodes[key]
        if move not in node.edges:
            board = self.board(key)
            board.push(move)
            node.edges[move] = Edge(chess.polyglot.zobrist_hash(board))
            self.nodes.setdefault(node.edges[move].to, Node(key, move, node.ply + 1))
        return node.edges[move]

    def way(self, key: int) -> list[chess.Move]:
        """Moves from the start position to there."""
        moves: list[chess.Move] = []
        node = self.nodes[key]
        while node.before is not None and node.move is not None:
            moves.append(node.move)
            node = self.nodes[node.before]
        return moves[::-1]

    def board(self, key: int) -> chess.Board:
        board = chess.Board()
        for move in self.way(key):
            board.push(move)
        return board

    def keys_along(self, moves: Iterable[chess.Move]) -> Iterator[int]:
        """Keys of the positions of a line that was added, the start position first."""
        key = START_KEY
        yield key
        for move in moves:
            key = self.nodes[key].edges[move].to
            yield key
