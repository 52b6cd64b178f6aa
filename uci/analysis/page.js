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
  byId("white").style.height = here.points + "%";
  byId("bar").className = (flipped ? "flipped " : "") + (here.points < 50 ? "behind" : "");
  byId("score").textContent = here.score;
  byId("standing").textContent = here.standing;
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
