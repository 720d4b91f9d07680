// The neighbourhood of a page as a graph that one can drag and expand, by Cytoscape.js. Without this script the picture
// stands there. Other pages are asked for their neighbourhoods where they are served; as files a browser keeps them apart.
"use strict";

(() => {
  const root = document.body.dataset.root;
  const served = location.protocol.startsWith("http");
  const kinds = ["organization", "person", "location", "concept", "event", "product", "work", "topic", "document"];
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  function colourOf(kind) {
    const name = kind.toLowerCase();
    return colour(`--kind-${kinds.includes(name) ? name : "other"}`);
  }

  function style() {
    const ink = colour("--ink"), soft = colour("--soft"), paper = colour("--paper"), line = colour("--line");
    return [
      { selector: "node", style: {
        "background-color": (node) => colourOf(node.data("kind")), label: "data(label)", color: ink,
        "font-size": 12, "font-family": "system-ui, sans-serif", width: 18, height: 18, "text-valign": "bottom",
        "text-margin-y": 4, "text-wrap": "wrap", "text-max-width": 110, "text-outline-color": paper,
        "text-outline-width": 2, "min-zoomed-font-size": 6 } },
      { selector: "node[?centre]", style: { width: 32, height: 32, "font-size": 14, "font-weight": "bold" } },
      { selector: "node[?expanded]", style: { "border-width": 3, "border-color": ink } },
      { selector: "node:selected", style: { "border-width": 3, "border-color": colour("--accent") } },
      { selector: "edge", style: {
        width: 1.4, "line-color": line, "target-arrow-color": soft, "target-arrow-shape": "triangle",
        "arrow-scale": 0.8, "curve-style": "bezier", label: "data(label)", color: soft, "font-size": 9,
        "text-rotation": "autorotate", "text-outline-color": paper, "text-outline-width": 2,
        "min-zoomed-font-size": 8 } },
      { selector: "edge[!stated]", style: { "line-style": "dashed", "target-arrow-shape": "none" } },
    ];
  }

  function elements(graph, centre) {
    const nodes = graph.nodes.map((node) => ({ group: "nodes", data: { ...node, centre } }));
    nodes.forEach((node, place) => { node.data.centre = centre && place === 0; });
    const edges = graph.edges.map((edge) => (
      { group: "edges", data: { id: `${edge.source} ${edge.label} ${edge.target}`, stated: true, ...edge } }));
    return [...nodes, ...edges];
  }

  function layout(cy, extra) {
    return cy.layout({
      name: "cose", animate: false, padding: 30, nodeDimensionsIncludeLabels: true, idealEdgeLength: 90,
      nodeRepulsion: 12000, numIter: 800, randomize: false, ...extra });
  }

  function widen(cy) { // a layout is about as wide as high, the box is wider
    const box = cy.elements().boundingBox();
    const factor = Math.min(2.2, Math.max(1, (cy.width() / cy.height()) * (box.h / box.w)));
    cy.nodes().positions((node) => ({ x: node.position("x") * factor, y: node.position("y") }));
    cy.fit(undefined, 30);
  }

  function draw(figure, graph) {
    const box = document.createElement("div");
    box.className = "drawn";
    const canvas = document.createElement("div");
    canvas.className = "canvas";
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${figure.querySelector("img").alt}; the tables say the same`);
    box.append(canvas);
    const tools = document.createElement("div");
    tools.className = "tools";
    const output = document.createElement("output");
    figure.querySelector("a")?.remove();
    figure.prepend(box, tools); // before it is drawn: it needs a size
    const cy = window.cytoscape({
      container: canvas, elements: elements(graph, true), style: style(), minZoom: 0.2, maxZoom: 3,
      userZoomingEnabled: false, layout: { name: "circle", radius: 220 }, boxSelectionEnabled: false });
    layout(cy).run();
    widen(cy);
    const rest = "Drag a node; click it to choose it.";
    output.value = rest;

    const buttons = {};
    function button(name, words, act, needsNode) {
      const made = document.createElement("button");
      made.type = "button";
      made.className = "button";
      made.textContent = words;
      made.disabled = Boolean(needsNode);
      made.addEventListener("click", act);
      buttons[name] = made;
      tools.append(made);
    }
    const chosen = () => cy.$("node:selected").first();
    const centre = () => ({ x: cy.width() / 2, y: cy.height() / 2 });
    button("open", "Open", () => open(chosen()), true);
    if (served) button("expand", "Expand", () => expand(chosen()), true);
    button("closer", "Zoom in", () => cy.zoom({ level: cy.zoom() * 1.3, renderedPosition: centre() }));
    button("away", "Zoom out", () => cy.zoom({ level: cy.zoom() / 1.3, renderedPosition: centre() }));
    button("whole", "Show all", () => cy.fit(undefined, 30));
    tools.append(output);

    function open(node) {
      if (node.nonempty() && node.data("href")) location.href = root + node.data("href");
    }

    async function expand(node) {
      if (node.empty() || node.data("expanded")) return;
      buttons.expand.disabled = true;
      try {
        const answer = await fetch(root + node.data("href"));
        if (!answer.ok) throw new Error(answer.statusText);
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const data = page.querySelector("figure[data-graph] script[type='application/json']");
        const more = data ? elements(JSON.parse(data.textContent), false) : [];
        const fresh = more.filter((each) => cy.getElementById(each.data.id).empty());
        node.data("expanded", true);
        const { x, y } = node.position();
        fresh.filter((each) => each.group === "nodes").forEach((each, place) => {
          each.position = { x: x + 80 * Math.cos(place), y: y + 80 * Math.sin(place) };
        });
        const added = fresh.filter((each) => each.group === "nodes").length;
        cy.add(fresh);
        layout(cy, { animate: calm ? false : "end", fit: true }).run();
        output.value = added ? `${added} more near ${node.data("label")}.` : `Nothing more is near ${node.data("label")}.`;
      } catch {
        output.value = `The page of ${node.data("label")} did not answer; open it instead.`;
        buttons.expand.disabled = false;
      }
    }

    cy.on("select unselect", "node", () => {
      const node = chosen();
      buttons.open.disabled = node.empty() || node.data("centre");
      if (served) buttons.expand.disabled = node.empty() || Boolean(node.data("expanded") || node.data("centre"));
      output.value = node.nonempty() ? `${node.data("label")} (${node.data("kind")})` : rest;
    });
    cy.on("dbltap", "node", (event) => (served && !event.target.data("centre") ? expand(event.target) : open(event.target)));
    canvas.addEventListener("wheel", (event) => { // the page scrolls; with Ctrl the graph is zoomed
      if (!event.ctrlKey) return;
      event.preventDefault();
      const at = canvas.getBoundingClientRect();
      const position = { x: event.clientX - at.left, y: event.clientY - at.top };
      cy.zoom({ level: cy.zoom() * (event.deltaY < 0 ? 1.15 : 1 / 1.15), renderedPosition: position });
    }, { passive: false });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => cy.style(style()));
    figure.cy = cy;
  }

  if (!window.cytoscape) return;
  // Cytoscape adds a style element, which the policy of these pages refuses, unless one of this name is there:
  // its only rule gives the box a position, which site.css does.
  const styled = document.createElement("meta");
  styled.id = "__________cytoscape_stylesheet";
  document.head.append(styled);
  for (const figure of document.querySelectorAll("figure[data-graph]")) {
    const data = figure.querySelector("script[type='application/json']");
    const graph = data ? JSON.parse(data.textContent) : { nodes: [] };
    if (graph.nodes.length > 1) draw(figure, graph);
  }
})();
