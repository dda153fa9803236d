// What the benchmark does inside JupyterLab's page, where a clock sees the frames that are painted.

const FRAMES_TO_BE_PAINTED = 2;

window.benchmark = {
  /** Run a cell and wait until it has ended. */
  async run(cell) {
    await startCell(cell);
  },

  /** Start a cell that takes long, and wait until it has begun. */
  async begin(cell) {
    startCell(cell);
    await until(() => promptOf(cell).includes("*"), 10_000);
    await pause(300);
  },

  async interrupt() {
    await kernel().interrupt();
  },

  /** What an expression is in the kernel, as `repr` writes it; `code` runs before it. */
  async ask({ code, expression }) {
    let content = { status: "aborted" }; // as is what stands in line when a cell is interrupted
    while (content.status === "aborted") {
      const future = kernel().requestExecute({
        code, store_history: false, user_expressions: { value: expression },
      });
      ({ content } = await future.done);
    }
    if (content.status !== "ok") throw new Error(`${content.ename}: ${content.evalue}`);
    const value = content.user_expressions.value;
    if (value.status !== "ok") throw new Error(`${value.ename}: ${value.evalue}`);
    return value.data["text/plain"];
  },

  /** Run the cell that shows a stepper; the milliseconds until its first words are painted. */
  async show({ cell, status, words }) {
    const start = performance.now();
    startCell(cell);
    await until(() => textAt(status).includes(words), 120_000);
    for (let frame = 0; frame < FRAMES_TO_BE_PAINTED; frame += 1) await nextFrame();
    return performance.now() - start;
  },

  /** Wait until a stepper says where it is. */
  async stands({ status, words }) {
    await until(() => textAt(status).includes(words), 60_000);
  },

  /** Click Next so many times; of each, the milliseconds until the words change and are painted.
   *
   * It stops at a click that changes nothing for `longest` milliseconds, and after as many in all.
   */
  async click({ root, status, count, rest, longest, longestInAll }) {
    const stepper = document.querySelector(root);
    const next = [...stepper.querySelectorAll("button")].find((each) => each.textContent.trim().startsWith("Next"));
    stepper.scrollIntoView({ block: "start" });
    await pause(200);
    const measured = { changed: [], painted: [], waited: null };
    const begin = performance.now();
    while (measured.changed.length < count && performance.now() - begin < longestInAll) {
      const before = textAt(status);
      const start = performance.now();
      next.click();
      if (!(await changes(stepper, () => textAt(status) !== before, longest))) {
        measured.waited = performance.now() - start;
        break;
      }
      measured.changed.push(performance.now() - start);
      await nextFrame();
      await pause(0);
      measured.painted.push(performance.now() - start);
      await pause(rest);
    }
    return measured;
  },
};

function panel() {
  return window.jupyterapp.shell.currentWidget;
}

function kernel() {
  return panel().sessionContext.session.kernel;
}

function startCell(cell) {
  panel().content.activeCellIndex = cell;
  return window.jupyterapp.commands.execute("notebook:run-cell");
}

function promptOf(cell) {
  return panel().content.widgets[cell].node.querySelector(".jp-InputPrompt").textContent;
}

function textAt(selector) {
  return document.querySelector(selector)?.textContent ?? "";
}

function nextFrame() {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}

function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function until(isSo, longest) {
  const end = performance.now() + longest;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`not so within ${longest} ms: ${isSo}`);
    await nextFrame();
  }
}

/** Whether something comes to be so in time; looked at whenever the element changes. */
function changes(element, isSo, longest) {
  if (isSo()) return Promise.resolve(true);
  return new Promise((resolve) => {
    const settle = (result) => {
      observer.disconnect();
      clearTimeout(timer);
      resolve(result);
    };
    const observer = new MutationObserver(() => isSo() && settle(true));
    const timer = setTimeout(() => settle(false), longest);
    observer.observe(element, { childList: true, characterData: true, subtree: true });
  });
}
