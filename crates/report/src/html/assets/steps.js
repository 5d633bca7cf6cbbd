// The steps: one row for each, one lane for each thread, rows between them where another thread takes over. What went
// wrong is below them, in as many lines as it takes. Where lanes would be too narrow, the threads share one column and each row names its own.

const NARROWEST_LANE = 104;
const NARROW_PANE = 560;
/// The share of the column of the changes; a lane has 2.
const CHANGES = 2.2;
/// Width of a character there.
const CHARACTER = 7.3;

/// What a step changed, in so many characters: names lose their beginning before values are cut.
function fitted(effects, most) {
  const whole = effects.join("; ");
  if (whole.length <= most) return whole;
  return effects.map((one) => one.replace(/^([^ ]*[.])([^. ]+ = )/, "…$2")).join("; ");
}

/// The thread that ran before each step: of a rendezvous the receiver, if that is not the one that runs now.
function ranBefore(index) {
  const now = steps[index].thread;
  for (let i = index - 1; i >= 0; i--) {
    const step = steps[i];
    if (step.thread === undefined) continue;
    const last = [step.partner && step.partner[0], step.thread].find((thread) => thread !== undefined && thread !== now);
    return last === undefined ? "the thread before" : threads[last].name;
  }
  const other = threads.find((_, thread) => thread !== now);
  return other ? other.name : "the thread before";
}

/// A switch in words.
function switchWords(index) {
  const [from, to] = [ranBefore(index), threads[steps[index].thread]?.name];
  switch (steps[index].reason) {
    case "blocked": return `${from} is blocked`;
    case "finished": return `${from} has finished`;
    case "spinning": return `${from} is spinning`;
    case "would-only-spin": return `${from} would only spin`;
  }
  return steps[index].switch === "preemptive" ? `${from} is preempted by ${to}` : `${from} is blocked or has finished`;
}

/// `┌`, `│` and `└` along the steps of an atomic sequence.
function atomicBar(index) {
  const goesOn = (i) => i >= 0 && Boolean(steps[i].atomic) && steps[i + 1] !== undefined && !steps[i + 1].switch && steps[i + 1].thread !== undefined;
  const [before, after] = [goesOn(index - 1), goesOn(index)];
  return after ? (before ? "│" : "┌") : before ? "└" : "";
}

class StepsPane {
  /// `choose(count)` is called when the user picks the state after so many steps.
  constructor(box, choose) {
    this.box = box;
    this.choose = choose;
    this.current = 0;
    this.hidden = new Set();
    this.touching = null;
    this.head = el("div", { class: "heading", "aria-hidden": "true" });
    this.layer = el("div", { class: "layer" });
    box.append(this.head, this.layer);
    this.list = new VirtualList(box, { draw: (item) => this.row(item), window: (first, last) => this.paint(first, last) });
    this.end = el("div", { class: "ending" });
    box.append(this.end);
    this.list.inner.setAttribute("role", "listbox");
    this.list.inner.setAttribute("aria-label", "Steps");
    this.list.inner.tabIndex = 0;
    this.starts = new Map(links.filter((link) => link.kind === "spawn").map((link) => [steps[link.to].thread, link.from]));
    steps.forEach((step, index) => (step.spawns || []).forEach((thread) => this.starts.set(thread, index)));
    let width = 0;
    new ResizeObserver(() => {
      if (box.clientWidth !== width) {
        width = box.clientWidth;
        this.rebuild();
      }
    }).observe(box);
  }

  startOf(thread) {
    return this.starts.get(thread);
  }

  /// Whether all threads that take part in a step are hidden.
  isHidden(step) {
    const actors = [step.thread, step.partner && step.partner[0]].filter((thread) => thread !== undefined);
    return actors.length > 0 && actors.every((thread) => this.hidden.has(thread));
  }

  /// Decides anew which rows there are and how they are laid out.
  rebuild() {
    this.visible = threads.map((_, thread) => thread).filter((thread) => !this.hidden.has(thread));
    this.items = [{ kind: "start" }];
    this.itemOfStep = new Map();
    this.shown = [0];
    steps.forEach((step, index) => {
      if (step.cycleStart) this.items.push({ kind: "cycle" });
      if (this.touching !== null && !touches(step, this.touching)) return;
      // The switches of a hidden thread stay: a preemption is one whoever is shown.
      if (step.switch && step.thread !== undefined) this.items.push({ kind: "switch", step: index });
      if (this.isHidden(step)) return;
      this.itemOfStep.set(index, this.items.length);
      this.items.push({ kind: "step", step: index });
      this.shown.push(index + 1);
    });
    const cycle = this.items.findIndex((item) => item.kind === "cycle");
    this.loop = cycle < 0 ? null : { top: cycle, bottom: this.items.length };
    if (this.loop) this.items.push({ kind: "again" });
    this.layOut();
    this.list.reset(this.items.length, this.height);
    this.end.replaceChildren(...this.ending());
    this.mark();
  }

  itemOf(step) {
    return this.itemOfStep.get(step);
  }

  layOut() {
    const width = this.box.clientWidth;
    this.columns = diagramColumns(this.visible, this.loop, width < NARROW_PANE);
    const room = width - this.columns.width - 220;
    // Even a single lane would share the room of a narrow pane with the changes.
    this.narrow = width < NARROW_PANE;
    this.lanes = !this.narrow && this.visible.length > 0 && room / this.visible.length >= NARROWEST_LANE;
    this.height = this.narrow ? 44 : 26;
    const [digits, contexts] = [String(steps.length).length, String(contextOf.at(-1) || 1).length];
    const middle = this.lanes ? `repeat(${this.visible.length}, minmax(${NARROWEST_LANE}px, 2fr))` : "minmax(0, 3fr)";
    // A narrow pane has its room for the statements.
    const [numbers, marks] = [digits + 3.6, contexts + (this.narrow ? 2 : 2.4)];
    const grid = `${this.columns.width}px ${numbers}ch ${marks}ch ${middle}${this.narrow ? "" : ` minmax(90px, ${CHANGES}fr)`}`;
    const fixed = this.columns.width + (digits + contexts + 6) * CHARACTER + 8 * (this.visible.length + 3) + 10;
    this.laneWidth = Math.max(NARROWEST_LANE, (width - fixed) * 2 / (2 * this.visible.length + CHANGES));
    this.changeChars = Math.floor(Math.max(90, room * CHANGES / (CHANGES + (this.lanes ? 2 * this.visible.length : 3))) / CHARACTER);
    this.box.style.setProperty("--grid", grid);
    this.box.style.setProperty("--lanes", String(this.lanes ? this.visible.length : 1));
    this.box.style.setProperty("--pad", `${this.columns.width}px`);
    this.box.classList.toggle("narrow", this.narrow);
    const names = this.lanes ? this.visible.map((thread) => threadName(thread)) : [el("span", {}, "statement")];
    this.head.replaceChildren(
      el("span"), el("span", { class: "number" }, "#"), el("span", { class: "context", title: "context" }, "ctx"), ...names,
      ...(this.narrow ? [] : [el("span", {}, "changes")]));
  }

  paint(first, last) {
    this.layer.style.top = `${this.list.inner.offsetTop}px`;
    this.layer.replaceChildren(...(last < first ? [] : [drawDiagram(this, first, last)]));
  }

  row(item) {
    const it = this.items[item];
    switch (it.kind) {
      case "step": return this.stepRow(it.step, item);
      case "start": return this.plainRow("start", "initial state", { step: 0 });
      case "switch": {
        const how = steps[it.step].switch;
        return this.plainRow(`switch ${how === "preemptive" ? "preemption" : ""}`, switchWords(it.step));
      }
      case "cycle": return this.plainRow("cycle", "cycle starts here");
      case "again": return this.plainRow("cycle", `back to step ${data.cycle + 1}`, { step: data.cycle + 1, jump: true });
      default: return this.plainRow("", "");
    }
  }

  /// What went wrong, and why.
  ending() {
    const rows = [];
    if (data.violation) rows.push(this.plainRow("fault", `✗ ${data.violation}`, { step: steps.length, jump: true }));
    for (const sentence of data.why) rows.push(this.plainRow("because", sentence));
    for (const waiting of data.waiting) rows.push(this.waitingRow(waiting));
    if (data.circle) rows.push(this.plainRow("waiting circle", `circular wait: ${data.circle}`));
    return rows;
  }

  /// A row across all lanes.
  plainRow(kind, text, { step, jump } = {}) {
    const selectable = step !== undefined && !jump;
    const selected = selectable && step === this.current;
    const row = el("div", {
      class: `${kind} wide${selected ? " selected" : ""}`, role: selectable ? "option" : "none", title: text,
      ...(selectable ? { id: `step-${step}`, "data-step": step, "aria-selected": String(selected) } : {}),
    }, el("span"), el("span", { class: "across" }, text));
    if (step !== undefined) row.addEventListener("click", () => this.choose(step));
    return row;
  }

  waitingRow({ thread, place, reason }) {
    const text = el("span", { class: "across" }, threadName(thread), ` ${reason}`, el("span", { class: "where" }, whereOf(place)));
    const row = el("div", { class: "waiting wide", role: "none", title: `${threads[thread].name} ${reason} (${whereOf(place)})` }, el("span"), text);
    row.addEventListener("click", () => sourcePane.show(place));
    return row;
  }

  stepRow(index, item) {
    const step = steps[index];
    const selected = index + 1 === this.current;
    const fails = data.fails && index === steps.length - 1;
    let before = item - 1;
    while (before > 0 && this.items[before].kind !== "step") before--;
    const begins = before <= 0 || contextOf[this.items[before].step] !== contextOf[index];
    const row = el("div", {
      class: `step t${(step.thread ?? 0) % 8}${step.thread === undefined ? " claim" : ""}${selected ? " selected" : ""}` +
        `${fails ? " fails" : ""}${matchesQuery(index) ? " match" : ""}`,
      role: "option", id: `step-${index + 1}`, "data-step": index + 1, "aria-selected": String(selected),
      "aria-posinset": index + 1, "aria-setsize": steps.length, "aria-label": this.words(index),
    });
    const changes = effectsOf(step).join("; ");
    row.append(el("span"), el("span", { class: "number" }, fails ? `✗ ${index + 1}` : String(index + 1), el("i", { class: "bracket", title: "atomic: no other thread runs in between" }, atomicBar(index))),
      el("span", { class: "context" }, begins ? el("b", { title: `context ${contextOf[index]}` }, String(contextOf[index])) : ""));
    if (this.lanes && step.thread === undefined) row.append(el("span", { class: "lane all" }, `claim: ${textOf(step)}`));
    else if (this.lanes) row.append(...this.cells(step, changes));
    else row.append(this.oneCell(step, changes));
    if (!this.narrow && !(this.lanes && changes === "" && step.thread !== undefined)) row.append(el("span", { class: "changes", title: changes }, fitted(effectsOf(step), this.changeChars)));
    row.addEventListener("click", () => this.choose(index + 1));
    return row;
  }

  /// The lanes of a step. The statement furthest to the right runs on over the empty lanes behind it, and over the column of
  /// the changes where there is none; where that is too little, it begins further to the left, over empty lanes, too.
  cells(step, changes) {
    const acts = [step.thread, step.partner && step.partner[0]].map((thread) => this.visible.indexOf(thread)).filter((lane) => lane >= 0);
    const [first, last] = [Math.min(...acts, this.visible.length - 1), Math.max(...acts, 0)];
    const cells = this.visible.slice(0, last + 1).map((thread) => this.cell(step, thread));
    const span = this.visible.length - last + (this.narrow || changes !== "" ? 0 : 1);
    const missing = cells[last].textContent.length * CHARACTER + 8 - span * this.laneWidth;
    const before = first < last ? last - first - 1 : last;
    const left = missing > 0 ? Math.min(before, Math.ceil(missing / this.laneWidth)) : 0;
    cells.splice(last - left, left);
    const cell = cells[last - left];
    cell.style.gridColumn = `span ${span + left}`;
    cell.classList.toggle("leftwards", left > 0);
    return cells;
  }

  cell(step, thread) {
    const place = step.thread === thread ? step.place : step.partner && step.partner[0] === thread ? step.partner[1] : undefined;
    if (place === undefined) return el("span", { class: "lane" });
    const text = placeOf(place).text;
    const inside = step.thread === thread ? indentOf(step) : "";
    return el("span", { class: `lane acts t${thread % 8}`, title: `${text}\n${whereOf(place)}` }, el("span", { class: "statement" }, inside + text));
  }

  /// Where there is one column for all threads. In a narrow one the statement has the first line for itself.
  oneCell(step, changes) {
    const name = step.thread === undefined ? el("span", { class: "name" }, "claim") : threadName(step.thread);
    const partner = step.partner ? [" → ", threadName(step.partner[0])] : [];
    const text = indentOf(step) + textOf(step);
    const parts = this.narrow
      ? [el("span", { class: "statement" }, text), el("span", { class: "changes" }, name, ...partner, changes === "" ? "" : `  ${changes}`)]
      : [el("span", { class: "statement" }, name, ...partner, " ", text)];
    return el("span", { class: "lane acts", title: `${textOf(step)}\n${whereOf(step.place)}` }, ...parts);
  }

  /// A step for those who do not see it.
  words(index) {
    const step = steps[index];
    const who = step.thread === undefined ? "the claim" : threads[step.thread].name;
    const before = step.switch && step.thread !== undefined ? `${switchWords(index)}. ` : "";
    const effects = effectsOf(step).join("; ");
    return `${before}Step ${index + 1}, context ${contextOf[index]}, ${who}: ${textOf(step)}, ${whereOf(step.place)}${effects ? `, ${effects}` : ""}`;
  }

  /// Shows another state as the current one.
  select(count) {
    const old = this.itemAt(this.current);
    this.current = count;
    this.list.redraw([old, this.itemAt(count)]);
    this.mark();
  }

  itemAt(count) {
    return count === 0 ? 0 : this.itemOf(count - 1);
  }

  mark() {
    const item = this.itemAt(this.current);
    if (item !== undefined) this.list.reveal(item);
    // At the last step what went wrong is in sight, too, as far as there is room for both.
    if (this.current === steps.length && item !== undefined) {
      const room = this.box.clientHeight - this.list.inner.offsetTop - 2 * this.height;
      this.box.scrollTop += Math.max(0, Math.min(this.end.offsetTop + this.end.offsetHeight - this.box.scrollTop - this.box.clientHeight, room));
      this.list.refresh();
    }
    this.paint(this.list.first, this.list.last);
    this.list.inner.setAttribute("aria-activedescendant", `step-${this.current}`);
  }

  /// The visible state so many rows further on, or as far as there is one.
  further(by) {
    const at = this.shown.findIndex((count) => count >= this.current);
    const here = at < 0 ? this.shown.length - 1 : at;
    const passed = this.shown[here] !== this.current && by > 0 ? by - 1 : by;
    return this.shown[Math.max(0, Math.min(this.shown.length - 1, here + passed))];
  }

  /// The next (or last) visible step from `from` on that `is` accepts; `undefined` if there is none.
  find(is, direction, from = this.current) {
    const list = direction > 0 ? this.shown : [...this.shown].reverse();
    return list.find((count) => (direction > 0 ? count > from : count < from) && count > 0 && is(count - 1));
  }
}

function threadName(thread) {
  return el("span", { class: `name t${thread % 8}`, title: threads[thread].name }, threads[thread].name);
}
