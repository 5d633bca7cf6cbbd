// Puts the panes together: the head, the toolbar, filters, keys, and the address (`#step=7`).

let query = "";

function matchesQuery(index) {
  return query !== "" && searchText(index).includes(query);
}

const searchTexts = [];
function searchText(index) {
  if (searchTexts[index] === undefined) {
    const step = steps[index];
    const names = [step.thread, step.partner && step.partner[0]].filter((t) => t !== undefined).map((t) => threads[t].name);
    searchTexts[index] = [textOf(step), ...names, ...saidBy(step), whereOf(step.place)].join("\n").toLowerCase();
  }
  return searchTexts[index];
}

const stepsPane = new StepsPane(byId("steps"), (count) => go(count));
const sourcePane = new SourcePane(byId("source"), byId("tabs"), byId("source-title"));
const statePane = new StatePane(byId("state"), byId("state-title"), (name) => touch(name));
const overview = new Overview(byId("overview"), (count) => go(count));

/// Where each thread goes on after so many steps: at its next step, or where it waits at the end.
function standsAfter(count) {
  const stands = [];
  threads.forEach((_, thread) => {
    const own = stepsOf[thread];
    let [low, high] = [0, own.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (own[middle] < count) low = middle + 1;
      else high = middle;
    }
    const next = own[low] === undefined ? undefined : steps[own[low]];
    const place = next ? (next.thread === thread ? next.place : next.partner[1]) : data.waiting.find((w) => w.thread === thread)?.place;
    if (place !== undefined) stands.push([thread, place]);
  });
  return stands;
}

/// Goes to the state after so many steps.
function go(count, fromAddress = false) {
  const to = Math.max(0, Math.min(steps.length, count));
  stepsPane.select(to);
  const step = to === 0 ? {} : steps[to - 1];
  sourcePane.mark([step.place, step.partner && step.partner[1]], standsAfter(to));
  statePane.show(to);
  byId("position").value = String(to);
  overview.show(to);
  byId("said").textContent = to === 0 ? "initial state" : stepsPane.words(to - 1);
  byId("first").disabled = byId("back").disabled = to === 0;
  byId("last").disabled = byId("on").disabled = to === steps.length;
  if (!fromAddress) {
    // A page that may not change its own address still works.
    try { history.replaceState(null, "", `#step=${to}`); } catch { /* the address stays */ }
  }
}

/// Leaves only the steps that touch a variable; `null` leaves all.
function touch(name) {
  stepsPane.touching = name;
  byId("touching").value = name || "";
  byId("touching").classList.toggle("active", name !== null);
  byId("clear").hidden = name === null;
  stepsPane.rebuild();
  countShown();
}

function countShown() {
  const shown = stepsPane.shown.length - 1;
  byId("shown").textContent = shown === steps.length ? "" : `${plural(shown, "step", "steps")} of ${steps.length} shown`;
}

function threadButtons() {
  const button = (thread, index) => el("button", {
    type: "button", class: `name t${index % 8}`, "aria-pressed": "true", title: `hide ${thread.name}`,
    onclick: (event) => {
      const hide = !stepsPane.hidden.has(index);
      stepsPane.hidden[hide ? "add" : "delete"](index);
      event.currentTarget.setAttribute("aria-pressed", String(!hide));
      event.currentTarget.title = `${hide ? "show" : "hide"} ${thread.name}`;
      stepsPane.rebuild();
      countShown();
    },
  }, thread.name);
  byId("threads").replaceChildren(...threads.map(button));
}

function search(text) {
  query = text.trim().toLowerCase();
  const hits = query === "" ? 0 : steps.filter((_, index) => matchesQuery(index)).length;
  byId("hits").textContent = query === "" ? "" : hits === 0 ? "no match" : plural(hits, "match", "matches");
  stepsPane.list.redrawAll();
}

/// Goes to the next step that `is` accepts, if there is one.
function jump(is, direction) {
  const found = stepsPane.find(is, direction);
  if (found !== undefined) go(found);
}

/// Goes to the next match, from the last one on to the first.
function nextMatch(direction) {
  if (query === "") return;
  const found = stepsPane.find(matchesQuery, direction) ?? stepsPane.find(matchesQuery, direction, direction > 0 ? 0 : steps.length + 1);
  if (found !== undefined) go(found);
}

function focusSteps() {
  stepsPane.list.inner.focus({ preventScroll: true });
}

/// Enter in the search field: the letters after it are keys again, so that `n` and `N` go on.
function onSearchKey(event) {
  if (event.key !== "Enter") return;
  search(event.target.value);
  nextMatch(event.shiftKey ? -1 : 1);
  if (query !== "") focusSteps();
}

/// Enter in the field of the position, or leaving it.
function onPosition(event) {
  if (event.type === "keydown" && event.key !== "Enter") return;
  const wanted = Number.parseInt(event.target.value, 10);
  if (Number.isNaN(wanted)) event.target.value = String(stepsPane.current);
  else go(wanted);
  focusSteps();
}

const isSwitch = (index) => Boolean(steps[index].switch);
const isPreemption = (index) => steps[index].switch === "preemptive";

const KEYS = {
  j: () => go(stepsPane.further(1)), ArrowDown: () => go(stepsPane.further(1)), ArrowRight: () => go(stepsPane.further(1)),
  k: () => go(stepsPane.further(-1)), ArrowUp: () => go(stepsPane.further(-1)), ArrowLeft: () => go(stepsPane.further(-1)),
  PageDown: () => go(stepsPane.further(10)), PageUp: () => go(stepsPane.further(-10)),
  Home: () => go(0), End: () => go(stepsPane.shown.at(-1)),
  "]": () => jump(isSwitch, 1), "[": () => jump(isSwitch, -1), p: () => jump(isPreemption, 1), P: () => jump(isPreemption, -1),
  n: () => nextMatch(1), N: () => nextMatch(-1),
  g: () => { byId("position").focus(); byId("position").select(); },
  "/": () => { byId("search").focus(); byId("search").select(); },
  t: () => toggleTheme(), "?": () => byId("help").showModal(),
};

function onKey(event) {
  const field = event.target.closest?.("input, select, textarea");
  if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
  if (event.key === "Escape") return escape(field);
  if (field) return;
  // Buttons and summaries keep their own keys; arrows in the source and the state scroll them.
  const scrolls = event.target.closest?.("#source, #state") && event.key.length > 1;
  const act = KEYS[event.key];
  if (!act || scrolls) return;
  event.preventDefault();
  act();
}

function escape(field) {
  if (field) {
    if (field.id === "search") clearSearch();
    if (field.id === "position") field.value = String(stepsPane.current);
    field.blur();
    focusSteps();
  } else if (query !== "") {
    clearSearch();
  } else if (stepsPane.touching !== null) {
    touch(null);
  }
}

function clearSearch() {
  byId("search").value = "";
  search("");
}

function toggleTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}

function stepOfAddress() {
  const found = location.hash.match(/step=(\d+)/);
  return found ? Number(found[1]) : null;
}

function start() {
  threadButtons();
  byId("names").replaceChildren(...variableNames.slice(0, 2000).map((name) => el("option", { value: name })));
  byId("first").addEventListener("click", KEYS.Home);
  byId("back").addEventListener("click", KEYS.k);
  byId("on").addEventListener("click", KEYS.j);
  byId("last").addEventListener("click", KEYS.End);
  byId("theme").addEventListener("click", toggleTheme);
  byId("keys").addEventListener("click", KEYS["?"]);
  byId("search").addEventListener("input", (event) => search(event.target.value));
  byId("search").addEventListener("keydown", onSearchKey);
  byId("position").addEventListener("change", onPosition);
  byId("position").addEventListener("keydown", onPosition);
  byId("position").style.width = `${String(steps.length).length + 3.5}ch`;
  byId("length").textContent = ` / ${steps.length}`;
  byId("touching").addEventListener("change", (event) => {
    const name = event.target.value.trim();
    touch(name === "" ? null : name);
  });
  byId("clear").addEventListener("click", () => touch(null));
  document.addEventListener("keydown", onKey);
  window.addEventListener("hashchange", () => go(stepOfAddress() ?? 0, true));
  stepsPane.rebuild();
  // A run is read from its end: that is where it goes wrong.
  go(stepOfAddress() ?? (data.violation ? steps.length : 0), true);
  document.documentElement.dataset.ready = "true";
}

start();
