// The source, with the current statement marked from its line and column on, the partner's of a rendezvous too, and in
// the margin where every other thread goes on.

const KEYWORDS = {
  promela: "active assert atomic bit bool break byte chan d_step do else empty enabled end eval fi for full goto hidden if init inline int len local ltl mtype nempty never nfull od of pid printf priority proctype provided run select short show skip timeout trace true false typedef unless unsigned xr xs",
  bp: "abortif abstract assert assume atomic_begin atomic_end begin bool break broadcast call constrain decl dead else elsif end end_thread enforce fi goto if in init main od do return schoose shared skip start_thread sync then thread_create true false T F void wait while",
  rust: "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while",
};

const TOKEN = /(\/\/.*|\/\*.*?(?:\*\/|$))|("(?:\\.|[^"\\])*"?)|(\b\d[\w.]*\b)|([A-Za-z_]\w*)|(\s+|.)/gu;

/// The parts of a line with their classes; `inComment` tells whether it starts inside a comment.
function tokens(line, keywords, inComment) {
  const parts = [];
  let rest = line;
  if (inComment) {
    const end = line.indexOf("*/");
    if (end < 0) return [["comment", line]];
    parts.push(["comment", line.slice(0, end + 2)]);
    rest = line.slice(end + 2);
  }
  for (const [text, comment, string, number, word] of rest.matchAll(TOKEN)) {
    const kind = comment ? "comment" : string ? "string" : number ? "literal" : word && keywords.has(word) ? "keyword" : "";
    parts.push([kind, text]);
  }
  return parts;
}

/// Where a statement stands: from its place on, as far as the source says the same, blanks aside. What does not stand
/// there as such (it came out of a macro) is marked by its first word.
function extent(lines, place) {
  let [line, column] = [place.line - 1, place.column - 1];
  const wanted = [...place.text].filter((c) => !/\s/.test(c));
  const start = { line, column };
  let at = 0;
  while (at < wanted.length && line < lines.length) {
    const c = lines[line][column];
    if (c === undefined) [line, column] = [line + 1, 0];
    else if (/\s/.test(c)) column++;
    else if (c === wanted[at]) [at, column] = [at + 1, column + 1];
    else break;
  }
  if (at === wanted.length && at > 0) return { start, end: { line, column } };
  const rest = (lines[start.line] || []).slice(start.column).join("");
  const word = rest.match(/^(\w+|\S)?/u)[0];
  return { start, end: { line: start.line, column: start.column + Math.max(1, [...word].length) } };
}

class SourcePane {
  constructor(box, tabs, title) {
    Object.assign(this, { box, tabs, title });
    this.keywords = new Set((KEYWORDS[data.language] || "").split(" "));
    this.files = data.files.map((file) => (file.text === null ? null : this.read(file.text)));
    this.file = -1;
    this.marks = [];
    this.stands = new Map();
    this.list = new VirtualList(box, { draw: (line) => this.row(line) });
    this.missing = el("p", { class: "missing" });
    box.append(this.missing);
  }

  read(text) {
    const lines = text.replace(/\r\n?/g, "\n").split("\n");
    if (lines.at(-1) === "") lines.pop();
    let inComment = false;
    const comments = lines.map((line) => {
      const was = inComment;
      const last = Math.max(line.lastIndexOf("/*"), -1);
      if (inComment ? line.includes("*/") : true) inComment = last >= 0 && !line.slice(last).includes("*/") && !line.slice(0, last).includes("//");
      return was;
    });
    return { lines: lines.map((line) => [...line]), comments };
  }

  /// Marks statements: the first is the one to see. `stands` says which threads go on where.
  mark(places, stands) {
    const shown = places.find((place) => place !== undefined);
    if (shown !== undefined && placeOf(shown).file !== null) this.open(placeOf(shown).file);
    else if (this.file < 0 && data.files.length > 0) this.open(0);
    const lines = this.lines();
    this.marks = places.map((index, k) => ({ place: index === undefined ? null : placeOf(index), kind: k === 0 ? "now" : "partner" }))
      .filter(({ place }) => place && place.file === this.file && lines)
      .map(({ place, kind }) => ({ kind, ...extent(lines.lines, place) }));
    this.stands = new Map();
    for (const [thread, place] of stands) {
      const { file, line } = placeOf(place);
      if (file === this.file) this.stands.set(line - 1, [...(this.stands.get(line - 1) || []), thread]);
    }
    this.list.redrawAll();
    if (this.marks.length > 0) this.reveal();
    this.title.textContent = shown === undefined ? "" : whereOf(shown);
  }

  /// Scrolls to the mark, sideways too where the line is long.
  reveal() {
    this.list.reveal(this.marks[0].start.line, 4);
    const mark = this.box.querySelector("mark.now");
    if (!mark) return;
    const [left, right] = [mark.getBoundingClientRect().left, mark.getBoundingClientRect().right].map((x) => x - this.box.getBoundingClientRect().left + this.box.scrollLeft);
    this.box.scrollLeft = right < this.box.clientWidth ? 0 : Math.max(0, Math.min(left - 60, right - this.box.clientWidth + 24));
  }

  /// Marks one place, for a look.
  show(place) {
    this.mark([place], []);
  }

  lines() {
    return this.file < 0 ? null : this.files[this.file];
  }

  open(file) {
    if (this.file === file) return;
    this.file = file;
    const lines = this.lines();
    this.missing.textContent = lines ? "" : `The text of ${data.files[file].name} is not part of this page: the file was not found.`;
    this.missing.hidden = lines !== null;
    this.marks = [];
    this.list.reset(lines ? lines.lines.length : 0, 20);
    const many = data.files.length > 1;
    this.tabs.replaceChildren(...(many ? data.files.map((f, index) => el("button", {
      type: "button", class: "tab", "aria-pressed": String(index === file), title: f.name, onclick: () => { this.open(index); },
    }, f.name.split(/[\\/]/).at(-1))) : []));
    this.tabs.hidden = !many;
  }

  row(line) {
    const { lines, comments } = this.lines();
    const here = this.marks.filter((mark) => mark.start.line <= line && line <= mark.end.line);
    const code = el("code", {}, ...this.parts(line, lines[line], comments[line], here));
    const stands = (this.stands.get(line) || []).map((thread) => el("i", { class: `stands t${thread % 8}`, title: `${threads[thread].name} goes on here` }));
    const now = here.some((mark) => mark.kind === "now") ? " now" : here.length > 0 ? " partner" : "";
    return el("div", { class: `line${now}`, "data-line": line + 1 }, el("span", { class: "margin" }, ...stands), el("span", { class: "number" }, String(line + 1)), code);
  }

  /// The tokens of a line, cut where a mark begins or ends.
  parts(line, characters, inComment, marks) {
    const ranges = marks.map((mark) => ({
      kind: mark.kind, from: mark.start.line === line ? mark.start.column : 0, to: mark.end.line === line ? mark.end.column : characters.length,
    }));
    const nodes = [];
    let at = 0;
    for (const [kind, text] of tokens(characters.join(""), this.keywords, inComment)) {
      for (const [piece, mark] of cutAt([...text], at, ranges)) {
        const node = kind ? el("span", { class: kind }, piece) : document.createTextNode(piece);
        const last = nodes.at(-1);
        if (!mark) nodes.push(node);
        else if (last && last.nodeName === "MARK" && last.className === mark) last.append(node);
        else nodes.push(el("mark", { class: mark }, node));
      }
      at += [...text].length;
    }
    return nodes;
  }
}

/// Pieces of a token, each with the mark that covers it.
function cutAt(characters, start, ranges) {
  const pieces = [];
  characters.forEach((c, k) => {
    const range = ranges.find(({ from, to }) => from <= start + k && start + k < to);
    const mark = range ? range.kind : "";
    if (pieces.length > 0 && pieces.at(-1)[1] === mark) pieces.at(-1)[0] += c;
    else pieces.push([c, mark]);
  });
  return pieces;
}
