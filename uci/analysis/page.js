// The board script, for a saved page and for one with a program behind it. It knows no rule of
// chess: it shows the positions of sheets (sheet.py) and sends moves to the program (uci/board).
"use strict";
const byId = id => document.getElementById(id);
const {games, ...program} = JSON.parse(byId("data").textContent);
const board = byId("board"), FILES = "abcdefgh";
const KINDS = {p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king"};
let number = 0, sheet, here, flipped;  // the game, the position that is shown, seen from Black?
let picked = null, drag = null, cursor = "e2";  // squares
let asking = false, solved = new Set();  // find the better move
const title = document.title;
let play = program.play, hint = null;  // the program behind the page; null: nothing

function make(tag, settings = {}, ...children) {
  const element = Object.assign(document.createElement(tag), settings);
  element.append(...children);
  return element;
}

// --- Sheets: every move knows what it follows and has an address, as in #12 --------------------

function join(line, parent, base, isMain) {
  line.forEach((move, at) => {
    Object.assign(move, {parent, address: base + (at + 1), next: [], isMain});
    sheet.known.set(move.address, move);
    parent.next.push(move);
    (move.asides || []).forEach((aside, which) =>
      join(aside, parent, `${parent.address}-${which + 1}-`, false));
    parent = move;
  });
}
function open(which) {
  number = which;
  sheet = games[which];
  if (!sheet.known) {
    sheet.known = new Map([["0", sheet.start]]);
    Object.assign(sheet.start, {address: "0", next: [], isMain: true});
    join(sheet.line, sheet.start, "", true);
  }
}
function engineLine(position, which) {  // its moves lie beside the game
  const line = lookOf(position).lines[which];
  if (line.parent !== position) {
    let parent = line.parent = position;
    line.moves.forEach((move, at) => {
      Object.assign(move, {parent, address: `${position.address}~${which + 1}-${at + 1}`});
      move.next = [];
      if (at) parent.next = [move];
      parent = move;
    });
  }
  return line;
}
function find(hash) {  // a position, or undefined; its game is open then
  let address = "";
  try { address = decodeURIComponent(hash.slice(1)); } catch { /* "#%" leads nowhere */ }
  const [game, place] = address.includes(":") ? address.split(":") : ["1", address];
  if (!games[game - 1]) return undefined;
  open(game - 1);
  const [origin, rest] = place.split("~"), position = sheet.known.get(origin);
  if (!rest || !position) return position;
  const [which, count] = rest.split("-");
  const look = lookOf(position);
  return look && look.lines[which - 1] && engineLine(position, which - 1).moves[count - 1];
}
const hashOf = position => "#" + (number ? `${number + 1}:` : "") + position.address;
const lookOf = position => position.live || position.look;
const mainLine = () => [sheet.start, ...sheet.line];
const isMarked = move => Boolean(move && move.why);
function pathTo(position) {
  const path = [];
  for (; position.parent; position = position.parent) path.unshift(position.uci);
  return path;
}
function follow(path) {  // as far as it is in the sheet
  let position = sheet.start;
  for (const uci of path) {
    const next = position.next.find(move => move.uci === uci);
    if (!next) break;
    position = next;
  }
  return position;
}
function numbered(move, isFirst) {
  const [, side, , , , count] = move.parent.fen.split(" ");
  return side === "w" ? `${count}. ` : isFirst ? `${count}... ` : "";
}
function linkTo(move, text = move.san + (move.sign || "")) {
  return make("a", {href: hashOf(move), className: move.kind || ""}, text);
}

// --- The board ----------------------------------------------------------------------------------

function corner(square) {  // x and y of its upper left corner
  const file = FILES.indexOf(square[0]), rank = square[1] - 1;
  return flipped ? [700 - 100 * file, 100 * rank] : [100 * file, 700 - 100 * rank];
}
function squareAt(event) {
  const box = board.getBoundingClientRect();
  let file = Math.floor(8 * (event.clientX - box.left) / box.width);
  let rank = 7 - Math.floor(8 * (event.clientY - box.top) / box.height);
  if (flipped) [file, rank] = [7 - file, 7 - rank];
  return file < 0 || file > 7 || rank < 0 || rank > 7 ? null : FILES[file] + (rank + 1);
}
function piecesOf(position) {  // letters of a FEN by square
  const pieces = {};
  position.fen.split(" ")[0].split("/").forEach((row, at) => {
    let file = 0;
    for (const letter of row)
      if (letter > "0" && letter < "9") file += Number(letter);
      else pieces[FILES[file++] + (8 - at)] = letter;
  });
  return pieces;
}
const sideOf = letter => letter === letter.toLowerCase() ? "black" : "white";
const nameOf = letter => KINDS[letter.toLowerCase()];
const isQuestion = () => asking && here.isMain && isMarked(here.next[0]) && !solved.has(here) &&
  Boolean(here.look && here.look.lines.length);
function movesFrom(square) {  // targets, or null if the piece cannot be picked up
  if (isQuestion()) return square in piecesOf(here) ? {} : null;
  return here.legal && here.legal[square] || null;
}
const isMovable = () => isQuestion() || Boolean(play);
function drawBoard() {
  if (drag && drag.moved) return;  // not under the finger
  const parts = [], pieces = piecesOf(here), look = lookOf(here);
  const cell = (kind, square) => {
    const [x, y] = corner(square);
    parts.push(`<rect class="${kind}" x="${x}" y="${y}" width="100" height="100"/>`);
  };
  const text = (kind, x, y, shown) =>
    parts.push(`<text class="${kind}" x="${x}" y="${y}">${shown}</text>`);
  const squares = [...FILES].flatMap(file => [1, 2, 3, 4, 5, 6, 7, 8].map(rank => file + rank));
  for (const square of squares) {
    const [x, y] = corner(square);
    cell((FILES.indexOf(square[0]) + Number(square[1])) % 2 ? "dark" : "light", square);
    if (here.uci && (here.uci.slice(0, 2) === square || here.uci.slice(2, 4) === square))
      cell("moved", square);
    if (square === here.check) cell("check", square);
    if (square === picked) cell("picked", square);
    if (x === 0) text("coordinate", 4, y + 20, square[1]);
    if (y === 700) text("coordinate", x + 82, 795, square[0]);
  }
  for (const square of Object.keys(pieces)) {
    const [x, y] = corner(square), letter = pieces[square];
    parts.push(`<use href="#${sideOf(letter)}-${nameOf(letter)}" data-square="${square}" ` +
      `transform="translate(${x} ${y}) scale(2.2222)"/>`);
    if (byId("worth").checked && look && look.worth && square in look.worth)
      text("worth", x + 50, y + 95, pawns(look.worth[square]));
  }
  for (const square of Object.keys(picked && movesFrom(picked) || {})) {
    const [x, y] = corner(square);
    parts.push(`<circle class="target" cx="${x + 50}" cy="${y + 50}" ` +
      `r="${square in pieces ? 44 : 14}"/>`);
  }
  const best = look && !isQuestion() && look.lines.length ? look.lines[0].moves[0].uci : null;
  if (hint && hint.fen === here.fen) arrow("hint", hint.uci);
  else if (best) arrow("arrow", best);
  function arrow(kind, uci) {
    const [from, to] = [uci.slice(0, 2), uci.slice(2, 4)].map(square =>
      corner(square).map(edge => edge + 50));
    parts.push(`<line class="${kind}" x1="${from[0]}" y1="${from[1]}" x2="${to[0]}" ` +
      `y2="${to[1]}" marker-end="url(#head)"/>`);
  }
  if (document.activeElement === board) cell("cursor", cursor);
  board.innerHTML = parts.join("");
  board.classList.toggle("movable", isMovable());
  board.setAttribute("role", isMovable() ? "application" : "img");
  if (isMovable()) board.tabIndex = 0; else board.removeAttribute("tabindex");
  const men = side => Object.keys(pieces).filter(at => sideOf(pieces[at]) === side)
    .map(at => `${nameOf(pieces[at])} ${at}`).join(", ");
  board.setAttribute("aria-label", `Board. White: ${men("white")}. Black: ${men("black")}.` +
    (isMovable() ? " Arrow keys choose a square, Enter takes and puts a piece." : ""));
}
function pawns(centipawns) {
  return (centipawns < 0 ? "-" : "+") + (Math.abs(centipawns) / 100).toFixed(2);
}

// --- Moving pieces ------------------------------------------------------------------------------

board.addEventListener("pointerdown", event => {
  const square = squareAt(event);
  if (!square || !isMovable() || event.button) return;
  if (picked && picked !== square && (isQuestion() || square in (movesFrom(picked) || {})))
    return put(square);
  const again = picked === square;
  picked = movesFrom(square) ? square : null;
  drag = picked && {again, x: event.clientX, y: event.clientY, moved: false};
  if (drag) board.setPointerCapture(event.pointerId);
  drawBoard();
});
board.addEventListener("pointermove", event => {
  if (!drag) return;
  if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > 4) drag.moved = true;
  const piece = drag.moved && board.querySelector(`use[data-square="${picked}"]`);
  if (!piece) return;
  const box = board.getBoundingClientRect(), scale = 800 / box.width;
  const x = scale * (event.clientX - box.left) - 50, y = scale * (event.clientY - box.top) - 50;
  piece.setAttribute("transform", `translate(${x} ${y}) scale(2.2222)`);
  board.append(piece);
});
board.addEventListener("pointerup", event => {
  if (!drag) return;
  const {again, moved} = drag, square = squareAt(event);
  drag = null;
  if (moved && square && square !== picked) return put(square);
  if (again || moved) picked = null;
  drawBoard();
});
board.addEventListener("pointercancel", () => { drag = picked = null; drawBoard(); });
for (const kind of ["focus", "blur"]) board.addEventListener(kind, drawBoard);
function keyOnBoard(key) {  // whether the board has used it
  const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};
  if (key in steps) {
    const [x, y] = steps[key].map(step => flipped ? -step : step);
    const file = Math.max(0, Math.min(7, FILES.indexOf(cursor[0]) + x));
    cursor = FILES[file] + Math.max(1, Math.min(8, Number(cursor[1]) + y));
    const piece = piecesOf(here)[cursor];
    say(cursor + (piece ? `: ${sideOf(piece)} ${nameOf(piece)}` : ""));
  } else if (key === "Enter" || key === " ") {
    if (picked && picked !== cursor) put(cursor);
    else picked = picked || !movesFrom(cursor) ? null : cursor;
  } else if (key === "Escape") picked = null;
  else return false;
  drawBoard();
  return true;
}
function put(square) {  // the picked piece there
  const from = picked, options = (movesFrom(from) || {})[square] || [];
  picked = null;
  drawBoard();
  if (isQuestion()) answer(from + square);
  else if (options.length === 1) move(options[0]);
  else if (options.length) choose(options);
}
function choose(options) {  // what the pawn becomes
  byId("choice").replaceChildren(...options.map(uci => {
    const button = make("button", {type: "button"}, KINDS[uci[4]]);
    button.addEventListener("click", () => { byId("choice").hidden = true; move(uci); });
    return button;
  }));
  byId("choice").hidden = false;
  byId("choice").firstChild.focus();
}
function isMadeBy(move, squares) {  // Chess960 writes castling as the king's move to its rook
  const piece = piecesOf(here)[squares.slice(0, 2)], isKing = nameOf(piece) === "king";
  return move.uci.startsWith(squares) || move.uci.startsWith(squares.slice(0, 2)) && isKing &&
    piecesOf(move)[squares.slice(2)] === piece;
}
function answer(squares) {
  const best = here.look.lines[0], played = here.next[0];
  if (isMadeBy(played, squares)) say(`${played.said} was played. What is better?`);
  else if (isMadeBy(best.moves[0], squares)) reveal(`Yes, ${best.moves[0].san}.`);
  else say("That is not the move that was found. Try another one.");
}
function reveal(text) {
  solved.add(here);
  say(text);
  show(here);
}

// --- Beside the board ---------------------------------------------------------------------------

function say(text) { byId("talk").textContent = text; }
function drawBar(look) {
  byId("white").style.height = look ? look.points + "%" : "0";
  byId("bar").className = (flipped ? "flipped " : "") +
    (look ? look.points < 50 ? "behind" : "" : "unknown");
  byId("score").textContent = look ? look.score : "";
  byId("standing").textContent = look ? look.standing : "";
  byId("bar").setAttribute("aria-label", look ? `Score ${look.score}` : "No score");
}
function drawPlayers() {
  const clocks = [...sides(here)];
  [["below", flipped ? 1 : 0], ["above", flipped ? 0 : 1]].forEach(([id, side]) => {
    const [name, clock] = byId(id).children;
    name.textContent = sheet.players[side];
    clock.textContent = clocks[side];
    byId(id).classList.toggle("turn", here.fen.split(" ")[1] === "wb"[side]);
  });
}
function sides(position) {  // White's and Black's clock
  if (play && play.clocks && number === 0 && position === end())
    return play.clocks.map((left, side) =>
      clockText(left - (play.running === side ? performance.now() - play.since : 0)));
  const clocks = ["", ""];
  for (; position.parent; position = position.parent) {
    const side = position.parent.fen.split(" ")[1] === "w" ? 0 : 1;
    clocks[side] = clocks[side] || position.clock || "";
  }
  return clocks;
}
function clockText(ms) {
  const left = Math.max(0, ms), seconds = Math.floor(left / 1000), pad = n => `${n}`.padStart(2, "0");
  if (left < 20000) return `0:${(left / 1000).toFixed(1).padStart(4, "0")}`;
  const hours = Math.floor(seconds / 3600), minutes = Math.floor(seconds / 60) % 60;
  return (hours ? `${hours}:${pad(minutes)}` : minutes) + `:${pad(seconds % 60)}`;
}
let pressed = false;  // a link of the lines: it must not vanish meanwhile
byId("lines").addEventListener("pointerdown", () => { pressed = true; });
addEventListener("pointerup", () => { pressed = false; });
function drawLines(look) {
  const list = byId("lines"), focused = list.contains(document.activeElement) &&
    document.activeElement.getAttribute("href");
  if (pressed) return;
  if (!look || isQuestion()) return list.replaceChildren();
  list.replaceChildren(...look.lines.map((_, which) => {
    const line = engineLine(here, which), row = make("p", {className: "line"});
    row.append(make("b", {}, line.score), " ");
    line.moves.forEach((move, at) => row.append(linkTo(move, numbered(move, !at) + move.san), " "));
    if (!line.score.startsWith("#")) row.append(make("small", {}, `depth ${line.depth}`));
    return row;
  }));
  if (look.effort) list.append(make("p", {className: "effort"}, look.effort));
  const again = focused && list.querySelector(`a[href="${focused}"]`);
  if (again) again.focus();
}
function drawWhy(look) {
  byId("why").hidden = !look || !look.words;
  if (byId("why").hidden) return;
  const widest = Math.max(100, ...look.terms.map(term => Math.abs(term[1] - term[2])));
  byId("terms").replaceChildren(...look.terms.map(([name, white, black]) => {
    const bar = make("i", {className: white < black ? "black" : ""});
    bar.style.width = 100 * Math.abs(white - black) / widest + "%";
    const cells = [pawns(white), pawns(black), pawns(white - black)];
    return make("tr", {}, make("th", {scope: "row"}, name),
      ...cells.map(cell => make("td", {}, cell)),
      make("td", {}, make("span", {className: "share"}, bar)));
  }));
  byId("words").textContent = look.words;
  byId("sums").textContent = look.sums;
}
function drawSaid() {
  const next = here.next[0];
  byId("said").replaceChildren(make("b", {}, here.said || here.san || ""), " ", here.why || "");
  const quiz = byId("quiz");
  quiz.replaceChildren();
  if (!isQuestion()) return;
  const showIt = make("button", {type: "button"}, "Show it");
  showIt.addEventListener("click", () => reveal(""));
  quiz.append(`${next.said} was played. What is better? Move the piece. `, showIt);
}

// --- The game -----------------------------------------------------------------------------------

function drawGame() {
  document.querySelector("#game h2").textContent = sheet.title;
  byId("facts").replaceChildren(...sheet.facts.map(fact => make("p", {}, fact)));
  drawSides();
  drawGraph();
  const list = byId("moves");
  list.replaceChildren();
  if (sheet.start.comment) list.append(make("p", {className: "aside"}, sheet.start.comment));
  let interrupted = true;
  for (const move of sheet.line) {
    const isWhite = move.parent.fen.split(" ")[1] === "w";
    if (move.before) list.append(make("p", {className: "aside"}, move.before));
    interrupted = interrupted || Boolean(move.before);
    if (isWhite || interrupted) list.append(
      make("span", {className: "number"}, numbered(move, true).trim()),
      ...(isWhite ? [] : [make("span")]));
    const book = move.kind === "book" ? "book" : "";
    const details = [move.score, move.clock, book].filter(Boolean).map(text => make("small", {}, text));
    list.append(make("span", {className: "move"}, linkTo(move), ...details));
    const asides = (move.asides || []).map(variation);
    if (move.comment) asides.unshift(make("p", {className: "aside"}, move.comment));
    if (isWhite && asides.length) list.append(make("span"));
    list.append(...asides);
    interrupted = asides.length > 0;
  }
  if (sheet.result !== "*") list.append(make("p", {className: "result"}, sheet.result));
  const hasMarks = sheet.line.some(isMarked);
  for (const one of [document.querySelector("[data-go=marked]"), byId("asking").parentNode])
    one.hidden = !hasMarks;
}
function variation(line) {
  const text = make("p", {className: "aside"}, "(");
  write(line, text);
  text.append(")");
  return text;
}
function write(line, text) {
  let interrupted = true;
  line.forEach((move, at) => {
    if (at) text.append(" ");
    if (move.before) text.append(make("i", {}, move.before), " ");
    text.append(numbered(move, interrupted || Boolean(move.before)), linkTo(move));
    interrupted = Boolean(move.comment || move.asides);
    if (move.comment) text.append(" ", make("i", {}, move.comment));
    for (const aside of move.asides || []) {
      text.append(" (");
      write(aside, text);
      text.append(")");
    }
  });
}
function drawSides() {
  byId("sides").replaceChildren();
  if (!sheet.sides) return;
  const heads = sheet.sides[0].marks.map(([kind, sign, , plural]) =>
    make("th", {scope: "col", className: kind}, sign, make("br"),
      make("span", {className: "plural"}, plural)));
  const rows = sheet.sides.map(({accuracy, marks}, side) => make("tr", {},
    make("th", {scope: "row"}, sheet.players[side]), make("td", {}, accuracy),
    ...marks.map(([, , count]) => make("td", {}, `${count}`))));
  byId("sides").append(make("table", {}, make("tr", {}, make("td"),
    make("th", {scope: "col"}, "accuracy"), ...heads), ...rows));
}
const across = at => 600 * at / Math.max(1, sheet.line.length);
function drawGraph() {
  const all = mainLine();
  const graph = byId("graph");
  graph.toggleAttribute("hidden", !all.every(position => position.look));
  if (graph.hasAttribute("hidden")) return;
  const points = all.map(({look}, at) => [across(at), 120 * (1 - look.points / 100)]
    .map(value => value.toFixed(1)));
  const dots = all.map((move, at) => isMarked(move) ? `<circle class="${move.kind}" ` +
    `cx="${points[at][0]}" cy="${points[at][1]}" r="4"/>` : "");
  graph.innerHTML = `<polygon class="area" points="0,120 ${points.join(" ")} 600,120"/>` +
    '<line class="half" x1="0" y1="60" x2="600" y2="60"/><text x="5" y="16">Black</text>' +
    `<text x="5" y="114">White</text>${dots.join("")}<line class="cursor" y1="0" y2="120"/>`;
}
function mark(position) {  // where the list and the graph stand
  const list = byId("moves");
  list.querySelectorAll("a[aria-current]").forEach(link => link.removeAttribute("aria-current"));
  const link = list.querySelector(`a[href="${hashOf(position)}"]`);
  if (link) {
    link.setAttribute("aria-current", "true");
    const above = link.offsetTop - list.scrollTop;
    if (above < 20 || above > list.clientHeight - 40)
      list.scrollTop = link.offsetTop - list.clientHeight / 2;
  } else if (!position.parent) list.scrollTop = 0;
  while (!position.isMain) position = position.parent;
  const line = byId("graph").querySelector(".cursor");
  for (const end of ["x1", "x2"]) if (line) line.setAttribute(end, across(position.address));
}

// --- Showing a position -------------------------------------------------------------------------

let address = 0;  // a timer: browsers refuse many changes of it
function show(position) {
  if (!here || position.fen !== here.fen) {
    picked = drag = null;
    byId("choice").hidden = true;
  }
  here = position;
  drawAll();
  mark(here);
  if (play) lookAt(here);
  clearTimeout(address);
  address = setTimeout(() => history.replaceState(null, "", hashOf(here)), 150);
}
function drawAll() {
  const look = lookOf(here);
  drawBoard();
  drawBar(look);
  drawPlayers();
  drawSaid();
  drawLines(look);
  drawWhy(look);
}
function showGame(which) {
  open(which);
  flipped = sheet.turned;
  document.title = sheet.named ? sheet.title : title;
  drawGame();
  if (byId("games").options.length) byId("games").selectedIndex = which;
}
const end = () => sheet.line[sheet.line.length - 1] || sheet.start;
const last = position => { while (position.next[0]) position = position.next[0]; return position; };
function nextMarked() {  // after the last one, the first
  const all = mainLine(), rest = all.slice(all.indexOf(here) + 1);
  return [...rest, ...all].find(one => isMarked(asking ? one.next[0] : one)) || here;
}
const steps = {first: () => sheet.start, back: () => here.parent || here,
  next: () => here.next[0] || here, last: () => last(here), marked: nextMarked};
const keys = {Home: "first", ArrowLeft: "back", ArrowRight: "next", End: "last", m: "marked",
  M: "marked"};
const deeds = {
  flip() { flipped = !flipped; drawAll(); },
  async fen() { await copy(here.fen, "FEN"); },
  async pgn() { await copy(sheet.pgn, "PGN"); },
  save() {
    const link = make("a", {download: `${sheet.players.join("-").replace(/[^\p{L}\p{M}\p{N}.-]+/gu, "_")}.pgn`});
    link.href = URL.createObjectURL(new Blob([sheet.pgn + "\n"], {type: "application/x-chess-pgn"}));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  },
};
async function copy(text, name) {
  try {
    await navigator.clipboard.writeText(text);
    say(`${name} copied.`);
  } catch {  // not allowed: the person copies it
    say(text);
    getSelection().selectAllChildren(byId("talk"));
  }
}
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.closest("input:not([type=checkbox]), select, textarea")) return;
  if (event.target === board && keyOnBoard(event.key)) return event.preventDefault();
  if (keys[event.key]) show(steps[keys[event.key]]());
  else if (event.key === "f" || event.key === "F") deeds.flip();
  else return;
  event.preventDefault();
});
document.addEventListener("click", event => {
  const button = event.target.closest("button"), link = event.target.closest('a[href^="#"]');
  const graph = event.target.closest("#graph");
  if (link) {
    event.preventDefault();
    goTo(link.getAttribute("href"));
  } else if (button && button.dataset.go) show(steps[button.dataset.go]());
  else if (button && button.dataset.do) deeds[button.dataset.do]();
  else if (graph) {
    const box = graph.getBoundingClientRect(), share = (event.clientX - box.left) / box.width;
    show(mainLine()[Math.round(share * sheet.line.length)]);
  }
});
function goTo(hash) {
  const before = number, position = find(hash);
  if (!position) return open(before);
  if (number !== before) showGame(number);
  show(position);
}
addEventListener("hashchange", () => goTo(location.hash));
byId("worth").addEventListener("change", drawBoard);
byId("asking").addEventListener("change", event => {
  asking = event.target.checked;
  byId("moves").classList.toggle("asking", asking);  // its lines and comments name the answers
  solved.clear();
  drawAll();
});

// --- The program behind the page (uci/board/desk.py) --------------------------------------------

async function ask(act, more = {}) {
  try {
    const body = JSON.stringify({act, revision: play.revision, game: number, ...more});
    const reply = await fetch("do", {method: "POST", body,
      headers: {"Content-Type": "application/json"}});
    const answer = await reply.json();
    if (answer.problem || answer.said) say(answer.problem || answer.said);
    return answer;
  } catch {
    say("Wadjet does not answer. Your game is kept: start wadjet board again.");
    return {problem: "no answer"};
  }
}
let goal = null;  // where this tab has made a move that is not in the sheet yet
async function move(text) {
  say("");
  byId("newcomer").open = false;
  hint = null;
  const answer = await ask("move", {path: pathTo(here), move: text});
  if (!answer.path) return false;
  goal = answer.path;
  reach();
  return true;
}
function reach() {
  const position = goal && follow(goal);
  if (!position || pathTo(position).length < goal.length) return;
  const isThere = goal.every((uci, at) => uci === pathTo(here)[at]);  // the answer was faster
  goal = null;
  if (!isThere) show(position);
}
async function lookAt(position) {
  if (position.legal && !play.live) return;
  const answer = await ask("look", {path: pathTo(position)});
  position.legal = answer.legal;
  if (position === here) drawBoard();
}
const heard = {
  sheet({number: which, sheet: fresh}) {
    games[which] = fresh;
    if (which !== number) return;
    const path = pathTo(here), wasEnd = here === end(), {live, legal} = here;
    open(which);
    const position = wasEnd ? end() : follow(path);
    if (pathTo(position).join() === path.join()) Object.assign(position, {live, legal});
    drawGame();
    document.title = fresh.named ? fresh.title : title;
    show(position);
    reach();
  },
  play(message) {
    if (play.level !== message.play.level && message.play.played)
      chooseLevel(message.play.level ? `${message.play.level}` : "full");
    play = Object.assign(message.play, {since: performance.now()});
    drawPlay();
    drawPlayers();
  },
  look({number: which, path, look}) {
    if (which !== number) return;
    const position = pathTo(here).join() === path.join() ? here : follow(path);
    if (pathTo(position).join() !== path.join()) return;
    position.live = look;
    if (position === here) drawAll();
  },
  hint(message) { hint = message; say(message.words); drawBoard(); },
  talk({words}) { say(words); },
  away(_, events) {
    events.close();
    say("Other tabs show this board. Reload this one to go on here.");
  },
  reload() { history.replaceState(null, "", "./"); location.reload(); },
};
function drawPlay() {
  const {analysing, played} = play;
  byId("state").textContent = play.words + (play.opening ? ` ${play.opening}.` : "") +
    (analysing ? ` Looking at position ${analysing[0]} of ${analysing[1]}.` : "");
  byId("live").checked = play.live;
  byId("count").value = play.lines;
  const can = {back: played, hint: play.on && !play.thinks, draw: play.on, resign: play.on,
    analyse: !analysing && sheet.line.length > 0};
  for (const act of Object.keys(can))
    document.querySelector(`[data-act=${act}]`).disabled = !can[act];
}
function listen() {
  const events = new EventSource("events");
  let lost = false;
  events.onmessage = event => { const message = JSON.parse(event.data); heard[message.type](message, events); };
  events.onopen = () => { if (lost) say(""); lost = false; };
  events.onerror = () => {
    if (!lost) say("Wadjet has ended. Your game is kept: start wadjet board again.");
    lost = true;
  };
}
function sit() {
  const on = (id, kind, does) => byId(id).addEventListener(kind, event => {
    event.preventDefault();
    does(event.target);
  });
  const live = () => ask("live", {on: byId("live").checked, lines: Number(byId("count").value)});
  on("type", "submit", async () => { if (await move(byId("typed").value)) byId("typed").value = ""; });
  on("live", "change", live);
  on("count", "change", live);
  on("load", "submit", ({text}) => text.value.length > text.dataset.longest
    ? say("This is too long for the page: wadjet board FILE shows it.")
    : ask("load", {text: text.value}));
  on("begin", "submit", form => ask("new", {side: form.side.value, level: form.level.value,
    clock: form.clock.value, path: pathTo(here),
    fen: form.start.value === "fen" ? form.fen.value : form.start.value}));
  on("begin", "change", () => { const form = byId("begin");
    form.fen.disabled = form.start.value !== "fen"; });
  document.querySelectorAll("[data-act]").forEach(button =>
    button.addEventListener("click", () => ask(button.dataset.act)));
  byId("newcomer").addEventListener("submit", async event => {
    event.preventDefault();
    const {rating} = event.target, level = (rating || event.submitter).value;
    byId("newcomer").open = Boolean((await ask("level", {level})).problem);
  });
  byId("newcomer").hidden = !play.played;
  byId("newcomer").open = play.newcomer && !sheet.line.length; // a game has its level
  byId("new").open = play.played && !play.newcomer && !sheet.line.length;
  if (play.played) chooseLevel(play.level ? `${play.level}` : "full");
  play.since = performance.now();
  drawPlay();
  listen();
  setInterval(() => { if (play.running !== null && play.clocks) drawPlayers(); }, 100);
}

function chooseLevel(level) {  // in the form for a new game
  const select = byId("begin").level;
  if (![...select.options].some(option => option.value === level))
    select.prepend(make("option", {value: level}, `level ${level}`));
  select.value = level;
}

// --- The beginning ------------------------------------------------------------------------------

const chooser = byId("games");
if (games.length > 1) {
  chooser.append(...games.map((one, which) => make("option", {}, `${which + 1}. ${one.title}`)));
  chooser.hidden = false;
  chooser.addEventListener("change", () => {
    showGame(chooser.selectedIndex);
    chooser.blur();
    show(sheet.start);
  });
}
showGame(0);
const wanted = find(location.hash);
if (number) showGame(number);
show(wanted || (play ? end() : sheet.start));
if (play) sit();
