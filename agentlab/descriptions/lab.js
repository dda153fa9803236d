// The description lab's page: edit a tool's name and description, and see what becomes of the
// questions. The kernel measures; whatever it says is put into the page as text.

const MILLISECONDS_TO_REST = 500;

function percent(share) {
  return `${Math.round(100 * share)} %`;
}

function signed(points) {
  return points > 0 ? `+${points}` : `${points}`.replace("-", "−");
}

class Lab {
  constructor(model, root) {
    this.model = model;
    this.root = root;
    this.tool = 0;
    this.build();
    this.onState = () => this.draw();
    this.onMessage = (content) => this.hear(content);
    model.on("change:state", this.onState);
    model.on("msg:custom", this.onMessage);
    this.showTool(0);
    this.draw();
  }

  get state() {
    return this.model.get("state");
  }

  build() {
    this.choice = make("select", { "aria-label": gettext("Tool"), onchange: () => this.showTool(this.choice.selectedIndex) });
    this.name = make("input", { type: "text", spellcheck: "false", oninput: () => this.edited() });
    this.description = make("textarea", { rows: 8, spellcheck: "false", oninput: () => this.edited() });
    this.problem = make("p", { role: "alert", class: "agentlab-problem" });
    this.reset = button(gettext("Reset"), gettext("all tools as they were"), () => this.command("reset"));
    this.reveal = button(gettext("Ask the held-out questions"), gettext("questions that the texts were not tuned on"), () => this.command("held_out"));
    this.status = make("p", { class: "agentlab-said", role: "status", "aria-live": "polite" });
    this.waiting = make("p", { class: "agentlab-note", hidden: true }, gettext("measuring …"));
    this.figures = make("div");
    this.root.append(
      make("header", {}, make("h2", {}, gettext("Description lab")), make("p", {}, gettext("What a tool is called and what is said of it is all that a model chooses by."))),
      make("div", { class: "agentlab-bench" },
        make("div", { class: "agentlab-edit" },
          make("label", {}, gettext("Tool"), " ", this.choice),
          make("label", {}, gettext("Name"), this.name),
          make("label", {}, gettext("Description"), this.description),
          this.problem,
          make("div", {}, this.reset, " ", this.reveal)),
        make("div", {}, this.status, this.waiting, this.figures)));
    // The notebook has meanings of its own for keys, such as new cells.
    this.root.addEventListener("keydown", (event) => event.stopPropagation());
  }

  showTool(index) {
    this.tool = index;
    const { name, description } = this.state.tools[index];
    this.name.value = name;
    this.description.value = description;
  }

  edited() {
    clearTimeout(this.resting);
    const values = { tool: this.tool, name: this.name.value.trim(), description: this.description.value };
    this.resting = setTimeout(() => this.command("edit", values), MILLISECONDS_TO_REST);
  }

  command(name, values = {}) {
    this.problem.textContent = "";
    this.setBusy(true);
    try {
      this.model.send({ command: name, ...values });
    } catch {
      this.setBusy(false);
      this.problem.textContent = gettext("✗ There is no kernel to measure with: run the cell again.");
    }
  }

  setBusy(isBusy) {
    this.root.setAttribute("aria-busy", String(isBusy));
    this.waiting.hidden = !isBusy;
  }

  hear(content) {
    if (content?.answer === undefined) return;
    this.setBusy(false);
    if (content.problem) this.problem.textContent = `✗ ${content.problem}`;
    if (content.answer === "reset") this.showTool(this.tool);
  }

  draw() {
    const { tools, right, asked, accuracy, interval, began, change, better, worse, history, heldOut } = this.state;
    const selected = this.tool;
    replace(this.choice, tools.map((tool) => make("option", {}, tool.name)));
    this.choice.selectedIndex = selected;
    const points = Math.round(100 * accuracy) - Math.round(100 * began);
    this.status.textContent = gettext("{right} of {asked} questions right: {share} ({interval}), {points} points since the beginning.",
      { right, asked, share: percent(accuracy), interval, points: signed(points) });
    this.root.dataset.right = right;
    replace(this.figures, [
      make("div", { class: "agentlab-bar", "aria-hidden": "true" }, make("span", { style: `width: ${100 * accuracy}%` })),
      make("p", { class: "agentlab-note" }, change),
      turned(ngettext("{count} question turned right", "{count} questions turned right", better.length), "✓", better),
      turned(ngettext("{count} question turned wrong", "{count} questions turned wrong", worse.length), "✗", worse),
      heldOut ? make("p", {}, make("strong", {}, gettext("Held-out questions:"), " "), heldOut) : make("p", { class: "agentlab-note" }, gettext("Held-out questions: not asked since the last edit.")),
      make("details", {}, make("summary", {}, ngettext("{count} measurement", "{count} measurements", history.length)),
        make("ol", {}, history.map(({ label, right }) => make("li", {}, gettext("{label}: {right} of {asked}", { label, right, asked }))))),
    ]);
  }

  remove() {
    clearTimeout(this.resting);
    this.model.off("change:state", this.onState);
    this.model.off("msg:custom", this.onMessage);
  }
}

function turned(title, sign, questions) {
  if (!questions.length) return null;
  return make("details", { open: questions.length <= 6 }, make("summary", {}, title),
    make("ul", {}, questions.map((question) => make("li", {}, `${sign} ${question}`))));
}

function render({ model, el }) {
  const root = make("section", { class: "agentlab-stepper agentlab-lab", role: "group", "aria-label": gettext("Description lab"), "data-lm-suppress-shortcuts": "true" });
  el.append(root);
  const lab = new Lab(model, root);
  return () => lab.remove();
}

export default { render };
