// Every variable after the current step, by owner, arrays and records as trees, with what the step changed marked down to
// the last element; above them the calls that the step is inside of. Variables can be pinned to the top; a click on a name leaves only the steps that touch it.

/// Elements of a list that are shown at once.
const MOST_ELEMENTS = 64;
/// Variables of one owner that are shown at once.
const MOST_VARIABLES = 200;

class StatePane {
  /// `touch(name)` is called when the user asks for the steps that touch a variable.
  constructor(box, title, touch) {
    Object.assign(this, { box, title, touch });
    this.pins = new Set();
    this.unfolded = new Set();
    this.closed = new Set();
    this.count = 0;
  }

  show(count) {
    this.count = count;
    const now = stateAfter(count);
    const before = count === 0 ? now : stateAfter(count - 1);
    this.title.textContent = count === 0 ? "initial state" : `after step ${count}`;
    const groups = this.groups(now, before);
    const sections = groups.map((group) => this.section(group)).filter((section) => section !== null);
    const pinned = this.pinned(groups);
    const nothing = el("p", { class: "missing" }, data.initial.length > 0 ? "There is no variable here." : "No value is known yet.");
    const stack = count === 0 ? null : this.stack(steps[count - 1]);
    const propositions = this.propositions(count);
    this.box.replaceChildren(...[pinned, propositions, stack].filter((part) => part), ...(sections.length > 0 ? sections : [nothing]));
    this.reveal();
  }

  /// Scrolls to the first value that changed, if none is in sight. (Of a record the head is marked, too, and says little.)
  reveal() {
    const view = this.box.getBoundingClientRect();
    const rows = [...this.box.querySelectorAll(".variable.changed:has(.value)")].map((row) => row.getBoundingClientRect());
    if (rows.length === 0 || rows.some((row) => row.top >= view.top && row.bottom <= view.bottom)) return;
    this.box.scrollTop += rows[0].top - view.top - 40;
  }

  /// What the property asks about, after the current step.
  propositions(count) {
    const [now, before] = [count - 1, count - 2].map((index) => (index < 0 ? undefined : steps[index].propositions));
    if (!now) return null;
    const row = ([text, holds]) => el("div", { class: `variable${before && before[text] !== holds ? " changed" : ""}`, "data-proposition": text },
      el("span", { class: "variable-name" }, text), el("span", { class: "value" }, String(holds)), el("span"));
    return el("details", { class: "owner", open: true }, el("summary", {}, el("span", { class: "name" }, "the property asks")), ...Object.entries(now).map(row));
  }

  /// The call stack of a step, innermost first; a click shows where a frame is.
  stack(step) {
    if (step.stack === undefined || step.thread === undefined) return null;
    const frame = ({ procedure, depth, times, place }) => el("button", {
      type: "button", class: "frame", disabled: place === null, title: place === null ? "" : whereOf(place),
      onclick: () => sourcePane.show(place),
    }, el("span", { class: "depth" }, times > 1 ? `${depth}–${depth + times - 1}` : String(depth)), `${procedure}${times > 1 ? ` ×${times}` : ""}`);
    const frames = [...data.stacks[step.stack]].reverse().map(frame);
    return el("details", { class: "owner stack", open: true }, el("summary", {}, "call stack of ", threadName(step.thread)), ...frames);
  }

  /// The variables of each owner as trees: those of all first.
  groups(now, before) {
    const groups = new Map([[-1, new Map()], ...threads.map((_, thread) => [thread, new Map()])]);
    const names = new Set([...now.keys(), ...before.keys()]);
    for (const name of names) {
      const { owner, local } = ownerOf(name);
      const path = (!isThread.has(name) && local.match(/[^.[\]]+|\[[^\]]*\]/g)) || [local];
      let level = groups.get(owner);
      let whole = name.slice(0, name.length - local.length);
      path.forEach((part, depth) => {
        whole += depth > 0 && !part.startsWith("[") ? `.${part}` : part;
        if (!level.has(part)) level.set(part, { label: part, name: whole, parts: new Map() });
        const node = level.get(part);
        if (depth === path.length - 1) Object.assign(node, { now: now.get(name), was: before.get(name), leaf: true });
        level = node.parts;
      });
    }
    return [...groups].map(([owner, parts]) => ({ owner, nodes: [...parts.values()] }));
  }

  section({ owner, nodes }) {
    if (nodes.length === 0) return null;
    const label = owner < 0 ? el("span", { class: "name" }, "shared") : threadName(owner);
    const key = `owner ${owner}`;
    const shown = this.unfolded.has(key) ? nodes : this.some(nodes, MOST_VARIABLES);
    const more = nodes.length - shown.length;
    const section = el("details", { class: "owner", open: !this.closed.has(owner) }, el("summary", {}, label),
      ...shown.map((node) => this.node(node)), ...(more > 0 ? [this.more(key, more, "variables")] : []));
    section.addEventListener("toggle", () => this.closed[section.open ? "delete" : "add"](owner));
    return section;
  }

  /// The first of many, and those that changed.
  some(nodes, most) {
    return nodes.length <= most ? nodes : nodes.filter((node, index) => index < most || hasChanged(node));
  }

  more(key, count, what) {
    return el("button", { type: "button", class: "more", onclick: () => { this.unfolded.add(key); this.show(this.count); } }, `… ${count} more ${what}`);
  }

  /// A variable: on one line if it is a value or a list of values, else with a line for each part.
  node(node) {
    const inline = node.leaf || [...node.parts.values()].every((part) => part.leaf && part.label.startsWith("["));
    const changed = hasChanged(node);
    const head = el("div", { class: `variable${changed ? " changed" : ""}`, "data-name": node.name }, this.nameOf(node), inline ? this.valueOf(node) : el("span"), this.pinOf(node));
    if (inline) return head;
    return el("div", { class: "record" }, head, el("div", { class: "parts" }, ...[...node.parts.values()].map((part) => this.node(part))));
  }

  nameOf(node) {
    const title = `only the steps that touch ${node.name}`;
    return el("button", { type: "button", class: "variable-name", title, "aria-label": `${node.name}: ${title}`, onclick: () => this.touch(node.name) }, node.label);
  }

  pinOf(node) {
    const pinned = this.pins.has(node.name);
    const toggle = () => { this.pins[pinned ? "delete" : "add"](node.name); this.show(this.count); };
    return el("button", { type: "button", class: "pin", "aria-pressed": String(pinned), "aria-label": `${pinned ? "unpin" : "pin"} ${node.name}`, title: pinned ? "unpin" : "pin to the top", onclick: toggle },
      pinned ? "◆" : "◇");
  }

  valueOf(node) {
    if (!node.leaf) return el("span", { class: "value" }, ...this.elements("[", "]", [...node.parts.values()].map((part) => [part.now, part.was, part.name]), node.name));
    return el("span", { class: "value" }, ...this.difference(node.now, node.was, node.name));
  }

  /// A value with what is different in it marked.
  difference(now, was, name) {
    if (now === was) return [valueText(now, name)];
    if (now === undefined) return [el("del", { "data-variable": name }, was), " gone"];
    const [is, old] = [parseValue(now), was === undefined ? undefined : parseValue(was)];
    if (typeof is === "object" && typeof old === "object") {
      const items = Array.from({ length: Math.max(is.items.length, old.items.length) }, (_, k) => [unparse(is.items[k]), unparse(old.items[k]), `${name}[${k}]`]);
      return [el("span", { class: "whole", "data-variable": name }, ...this.elements(is.open, is.close, items, name))];
    }
    const before = was === undefined ? [] : [el("del", {}, was), " → "];
    return [...before, el("ins", { "data-variable": name }, now)];
  }

  /// A list of values, the changed ones marked.
  elements(open, close, items, name) {
    const shown = this.unfolded.has(name) ? items : items.filter(([now, was], k) => k < MOST_ELEMENTS || now !== was);
    const nodes = [open];
    shown.forEach(([now, was, part], k) => {
      if (k > 0) nodes.push(", ");
      nodes.push(...this.difference(now, was, part));
    });
    if (shown.length < items.length) nodes.push(" ", this.more(name, items.length - shown.length, "elements"));
    return [...nodes, close];
  }

  pinned(groups) {
    const find = (nodes, name) => {
      for (const node of nodes) {
        if (node.name === name) return node;
        const below = isPartOf(name, node.name) ? find(node.parts.values(), name) : undefined;
        if (below) return below;
      }
      return undefined;
    };
    const rows = [...this.pins].map((name) => groups.map(({ nodes }) => find(nodes, name)).find((node) => node) || { name, label: name, parts: new Map(), leaf: true, now: undefined, was: undefined });
    if (rows.length === 0) return null;
    return el("details", { class: "owner pinned", open: true }, el("summary", {}, el("span", { class: "name" }, "pinned")), ...rows.map((node) => this.node({ ...node, label: node.name })));
  }
}

function hasChanged(node) {
  return (node.leaf && node.now !== node.was) || [...node.parts.values()].some(hasChanged);
}

function valueText(value, name) {
  return value === undefined ? el("span", { class: "none" }, "not alive") : el("span", { "data-value-of": name }, value);
}

function unparse(value) {
  if (value === undefined || typeof value === "string") return value;
  return value.open + value.items.map(unparse).join(", ") + value.close;
}
