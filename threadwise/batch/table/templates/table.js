// Filters and sorts the rows of the one table of a page.
"use strict";
(() => {
  const body = document.querySelector("tbody");
  const rows = Array.from(body.rows);
  const filters = Array.from(document.querySelectorAll("[data-filter]"));
  const count = document.getElementById("count");

  function matches(row) {
    return filters.every((filter) => {
      if (!filter.value) return true;
      const text = row.cells[Number(filter.dataset.filter)].textContent.trim();
      return filter.tagName === "SELECT"
        ? text === filter.value
        : text.toLowerCase().includes(filter.value.toLowerCase());
    });
  }

  function show() {
    let shown = 0;
    for (const row of rows) {
      row.hidden = !matches(row);
      if (!row.hidden) shown += 1;
    }
    count.textContent = `${shown} of ${rows.length} tasks`;
  }

  function key(row, column, numeric) {
    const text = row.cells[column].textContent.trim();
    if (!numeric) return text.toLowerCase();
    return text === "" ? -Infinity : Number(text);
  }

  function sort(button) {
    const column = Number(button.dataset.sort);
    const numeric = button.dataset.numeric === "yes";
    const descending = button.getAttribute("aria-sort") === "ascending";
    for (const other of document.querySelectorAll("[data-sort]")) other.removeAttribute("aria-sort");
    button.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const keyed = rows.map((row, index) => [key(row, column, numeric), index, row]);
    const sign = descending ? -1 : 1;
    keyed.sort((a, b) => (a[0] < b[0] ? -sign : a[0] > b[0] ? sign : a[1] - b[1]));
    body.append(...keyed.map((each) => each[2]));
  }

  for (const filter of filters) {
    filter.addEventListener("input", show);
    filter.addEventListener("change", show);
  }
  for (const button of document.querySelectorAll("[data-sort]")) {
    button.addEventListener("click", () => sort(button));
  }
})();
