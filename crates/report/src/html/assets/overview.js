// The whole run in one strip: a row for each thread with a bar for each context, lines where a thread is preempted, dots
// where messages pass, a mark where it fails, and where the reader is. A run of any length has at most so many columns,
// so that it is drawn once and only the mark of the reader moves.

/// Units across; a bar is no narrower than one of them.
const STRIP_WIDTH = 1000;
const STRIP_ROW = 7;
/// Rows at most; further threads share them.
const STRIP_ROWS = 8;

class Overview {
  /// `choose(count)` is called when the user picks the state after so many steps.
  constructor(box, choose) {
    box.hidden = steps.length === 0;
    this.rows = Math.min(STRIP_ROWS, Math.max(threads.length, 1));
    this.unit = STRIP_WIDTH / Math.max(steps.length, 1);
    const preemptions = steps.filter((step) => step.switch === "preemptive").length;
    const words = `The whole run: ${plural(steps.length, "step", "steps")}, ${plural(contextOf.at(-1) || 0, "context", "contexts")}, ${plural(preemptions, "preemption", "preemptions")}`;
    const height = this.rows * STRIP_ROW + 10;
    this.here = svg("rect", { class: "here", y: 0, width: 3, height });
    const picture = svg("svg", { viewBox: `0 0 ${STRIP_WIDTH} ${height}`, preserveAspectRatio: "none", class: "strip", role: "img", "aria-label": words },
      ...this.bars(), ...this.marks(height), this.here);
    picture.style.height = `${Math.max(height, 28)}px`;
    box.append(picture);
    const pick = (event) => {
      const area = picture.getBoundingClientRect();
      choose(Math.max(1, Math.min(steps.length, Math.ceil((event.clientX - area.left) / area.width * steps.length))));
    };
    box.addEventListener("pointerdown", (event) => {
      box.setPointerCapture(event.pointerId);
      pick(event);
    });
    box.addEventListener("pointermove", (event) => { if (box.hasPointerCapture(event.pointerId)) pick(event); });
  }

  /// Where a step begins, in whole units where steps are narrower than that.
  at(index) {
    return this.unit < 1 ? Math.floor(index * this.unit) : index * this.unit;
  }

  /// One bar for each piece of the run in which a thread takes steps.
  bars() {
    const open = new Map();
    const bars = [];
    const close = ([thread, [from, to]]) => bars.push(svg("rect", {
      class: `bar t${thread % 8}`, x: from, width: to - from, y: 5 + (thread % this.rows) * STRIP_ROW, height: STRIP_ROW - 1,
    }));
    steps.forEach((step, index) => {
      if (step.thread === undefined) return;
      const [from, to] = [this.at(index), this.at(index) + Math.max(1, this.unit)];
      const run = open.get(step.thread);
      if (run && from <= run[1] + 0.01) run[1] = to;
      else {
        if (run) close([step.thread, run]);
        open.set(step.thread, [from, to]);
      }
    });
    [...open].forEach(close);
    return bars;
  }

  marks(height) {
    const [preempted, messages] = [new Set(), new Map()];
    steps.forEach((step, index) => {
      if (step.switch === "preemptive") preempted.add(this.at(index));
      if (step.message) messages.set(this.at(index) + this.unit / 2, (step.thread ?? 0) % this.rows);
    });
    const marks = [...preempted].map((x) => svg("rect", { class: "preempted", x: x - 1, width: 2, y: 0, height }));
    marks.push(...[...messages].map(([x, row]) => svg("rect", { class: "sent", x: x - 2, width: 4, y: 6.5 + row * STRIP_ROW, height: 3 })));
    if (data.cycle !== null) {
      const from = this.at(data.cycle);
      marks.push(svg("rect", { class: "repeats", x: from, width: STRIP_WIDTH - from, y: height - 3, height: 3 }));
    }
    if (data.violation) marks.push(svg("rect", { class: "failure", x: STRIP_WIDTH - 5, width: 5, y: 0, height }));
    return marks;
  }

  /// Marks where the reader is.
  show(count) {
    const x = count === 0 ? 0 : this.at(count - 1) + this.unit / 2 - 1.5;
    this.here.setAttribute("x", String(Math.max(0, Math.min(STRIP_WIDTH - 3, x))));
  }
}
