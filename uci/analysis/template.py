"""The page of analysed games: what a browser needs besides the games.

`$name` marks what page.py fills in. The script only moves between positions that Python prepared.
"""

from __future__ import annotations

from string import Template

PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>$title</title>
<style>$style</style>
</head>
<body>
<header><h1>$title</h1>$chooser</header>
<svg width="0" height="0" aria-hidden="true"><defs>$pieces
<marker id="head" viewBox="0 0 4 4" refX="2" refY="2" markerWidth="3" markerHeight="3"
 orient="auto"><path d="M0 0 4 2 0 4z" fill="var(--arrow)"/></marker></defs></svg>
<main>
<section id="play">
<div id="field">
<div id="bar" role="img"><i id="white"></i><i id="draw"></i><b id="score"></b></div>
<svg id="board" viewBox="0 0 800 800" role="img"></svg>
</div>
<p id="chances"></p>
<nav>
<button data-go="first" title="Home" aria-label="start">&laquo;</button>
<button data-go="back" title="Left arrow" aria-label="back">&lsaquo;</button>
<button data-go="next" title="Right arrow" aria-label="forward">&rsaquo;</button>
<button data-go="last" title="End" aria-label="end">&raquo;</button>
<button data-go="marked" title="M" aria-label="next marked move">Next mark</button>
<button id="flip" title="F">Flip</button>
<label><input type="checkbox" id="worth"> what pieces are worth</label>
</nav>
<p id="best" aria-live="polite"></p>
<p id="keys">Keys: arrows, Home, End; M: next marked move; F: flip the board</p>
</section>
<section id="games">$games</section>
<section id="why">
<h2>What the score is made of</h2>
<p id="words"></p>
<table>
<thead><tr>
<th>In units of the score</th><th>White</th><th>Black</th><th>Difference</th><th></th>
</tr></thead><tbody id="terms"></tbody></table>
<p id="sums"></p>
</section>
</main>
<footer>Analysed by $engine, $limits a position.</footer>
<script type="application/json" id="data">$data</script>
<script>$script</script>
</body>
</html>
""")

STYLE = """
:root { --ink: #222; --soft: #666; --paper: #fafaf7; --card: #fff; --line: #ddd; --light: #eed9b6;
 --dark: #b58a63; --moved: #cdd26acc; --arrow: #15781bcc; --bad: #c22; --poor: #a85600;
 --weak: #756000; --label: #46301a; --here: #d7e6f7; --white: #f8f8f8; --black: #45423f;
 color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --soft: #999; --paper: #1d1d1b;
 --card: #282826; --line: #444; --here: #2c4a6b; --bad: #f66; --poor: #f2a04a; --weak: #d8bd3c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 78rem; color: var(--ink); background: var(--paper);
 font: 15px/1.45 system-ui, "Segoe UI", sans-serif; }
h1 { font-size: 1.3rem; margin: 0 1rem 0 0; } h2 { font-size: 1.05rem; margin: 0 0 .4rem; }
header { display: flex; flex-wrap: wrap; align-items: center; margin-bottom: .8rem; }
footer { color: var(--soft); margin-top: 1rem; font-size: 85%; }
main { display: grid; gap: 1rem; grid-template-columns: minmax(0, 35rem) minmax(0, 1fr);
 align-items: start; }
#games { grid-row: 1 / span 2; grid-column: 2; }
#why, article { background: var(--card); border: 1px solid var(--line); border-radius: 6px;
 padding: .8rem 1rem; }
#field { display: flex; gap: .5rem; }
#board { flex: 1; min-width: 0; border-radius: 4px; user-select: none; }
#bar { position: relative; width: 2.7rem; border-radius: 4px; overflow: hidden;
 background: var(--black); display: flex; flex-direction: column-reverse; }
#bar.flipped { flex-direction: column; }
#bar i { display: block; transition: height .15s; }
#white { background: var(--white); } #draw { background: #9a9793; }
#score { position: absolute; bottom: .2rem; width: 100%; text-align: center; font-size: .68rem;
 color: #111; }
#bar.behind #score { bottom: auto; top: .2rem; color: #eee; }
#bar.flipped #score { bottom: auto; top: .2rem; }
#bar.flipped.behind #score { top: auto; bottom: .2rem; }
#chances { margin: .3rem 0 .5rem 3.2rem; font-size: 85%; color: var(--soft); }
nav { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; margin-left: 3.2rem; }
button, select { font: inherit; padding: .2rem .7rem; }
#best { margin: .6rem 0 0 3.2rem; min-height: 3em; }
#keys { margin: 0 0 0 3.2rem; font-size: 85%; color: var(--soft); }
@media (pointer: coarse) { #keys { display: none; } }
.light { fill: var(--light); } .dark { fill: var(--dark); } .moved { fill: var(--moved); }
.coordinate { font: 600 18px sans-serif; fill: var(--label); }
.arrow { stroke: var(--arrow); stroke-width: 16; stroke-linecap: round; }
.worth { font: 700 21px sans-serif; fill: #fff; stroke: #000; stroke-width: 4;
 paint-order: stroke; text-anchor: middle; }
.graph { display: block; width: 100%; margin: .6rem 0; cursor: pointer; border-radius: 4px;
 background: var(--black); }
.graph .area { fill: var(--white); } .graph .half { stroke: #8888; stroke-width: 1; }
.graph text { font: 11px sans-serif; fill: #8f8b86; }
.graph .cursor { stroke: #2a7fd4; stroke-width: 2; }
.graph circle { stroke: #fff; } .graph .inaccuracy { fill: #c9a800; }
.graph .mistake { fill: #e07b10; } .graph .blunder { fill: #d22; }
.opening { margin: 0; color: var(--soft); }
.sides { border-collapse: collapse; margin-top: .4rem; }
.sides td, .sides th { padding: .05rem 1rem .05rem 0; text-align: right; font-weight: normal; }
.sides td:first-child { text-align: left; font-weight: 600; } .sides th { color: var(--soft); }
.sides .inaccuracy, .moves .inaccuracy { color: var(--weak); }
.sides .mistake, .moves .mistake { color: var(--poor); }
.sides .blunder, .moves .blunder { color: var(--bad); }
.moves { max-height: 34rem; overflow-y: auto; position: relative; line-height: 1.75; }
.moves a { color: inherit; text-decoration: none; padding: .1rem .25rem; border-radius: 3px;
 cursor: pointer; font-weight: 600; white-space: nowrap; }
.moves a:hover { background: var(--line); } .moves a.here { background: var(--here); }
.moves .number { color: var(--soft); margin-left: .3rem; }
.moves .aside { display: block; margin: 0 0 .2rem 1.2rem; font-size: 88%; line-height: 1.4;
 color: var(--soft); }
#why table { border-collapse: collapse; width: 100%; font-size: 90%; }
#why td, #why th { padding: .05rem .5rem; text-align: right; font-variant-numeric: tabular-nums; }
#why td:first-child, #why th:first-child { text-align: left; padding-left: 0;
 white-space: nowrap; }
#why th { color: var(--soft); font-weight: normal; }
#why td:last-child { width: 34%; padding: 0 0 0 .5rem; }
.share { position: relative; display: block; height: .8em; border-left: 1px solid var(--soft);
 margin-left: 50%; }
.share i { position: absolute; top: 0; height: 100%; left: 0; background: #6aa84f; }
.share i.black { left: auto; right: 100%; background: #8064a2; }
#words { margin: .2rem 0 .6rem; } #sums { margin: .6rem 0 0; }
@media (max-width: 56rem) { main { grid-template-columns: minmax(0, 1fr); }
 #games { grid-row: auto; grid-column: 1; } .moves { max-height: 18rem; } }
@media (max-width: 34rem) { .coordinate { font-size: 26px; } .graph text { font-size: 20px; }
 .graph circle { r: 7px; } .sides td, .sides th { padding-right: .5rem; }
 .sides th { font-size: .68rem; } #keys { display: none; }
 #chances, nav, #best { margin-left: 0; } }
"""

SCRIPT = """
"use strict";
const {games, fromBlack} = JSON.parse(document.getElementById("data").textContent);
const byId = id => document.getElementById(id);
let game = 0, ply = 0, flipped = fromBlack[0];

function corner(square) {  // x and y of its upper left corner
  const file = square & 7, rank = square >> 3;
  return flipped ? [700 - 100 * file, 100 * rank] : [100 * file, 700 - 100 * rank];
}
function drawBoard(here) {
  const parts = [], texts = [];
  const moved = here.moved || [];
  for (let square = 0; square < 64; square++) {
    const [x, y] = corner(square), dark = ((square & 7) + (square >> 3)) % 2 === 0;
    const cell = kind => `<rect class="${kind}" x="${x}" y="${y}" width="100" height="100"/>`;
    parts.push(cell(dark ? "dark" : "light"));
    if (moved.includes(square)) parts.push(cell("moved"));
    const label = (text, dx, dy) => parts.push(`<text class="coordinate" ` +
      `x="${x + dx}" y="${y + dy}">${text}</text>`);
    if (x === 0) label((square >> 3) + 1, 4, 20);
    if (y === 700) label("abcdefgh"[square & 7], 82, 95);
    const piece = here.board[square];
    if (piece !== ".") texts.push(`<use href="#${pieceId(piece)}" data-square="${square}" ` +
      `transform="translate(${x} ${y}) scale(2.2222)"/>`);
    if (byId("worth").checked && square in here.worth) texts.push(`<text class="worth" ` +
      `x="${x + 50}" y="${y + 95}">${pawns(here.worth[square])}</text>`);
  }
  if (here.best) {
    const [from, to] = here.best.map(square => corner(square).map(edge => edge + 50));
    texts.push(`<line class="arrow" x1="${from[0]}" y1="${from[1]}" x2="${to[0]}" ` +
      `y2="${to[1]}" marker-end="url(#head)"/>`);
  }
  byId("board").innerHTML = parts.concat(texts).join("");
}
function pieceId(letter) {
  const names = {p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king"};
  const lower = letter.toLowerCase();
  return (letter === lower ? "black-" : "white-") + names[lower];
}
function pawns(centipawns) {
  return (centipawns < 0 ? "-" : "+") + (Math.abs(centipawns) / 100).toFixed(2);
}
function drawTerms(here) {
  const widest = Math.max(100, ...here.terms.map(term => Math.abs(term[1] - term[2])));
  byId("terms").innerHTML = here.terms.map(([name, white, black]) => {
    const more = white - black, width = 100 * Math.abs(more) / widest;
    return `<tr><td>${name}</td><td>${pawns(white)}</td><td>${pawns(black)}</td>` +
      `<td>${pawns(more)}</td><td><span class="share"><i class="${more < 0 ? "black" : ""}" ` +
      `style="width:${width}%"></i></span></td></tr>`;
  }).join("");
  byId("words").textContent = here.words;
  byId("sums").textContent = here.sums;
}
function show(number) {
  const positions = games[game];
  ply = Math.max(0, Math.min(positions.length - 1, number));
  const here = positions[ply];
  drawBoard(here);
  drawTerms(here);
  byId("white").style.height = here.chances[0] / 10 + "%";
  byId("draw").style.height = here.chances[1] / 10 + "%";
  byId("bar").className = (flipped ? "flipped " : "") + (here.ahead ? "" : "behind");
  byId("score").textContent = here.score;
  byId("chances").textContent = here.percent;
  byId("best").textContent = here.text;
  document.querySelectorAll("article").forEach((one, at) => { one.hidden = at !== game; });
  const article = document.querySelectorAll("article")[game];
  article.querySelectorAll("a.here").forEach(link => link.classList.remove("here"));
  const link = article.querySelector(`a[data-ply="${ply}"]`);
  const list = article.querySelector(".moves");
  if (link) {
    link.classList.add("here");
    const above = link.offsetTop - list.scrollTop;
    if (above < 20 || above > list.clientHeight - 40)
      list.scrollTop = link.offsetTop - list.clientHeight / 2;
  } else list.scrollTop = 0;
  const x = here.x;
  const cursor = article.querySelector(".cursor");
  cursor.setAttribute("x1", x);
  cursor.setAttribute("x2", x);
}
function flip() { flipped = !flipped; show(ply); }
function nextMarked() {
  const later = games[game].findIndex((here, at) => at > ply && here.marked);
  return later < 0 ? ply : later;
}
const steps = {first: () => 0, back: () => ply - 1, next: () => ply + 1, last: () => 1e9,
  marked: nextMarked};
const keys = {Home: "first", ArrowLeft: "back", ArrowRight: "next", End: "last", m: "marked",
  M: "marked"};
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (keys[event.key]) show(steps[keys[event.key]]());
  else if (event.key === "f" || event.key === "F") flip();
  else return;
  event.preventDefault();
});
document.addEventListener("click", event => {
  const closest = selector => event.target.closest(selector);
  const button = closest("button[data-go]"), link = closest("a[data-ply]");
  const graph = closest(".graph");
  if (button) show(steps[button.dataset.go]());
  else if (link) show(Number(link.dataset.ply));
  else if (graph) {
    const box = graph.getBoundingClientRect(), share = (event.clientX - box.left) / box.width;
    show(Math.round(share * (games[game].length - 1)));
  }
});
byId("flip").addEventListener("click", flip);
byId("worth").addEventListener("change", () => show(ply));
const chooser = document.querySelector("select");
if (chooser) chooser.addEventListener("change", () => {
  game = chooser.selectedIndex;
  flipped = fromBlack[game];
  chooser.blur();
  show(0);
});
show(0);
"""
