// The space-time diagram: a line for each thread, time downwards, a dot for each step, the contexts as bars, arrows from
// the step that made another one possible. It stands beside the lanes, row by row; only what is in sight is drawn.

const LOOP = 20;
/// Columns between two lines: wide where there is room, so that arrows can be distinguished.
const spacing = (lines, narrow) => (narrow || lines > 8 ? 20 : lines > 4 ? 26 : 36);

/// Where the lines are: the middle of each visible thread's, and the width of all.
function diagramColumns(visible, hasLoop, narrow) {
  const left = (hasLoop ? LOOP : 0) + 14;
  const apart = spacing(visible.length, narrow);
  return { x: new Map(visible.map((thread, k) => [thread, left + k * apart])), width: left + Math.max(visible.length - 1, 0) * apart + 16 };
}

const LINK_WORDS = {
  message: "message", lock: "hand-over of the lock", spawn: "start of the thread", join: "end of the thread waited for",
  unblocks: "lets the thread go on", unseen: "store not seen by the stale access, of",
};

/// Draws the rows `first` to `last` of the steps pane.
function drawDiagram(pane, first, last) {
  const { height, columns } = pane;
  const y = (item) => (item - first) * height + height / 2;
  const rows = last - first + 1;
  const picture = svg("svg", {
    class: "diagram", width: columns.width, height: rows * height, role: "img", "aria-label": diagramWords(pane),
  });
  picture.style.transform = `translateY(${first * height}px)`;
  picture.append(svg("defs", {}, ...["message", "lock", "spawn", "join", "unblocks", "unseen", "loop"].map(arrowHead)));
  lifeLines(picture, pane, first, last, y);
  bars(picture, pane, first, last, y);
  if (pane.loop) loopArrow(picture, pane, first, last, y);
  arrows(picture, pane, first, last, y);
  dots(picture, pane, first, last, y);
  return picture;
}

function diagramWords(pane) {
  const kinds = new Map();
  for (const link of links) kinds.set(link.kind, (kinds.get(link.kind) || 0) + 1);
  const arrows = [...kinds].map(([kind, n]) => `${n} × ${LINK_WORDS[kind]}`).join(", ");
  const loop = pane.loop ? `; the steps from ${data.cycle + 1} on repeat forever` : "";
  return `Space-time diagram: ${plural(pane.visible.length, "thread", "threads")}, ` +
    `${plural(contextOf.at(-1) || 0, "context", "contexts")}; arrows: ${arrows || "none"}${loop}`;
}

function arrowHead(kind) {
  return svg("marker", {
    id: `head-${kind}`, class: `head ${kind}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, orient: "auto",
  }, svg("path", { d: kind === "unseen" ? "M1 1 7 7M7 1 1 7" : "M0 0 8 4 0 8z" }));
}

function lifeLines(picture, pane, first, last, y) {
  const [top, bottom] = [y(first) - pane.height / 2, y(last) + pane.height / 2];
  for (const thread of pane.visible) {
    const x = pane.columns.x.get(thread);
    const started = pane.itemOf(pane.startOf(thread));
    const from = started === undefined ? top : Math.max(top, y(started));
    if (from < bottom) picture.append(svg("line", { class: `life t${thread % 8}`, x1: x, x2: x, y1: from, y2: bottom }));
  }
}

/// A bar along the steps of each context.
function bars(picture, pane, first, last, y) {
  for (let item = first; item <= last;) {
    const run = pane.items[item];
    if (run.kind !== "step" || steps[run.step].thread === undefined || !pane.columns.x.has(steps[run.step].thread)) {
      item++;
      continue;
    }
    const thread = steps[run.step].thread;
    let end = item;
    const same = (next) => next && next.kind === "step" && steps[next.step].thread === thread && contextOf[next.step] === contextOf[run.step];
    while (end < last && same(pane.items[end + 1])) end++;
    picture.append(svg("rect", {
      class: `bar t${thread % 8}`, x: pane.columns.x.get(thread) - 5, width: 10, rx: 5, y: y(item) - 8, height: y(end) - y(item) + 16,
      "data-context": contextOf[run.step],
    }));
    item = end + 1;
  }
}

function arrows(picture, pane, first, last, y) {
  const thread = (index) => steps[index].thread;
  for (const { from, to, kind, what } of links) {
    const [a, b] = [pane.itemOf(from), pane.itemOf(to)];
    if (a === undefined || b === undefined || b < first || a > last) continue;
    const [xa, xb] = [pane.columns.x.get(thread(from)), pane.columns.x.get(thread(to))];
    if (xa === undefined || xb === undefined) continue;
    const side = Math.sign(xb - xa) || 1;
    const [x1, y1, x2, y2] = [xa + side * 5, y(a), xb - side * 6, y(b)];
    const bend = Math.min(60, Math.max(14, (y2 - y1) / 2));
    const words = `${LINK_WORDS[kind]}${what ? ` ${what}` : ""}: step ${from + 1} to step ${to + 1}`;
    picture.append(svg("path", {
      class: `link ${kind}`, d: `M${x1} ${y1}C${x1} ${y1 + bend} ${x2 - side * 8} ${y2 - bend} ${x2} ${y2}`,
      "marker-end": `url(#head-${kind})`, "data-from": from + 1, "data-to": to + 1,
    }, svg("title", {}, words)));
  }
  for (let item = first; item <= last; item++) {
    const step = pane.items[item].kind === "step" && steps[pane.items[item].step];
    if (!step || !step.partner) continue;
    const [x1, x2] = [pane.columns.x.get(step.thread), pane.columns.x.get(step.partner[0])];
    if (x1 === undefined || x2 === undefined) continue;
    const side = Math.sign(x2 - x1) || 1;
    picture.append(svg("path", { class: "link message", d: `M${x1 + side * 5} ${y(item)}H${x2 - side * 6}`, "marker-end": "url(#head-message)" },
      svg("title", {}, `rendezvous${step.message ? ` on ${step.message[0]}` : ""} in step ${pane.items[item].step + 1}`)));
  }
}

function dots(picture, pane, first, last, y) {
  for (let item = first; item <= last; item++) {
    if (pane.items[item].kind !== "step") continue;
    const index = pane.items[item].step;
    const step = steps[index];
    const current = index + 1 === pane.current ? " current" : "";
    const fails = data.fails && index === steps.length - 1 ? " fails" : "";
    for (const thread of new Set([step.thread, step.partner && step.partner[0]])) {
      const x = pane.columns.x.get(thread);
      if (x !== undefined) picture.append(svg("circle", { class: `dot t${thread % 8}${current}${fails}`, cx: x, cy: y(item), r: current ? 6 : 4 }));
    }
  }
}

/// A lasso as a loop: from its last row back up to the row where the cycle begins.
function loopArrow(picture, pane, first, last, y) {
  const { top, bottom } = pane.loop;
  if (bottom < first || top > last) return;
  // Only the part in sight: coordinates far outside are cut by the picture anyway.
  const clamp = (item) => y(Math.max(first - 4, Math.min(last + 4, item)));
  const [y1, y2] = [clamp(bottom), clamp(top)];
  picture.append(svg("path", {
    class: "link loop", d: `M${LOOP + 2} ${y1}H12Q5 ${y1} 5 ${y1 - 8}V${y2 + 8}Q5 ${y2} 12 ${y2}H${LOOP}`, "marker-end": "url(#head-loop)",
  }, svg("title", {}, "these steps repeat forever")));
}
