// What the page knows: the steps as the document holds them, the contexts they form, the value of every variable after
// any step, and which steps touch a variable. Nothing here draws.

const data = JSON.parse(document.getElementById("data").textContent);
const steps = data.steps;
const threads = data.threads;

/// Steps between two states that are kept whole.
const CHECKPOINT = 256;

/// The number of the context of each step, from 1; a step that begins one has a switch in front of it.
const contextOf = [];
/// For each thread the steps it takes part in.
const stepsOf = threads.map(() => []);
/// Every arrow: from and to are steps from 0.
const links = [];

for (let index = 0, context = 1; index < steps.length; index++) {
  const step = steps[index];
  if (index > 0 && step.switch) context++;
  contextOf.push(context);
  if (step.thread !== undefined) stepsOf[step.thread].push(index);
  if (step.partner && step.partner[0] !== step.thread) stepsOf[step.partner[0]].push(index);
  for (const [from, kind, what] of step.follows || []) links.push({ from: from - 1, to: index, kind, what });
}

function placeOf(index) {
  const place = data.places[index];
  return place && { file: place[0], line: place[1], column: place[2], text: place[3] };
}

function whereOf(index) {
  const place = placeOf(index);
  return place && place.file !== null ? `${data.files[place.file].name}:${place.line}:${place.column}` : "";
}

function textOf(step) {
  const place = placeOf(step.place);
  return place ? place.text : "";
}

/// How deep a step is inside of calls, from 1; 0 where nothing is known of calls.
function depthOf(step) {
  const frame = step.stack === undefined ? undefined : data.stacks[step.stack].at(-1);
  return frame ? frame.depth + frame.times - 1 : 0;
}

/// Calls that are shown by blanks; deeper ones are numbered.
const DEEPEST_INDENT = 6;

/// What stands in front of the statement of a step: the calls that it is inside of.
function indentOf(step) {
  const inside = Math.max(0, depthOf(step) - 1);
  return "  ".repeat(Math.min(inside, DEEPEST_INDENT)) + (inside > DEEPEST_INDENT ? `⋮${inside + 1} ` : "");
}

/// What a step changed as its own thread would say it.
function effectsOf(step) {
  // The content of a channel is shown by its message.
  const channel = step.message && step.message[0].replace(/^.*\./, "");
  const changes = (step.stated || step.changes || []).filter(([name]) => name !== channel && !(step.message && name === step.message[0]));
  const effects = changes.map(([name, value]) => `${name} = ${value === null ? "gone" : value}`);
  if (step.message) effects.unshift(`${step.message[0]} ${step.message[1] === "receive" ? "?" : "!"} ${step.message[2].join(",")}`);
  if (step.output !== undefined) effects.push(`prints "${step.output.trimEnd()}"`);
  return effects;
}

const checkpoints = [new Map(data.initial)];

function apply(state, changes) {
  for (const [name, value] of changes || []) {
    if (value === null) state.delete(name);
    else state.set(name, value);
  }
}

/// Every variable after so many steps.
function stateAfter(count) {
  const wanted = Math.floor(count / CHECKPOINT);
  for (let known = checkpoints.length; known <= wanted; known++) {
    const state = new Map(checkpoints[known - 1]);
    for (let i = (known - 1) * CHECKPOINT; i < known * CHECKPOINT; i++) apply(state, steps[i].changes);
    checkpoints.push(state);
  }
  const state = new Map(checkpoints[wanted]);
  for (let i = wanted * CHECKPOINT; i < count; i++) apply(state, steps[i].changes);
  return state;
}

/// Whose variable it is (a thread's index, or -1 for all), and its name there.
const owned = new Map();
function ownerOf(name) {
  if (!owned.has(name)) {
    const is = (thread) => thread.prefixes.some((prefix) => name.startsWith(prefix));
    const owner = threads.findIndex(is);
    const prefix = owner < 0 ? "" : threads[owner].prefixes.find((prefix) => name.startsWith(prefix));
    owned.set(name, { owner, local: name.slice(prefix.length) });
  }
  return owned.get(name);
}

/// A thread can be a variable too (its stack), and a dot in its name then parts nothing.
const isThread = new Set(threads.map((thread) => thread.name));

/// Every name that a variable ever had, arrays and records also as a whole.
const variableNames = (() => {
  const names = new Set();
  const add = (name) => {
    names.add(name);
    const { local } = ownerOf(name);
    const prefix = name.slice(0, name.length - local.length);
    if (isThread.has(name)) return;
    for (const match of local.matchAll(/[[.]/g)) if (match.index > 0) names.add(prefix + local.slice(0, match.index));
  };
  for (const [name] of data.initial) add(name);
  for (const step of steps) for (const [name] of step.changes || []) add(name);
  return [...names];
})();
const isVariable = new Set(variableNames);

function isPartOf(name, whole) {
  if (name === whole || isThread.has(name)) return name === whole;
  return (name.startsWith(whole) && (name[whole.length] === "." || name[whole.length] === "["));
}

/// Whether a step writes a variable, sends or receives on it, or names it in its statement.
function touches(step, variable) {
  if ((step.changes || []).some(([name]) => isPartOf(name, variable) || isPartOf(variable, name))) return true;
  if (step.message && step.message[0] === variable) return true;
  const { owner, local } = ownerOf(variable);
  const word = local.match(/^[A-Za-z_$][\w$]*/);
  if (!word) return false;
  const named = (place) => {
    const text = place === undefined ? "" : placeOf(place).text.replace(/"(\\.|[^"\\])*"/g, "");
    return text.split(/[^\w$]+/).includes(word[0]);
  };
  // A local of the same name hides a variable of all.
  const hidden = (thread) => owner < 0 && thread !== undefined && threads[thread].prefixes.some((p) => isVariable.has(p + word[0]));
  const reads = (thread, place) => named(place) && (owner < 0 ? !hidden(thread) : thread === owner);
  return reads(step.thread, step.place) || (step.partner !== undefined && reads(step.partner[0], step.partner[1]));
}

/// Lists inside lists that are taken apart.
const DEEPEST = 40;

/// A value taken apart: `[a, (b,c)]` is a list; whatever does not read as one is a text.
function parseValue(text) {
  let at = 0;
  let depth = 0;
  const blanks = () => { while (text[at] === " ") at++; };
  const value = () => {
    const close = { "[": "]", "(": ")", "{": "}" }[text[at]];
    if (!close) {
      const start = at;
      while (at < text.length && !"[](){},".includes(text[at])) at++;
      return text.slice(start, at).trim();
    }
    if (++depth > DEEPEST) return null;
    const list = { open: text[at++], close, items: [] };
    for (blanks(); text[at] !== close; blanks()) {
      if (at >= text.length) return null;
      const item = value();
      if (item === null || item === "") return null;
      list.items.push(item);
      blanks();
      if (text[at] === ",") at++;
      else if (text[at] !== close) return null;
    }
    at++;
    depth--;
    return list;
  };
  if (!"[({".includes(text[0])) return text;
  const parsed = value();
  return parsed === null || at !== text.length ? text : parsed;
}

/// An element with attributes and children; texts become text nodes, never markup.
function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== undefined && child !== null));
  return node;
}

const byId = (id) => document.getElementById(id);
const plural = (n, one, many) => `${n.toLocaleString("en-US")} ${n === 1 ? one : many}`;
