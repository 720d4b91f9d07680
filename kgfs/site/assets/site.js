// Tables that sort, and lists that can be narrowed. Without this script they are read as they are.
"use strict";

(() => {
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

  function value(row, column) {
    return (row.cells[column]?.textContent ?? "").trim();
  }

  function sort(table, column, button) {
    const head = button.closest("th");
    const number = head.hasAttribute("data-number");
    const before = head.getAttribute("aria-sort");
    // Numbers begin with the greatest, words with the first.
    const rising = before ? before === "descending" : !number;
    const rows = [...table.tBodies[0].rows];
    rows.sort((one, other) => {
      const [a, b] = [value(one, column), value(other, column)];
      if (!a || !b) return a ? -1 : b ? 1 : 0; // what is empty stands last, whichever way
      const found = number ? parse(a) - parse(b) : collator.compare(a, b);
      return rising ? found : -found;
    });
    table.tBodies[0].append(...rows);
    for (const each of head.parentElement.cells) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", rising ? "ascending" : "descending");
  }

  function parse(text) {
    const number = Number.parseFloat(text.replaceAll(",", ""));
    return Number.isNaN(number) ? -Infinity : number;
  }

  function makeSortable(table) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sort(table, column, button));
      head.append(button);
    });
  }

  function makeNarrowable(table) {
    const rows = [...table.tBodies[0].rows];
    if (rows.length < 12) return;
    const box = document.createElement("div");
    box.className = "filter";
    const label = document.createElement("label");
    label.className = "hidden";
    label.textContent = `Narrow: ${table.caption?.textContent ?? "this table"}`;
    const input = document.createElement("input");
    input.type = "search";
    input.id = `${table.id}-filter`;
    input.placeholder = "Narrow this page";
    label.htmlFor = input.id;
    const output = document.createElement("output");
    output.htmlFor = input.id;
    box.append(label, input, output);
    table.closest(".table").before(box);
    const texts = rows.map((row) => row.textContent.toLocaleLowerCase());
    input.addEventListener("input", () => {
      const words = input.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      rows.forEach((row, place) => {
        row.hidden = !words.every((word) => texts[place].includes(word));
        shown += row.hidden ? 0 : 1;
      });
      output.value = words.length ? `${shown} of ${rows.length}` : "";
    });
  }

  for (const table of document.querySelectorAll("table[data-sortable]")) {
    makeSortable(table);
    makeNarrowable(table);
  }
})();
