// The search of `kgfs web`: what is typed is asked of the store, and the pages that are found stand in a list.
"use strict";

(() => {
  const root = document.body.dataset.root;
  const place = document.querySelector("[data-search]");
  const kinds = { chunk: "Passage", fact: "Fact", entity: "Entity", topic: "Topic" };

  const form = document.createElement("form");
  form.setAttribute("role", "search");
  form.action = "#";
  const label = document.createElement("label");
  label.className = "hidden";
  label.htmlFor = "search";
  label.textContent = "Search the graph";
  const input = document.createElement("input");
  Object.assign(input, { type: "search", id: "search", placeholder: "Search   /", autocomplete: "off", spellcheck: false });
  const list = document.createElement("ul");
  Object.assign(list, { className: "found", id: "found", hidden: true });
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "What was found");
  for (const [name, value] of Object.entries({
    role: "combobox", "aria-expanded": "false", "aria-controls": "found", "aria-autocomplete": "list" })) {
    input.setAttribute(name, value);
  }
  const told = document.createElement("p");
  told.className = "hidden";
  told.setAttribute("role", "status");
  form.append(label, input);
  place.append(form, list, told);

  let asked = null;
  let waiting = 0;
  let chosen = -1;

  function options() {
    return [...list.querySelectorAll("[role='option']")];
  }

  function choose(next) {
    const all = options();
    chosen = all.length ? (next + all.length) % all.length : -1;
    all.forEach((each, at) => each.setAttribute("aria-selected", String(at === chosen)));
    if (chosen < 0) input.removeAttribute("aria-activedescendant");
    else {
      input.setAttribute("aria-activedescendant", all[chosen].id);
      all[chosen].scrollIntoView({ block: "nearest" });
    }
  }

  function show(wanted) {
    list.hidden = !wanted;
    input.setAttribute("aria-expanded", String(wanted));
    if (!wanted) choose(-1), chosen = -1, input.removeAttribute("aria-activedescendant");
  }

  function option(title, where, snippet, page, at) {
    const made = document.createElement("li");
    made.id = `found-${at}`;
    made.setAttribute("role", "option");
    made.dataset.page = page;
    const name = document.createElement("strong");
    name.textContent = title;
    const kind = document.createElement("span");
    kind.className = "where";
    kind.textContent = ` ${where}`;
    made.append(name, kind);
    if (snippet) {
      const text = document.createElement("div");
      text.className = "where";
      text.textContent = snippet;
      made.append(text);
    }
    made.addEventListener("click", () => go(page));
    return made;
  }

  function go(page) {
    location.href = root + page;
  }

  function message(text) {
    const made = document.createElement("li");
    made.setAttribute("role", "presentation");
    made.textContent = text;
    list.replaceChildren(made);
    told.textContent = text;
    show(true);
  }

  async function ask(question) {
    asked?.abort();
    asked = new AbortController();
    try {
      const answer = await fetch(`${root}api/search?q=${encodeURIComponent(question)}`, { signal: asked.signal });
      if (!answer.ok) return message((await answer.text()).trim());
      const found = await answer.json();
      if (input.value.trim() !== question) return undefined;
      const named = new Set(found.names.map((each) => each.page));
      const rows = [
        ...found.names.map((each) => [each.title, each.kind, "", each.page]),
        ...found.results.filter((each) => !named.has(each.page))
          .map((each) => [each.title, kinds[each.kind] ?? each.kind, each.snippet, each.page]),
      ];
      if (!rows.length) return message(found.said || "Nothing was found; try other words.");
      list.replaceChildren(...rows.map((row, at) => option(...row, at)));
      told.textContent = `${rows.length} found; the arrow keys choose.`;
      chosen = -1;
      show(true);
    } catch (error) {
      if (error.name !== "AbortError") message("The server does not answer; is `kgfs web` still running?");
    }
    return undefined;
  }

  input.addEventListener("input", () => {
    clearTimeout(waiting);
    const question = input.value.trim();
    if (!question) {
      asked?.abort();
      show(false);
    } else waiting = setTimeout(() => ask(question), 150);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (list.hidden || !options().length) return;
      event.preventDefault();
      choose(event.key === "ArrowDown" ? chosen + 1 : Math.max(chosen, 0) - 1);
    } else if (event.key === "Escape") show(false);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const all = options();
    if (!list.hidden && all.length) go(all[Math.max(chosen, 0)].dataset.page);
    else if (input.value.trim()) ask(input.value.trim());
  });
  document.addEventListener("click", (event) => {
    if (!place.contains(event.target)) show(false);
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      input.focus();
    }
  });
})();
