// A list of which only the rows in sight are in the document, so that a run of ten thousand steps scrolls like one of ten.
// All rows have one height.

/// Rows kept above and below those in sight.
const OVERSCAN = 12;
/// Rows in the document at most, however high the window is.
const MOST_ROWS = 160;

class VirtualList {
  /// `draw(index)` makes a row; `window(first, last)` is called whenever other rows are visible.
  constructor(box, { draw, window = () => {} }) {
    this.box = box;
    this.draw = draw;
    this.window = window;
    this.inner = el("div", { class: "rows", role: "presentation" });
    this.rows = new Map();
    this.count = 0;
    this.height = 24;
    this.first = this.last = -1;
    box.append(this.inner);
    box.addEventListener("scroll", () => this.refresh(), { passive: true });
    new ResizeObserver(() => this.refresh()).observe(box);
  }

  /// Starts over with so many rows of this height.
  reset(count, height) {
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.count = count;
    this.height = height;
    this.first = this.last = -1;
    this.inner.style.height = `${count * height}px`;
    this.refresh();
  }

  refresh() {
    const top = Math.max(0, this.box.scrollTop - this.inner.offsetTop);
    const first = Math.max(0, Math.floor(top / this.height) - OVERSCAN);
    const wanted = Math.ceil(this.box.clientHeight / this.height) + 2 * OVERSCAN;
    const last = Math.min(this.count - 1, first + Math.min(wanted, MOST_ROWS));
    if (first === this.first && last === this.last) return;
    [this.first, this.last] = [first, last];
    for (const [index, row] of this.rows) {
      if (index < first || index > last) {
        row.remove();
        this.rows.delete(index);
      }
    }
    for (let index = first; index <= last; index++) if (!this.rows.has(index)) this.put(index);
    this.window(first, last);
  }

  put(index) {
    const row = this.draw(index);
    row.classList.add("row");
    row.style.transform = `translateY(${index * this.height}px)`;
    row.style.height = `${this.height}px`;
    const after = this.rows.get(index + 1);
    if (after && after.isConnected) this.inner.insertBefore(row, after);
    else this.inner.append(row);
    this.rows.set(index, row);
  }

  /// Draws rows again that look different now.
  redraw(indices) {
    for (const index of indices) {
      const row = this.rows.get(index);
      if (row) {
        row.remove();
        this.rows.delete(index);
        this.put(index);
      }
    }
  }

  redrawAll() {
    this.redraw([...this.rows.keys()]);
    if (this.first >= 0) this.window(this.first, this.last);
  }

  /// Scrolls as little as needed to have a row in sight, with some rows around it.
  reveal(index, around = 2) {
    const head = this.inner.offsetTop;
    const top = (index - around) * this.height;
    const bottom = (index + 1 + around) * this.height;
    const view = this.box.clientHeight - head;
    if (top < this.box.scrollTop) this.box.scrollTop = Math.max(0, top);
    else if (bottom > this.box.scrollTop + view) this.box.scrollTop = bottom - view;
    this.refresh();
  }
}
