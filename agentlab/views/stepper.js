// The Stepper's page: it draws one event of a run and moves between events.
//
// It gets the run once (payload.py says in what form) and needs no kernel to move in it. What
// changes the run (the next event of a live one, a yes, an edit) is asked of the kernel by a command.
// Whatever a model or a tool wrote is put into the page as text, never as markup.

const PAYLOAD_VERSION = 1;
const LONGEST_TEXT = 4000;
const LONGEST_JSON = 20000;
const LONGEST_QUOTE = 60;
const SHORT_INPUT = 60;
const LISTED_EVENTS = 200;
const LISTED_MESSAGES = 50;
const MILLISECONDS_PER_EVENT = 1200;
const MILLISECONDS_TO_CONNECT = 700;
const MILLISECONDS_TO_ANSWER = 3000;
const MILLISECONDS_BETWEEN_PINGS = 5000;
const COMPARED_EVENTS = 12;

const REQUESTS = ["replied", "failed", "asking"];
const MESSAGES_OF_A_STEP = 2;

const CONTROL = /\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]/g;

const BLOCKS = {
  goal: { title: gettext("goal"), note: gettext("what is asked") },
  model: { title: gettext("model"), note: gettext("decides") },
  tools: { title: gettext("tools"), note: gettext("are called") },
  environment: { title: gettext("environment"), note: gettext("is acted on") },
};

const ERRORS = {
  failed: gettext("failed"),
  unknown_tool: gettext("unknown tool"),
  invalid_arguments: gettext("invalid arguments"),
  denied: gettext("denied"),
  not_run: gettext("not run"),
};

const KEYS = [
  ["→  ←", gettext("next event, previous event; at the end of a live run → lets the next one happen")],
  [gettext("Home  End"), gettext("first event, last event")],
  [gettext("Page Down  Page Up"), gettext("next reply, previous reply of the model")],
  [gettext("Space"), gettext("play or pause")],
  ["1 … 5", gettext("transcript, request, difference, reply, context")],
  [gettext("6 or t"), gettext("the whole run as text")],
  ["7, 8", gettext("change the run, branches of it")],
  ["?", gettext("show or hide this help")],
];

// --- reading the payload

/** Put together what the payload says only where it changes. */
function decode(payload) {
  const settings = [];
  for (const change of payload.settings) settings.push(merged(settings.at(-1) ?? {}, change));
  const carried = { step: 0, agent: "", settings: 0, context: {} };
  const run = { ...payload, settings, events: [] };
  const sums = { input: 0, output: 0, cost: 0, costIsKnown: true, ms: 0, timeIsKnown: false };
  let reply = {};
  let before = { shown: [], request: null, lastCall: [0, -1] };
  for (const written of payload.events) {
    if (written.kind === "replied") carried.step += 1;
    for (const name of Object.keys(carried)) if (name in written) carried[name] = written[name];
    const event = { ...written, ...carried, index: run.events.length };
    if (written.kind === "asking") event.step += 1; // a step begins with a reply, and it has none yet
    fillIn(event, before, run);
    if (REQUESTS.includes(written.kind)) {
      event.requestBefore = before.request;
      event.settingsBefore = before.settings;
      event.isRequest = true;
    } else {
      event.request = before.request;
    }
    if (written.kind === "replied") {
      reply = merged(reply, written.reply);
      const place = written.reply.content ?? lengthOf(event.request);
      event.reply = { ...reply, content: run.messages[place].content };
      event.replyPlace = written.shown ?? place;
      event.cost ??= usualCost(event, run);
      addUp(sums, event);
    } else {
      event.reply = ["failed", "asking"].includes(written.kind) ? null : before.reply;
      event.replyPlace = before.replyPlace;
    }
    if (event.ms !== undefined) {
      sums.ms += event.ms;
      sums.timeIsKnown = true;
    }
    event.shown = messagesShown(event, before, run);
    event.sums = { ...sums };
    run.events.push(event);
    before = event;
  }
  return run;
}

/** What goes without saying: where a request, a call or a result usually stands. */
function fillIn(event, before, run) {
  if (REQUESTS.includes(event.kind)) {
    event.request = asRanges(event.request ?? lengthOf(before.request) + MESSAGES_OF_A_STEP);
  }
  if (event.kind === "tool_called" && !event.call) {
    const start = before.lastCall[1] + 1;
    const at = blocksOf(run.messages[before.replyPlace]).findIndex((block, index) => index >= start && block.type === "tool_use");
    event.call = [before.replyPlace, at];
  }
  if (event.kind === "tool_returned" && !event.result) {
    event.result = before.lastResult ? [before.lastResult[0], before.lastResult[1] + 1] : [before.replyPlace + 1, 0];
  }
  const isNew = event.kind === "replied";
  event.lastCall = event.call ?? (isNew ? [0, -1] : before.lastCall);
  event.lastResult = event.result ?? (isNew ? undefined : before.lastResult);
}

/** `old` with the changes of `change`; the name "-" lists what is gone. */
function merged(old, change) {
  const result = { ...old };
  for (const [name, value] of Object.entries(change)) {
    if (name === "-") for (const gone of value) delete result[gone];
    else result[name] = isObject(value) && isObject(old[name]) ? merged(old[name], value) : value;
  }
  return result;
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function asRanges(places) {
  return typeof places === "number" ? [[0, places]] : places;
}

function lengthOf(ranges) {
  return ranges.reduce((sum, [start, end]) => sum + end - start, 0);
}

function placesOf(ranges) {
  return ranges.flatMap(([start, end]) => Array.from({ length: end - start }, (_, at) => start + at));
}

/** Which messages stand in the transcript at an event, and how many blocks of the last one. */
function messagesShown(event, before, run) {
  switch (event.kind) {
    case "replied":
      return { ranges: [...event.request, [event.replyPlace, event.replyPlace + 1]] };
    case "failed":
    case "asking":
      return { ranges: event.request };
    case "tool_returned": {
      const [place, block] = event.result;
      const last = before.shown.ranges?.at(-1);
      const known = last && last[0] === place;
      const ranges = known ? before.shown.ranges : [...(before.shown.ranges ?? []), [place, place + 1]];
      return { ranges, blocks: Math.max(block + 1, known ? before.shown.blocks ?? 0 : 0) };
    }
    case "reminded":
      return { ranges: [...(before.request ?? []), [event.reminder, event.reminder + 1]] };
    case "stopped":
      return { ranges: before.shown.ranges ?? [[0, run.transcript]] };
    default:
      return { ...before.shown, ranges: before.shown.ranges ?? [] };
  }
}

/** Dollars at the model's rates for tokens in and out, which is the cost unless the run says otherwise. */
function usualCost(event, run) {
  const rates = run.rates[run.settings[event.settings].model];
  const { input_tokens: sent, output_tokens: written } = event.reply.usage ?? {};
  return rates && ((sent ?? 0) * rates[0] + (written ?? 0) * rates[1]) / 1e6;
}

function addUp(sums, event) {
  sums.input += event.reply.usage?.input_tokens ?? 0;
  sums.output += event.reply.usage?.output_tokens ?? 0;
  if (event.cost === undefined) sums.costIsKnown = false;
  else sums.cost += event.cost;
}

// --- words

/** What an event means, in half a sentence; Python says the same in words.py. */
function said(event, run) {
  switch (event.kind) {
    case "replied":
      return saidByTheModel(event.reply);
    case "tool_called":
      return gettext("{name} is called", { name: callOf(event, run).name });
    case "tool_returned": {
      const text = quoted(textOf(resultOf(event, run).content));
      return filled(run.went[event.status ?? "ran"], { name: nameAnswered(event, run), text });
    }
    case "handed_off":
      return gettext("{agent} handed over to {successor}", event);
    case "reminded":
      return gettext("the model said nothing and is asked to go on");
    case "failed":
      return gettext("the API answered {status}: {problem}", { status: event.status, problem: quoted(event.problem) });
    case "stopped":
      return gettext("the run stopped: {reason}", event);
    case "asking":
      return ngettext("the loop is about to send {count} message", "the loop is about to send {count} messages", lengthOf(event.request));
    default:
      return gettext("an event of a kind that this view does not know: {kind}", event);
  }
}

function saidByTheModel(reply) {
  const blocks = blocksOf(reply);
  const names = blocks.filter((block) => block.type === "tool_use").map((block) => `${block.name}`);
  if (names.length) return gettext("the model asked for {names}", { names: listed(names) });
  const text = blocks.filter((block) => block.type === "text").map((block) => block.text).join("");
  return text.trim() ? gettext("the model answered {text}", { text: quoted(text) }) : gettext("the model said nothing");
}

function listed(names) {
  return names.length > 1 ? gettext("{names} and {last}", { names: names.slice(0, -1).join(", "), last: names.at(-1) }) : names[0];
}

function quoted(text) {
  const words = clean(text.slice(0, 20 * LONGEST_QUOTE)).trim().split(/\s+/).join(" ");
  const letters = [...words];
  return letters.length <= LONGEST_QUOTE ? `'${words}'` : `'${letters.slice(0, LONGEST_QUOTE).join("")}…'`;
}

function clean(text) {
  return text.replace(CONTROL, "");
}

function dollars(amount) {
  return `$${amount.toFixed(amount < 0.1 ? 5 : 2)}`;
}

/** More that a listener needs to know, who cannot see the blocks and the marks. */
function added(event, run) {
  const parts = [];
  if (event.kind === "replied" && event.reply.stop_reason) parts.push(`stop_reason ${event.reply.stop_reason}`);
  if (event.kind === "tool_called") parts.push(verdict(event.misfits));
  const broken = brokenAt(event, run);
  if (broken.length) parts.push(ngettext("{count} broken rule: {problem}", "{count} broken rules: {problem}", broken.length, broken[0]));
  return parts.length ? ` (${parts.join("; ")})` : "";
}

function verdict(misfits) {
  return misfits ? gettext("its input does not fit the schema") : gettext("its input fits the schema");
}

// --- finding things in a run

function blocksOf(message) {
  const content = message?.content;
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return content === undefined ? [] : [{ type: gettext("unreadable content"), content }];
  return content.map((block) => (isObject(block) ? block : { type: gettext("unreadable block"), block }));
}

function blockAt([place, at], run) {
  return blocksOf(run.messages[place])[at] ?? {};
}

function callOf(event, run) {
  return blockAt(event.call, run);
}

function resultOf(event, run) {
  return blockAt(event.result, run);
}

function nameAnswered(event, run) {
  const id = resultOf(event, run).tool_use_id;
  for (let at = event.index; at >= 0; at -= 1) {
    const earlier = run.events[at];
    if (earlier.kind === "tool_called" && callOf(earlier, run).id === id) return callOf(earlier, run).name;
  }
  return gettext("a tool");
}

function textOf(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content == null ? "" : JSON.stringify(content);
  return content.map((block) => block?.text ?? `(${block?.type})`).join("\n");
}

function brokenAt(event, run) {
  return run.broken.filter((broken) => broken.event === event.index);
}

/** The blocks at work: which of the four is active, and whether its result goes back. */
function atWork(event) {
  const reached = ["ran", "failed"].includes(event.status ?? "ran");
  switch (event.kind) {
    case "tool_called":
      return { active: "tools" };
    case "tool_returned":
      return { active: reached ? "environment" : "tools", feedback: true };
    case "begin":
    case "stopped":
    case "reminded":
      return { active: "goal" };
    default:
      return { active: "model" };
  }
}

// --- making elements

/** A long text is cut, says so, and can be shown whole. */
function longText(text, tag, longest) {
  const whole = clean(text);
  const holder = make(tag, { class: "agentlab-text" }, whole.slice(0, longest));
  if (whole.length <= longest) return holder;
  const more = button(ngettext("show {count} more character", "show {count} more characters", whole.length - longest), undefined, () => {
    holder.textContent = whole;
    more.remove();
  });
  return make("div", {}, holder, more);
}

function json(value) {
  const text = longText(JSON.stringify(value, null, 2) ?? gettext("nothing"), "pre", LONGEST_JSON);
  const pre = text.matches("pre") ? text : text.querySelector("pre");
  pre.tabIndex = 0; // it may scroll, and a keyboard must be able to
  return text;
}

function mark(kind, ...words) {
  return make("span", { class: `agentlab-mark agentlab-${kind}` }, ...words);
}

// --- the four blocks

function drawBlocks(event) {
  const { active, feedback } = atWork(event);
  const boxes = Object.entries(BLOCKS).flatMap(([name, { title, note }], at) => [
    at ? make("li", { class: "agentlab-arrow", "aria-hidden": "true" }, "→") : null,
    make(
      "li",
      { class: "agentlab-block", "data-block": name, "aria-current": name === active ? "true" : undefined },
      make("strong", {}, title),
      make("span", {}, name === active ? gettext("● at work") : note),
    ),
  ]);
  const edge = make(
    "p",
    { class: "agentlab-feedback", "data-lit": feedback ? "true" : "false" },
    // Translators: it stands behind the word tool_result, where there is room for it.
    make("span", {}, feedback ? ["▲ tool_result", make("span", { class: "agentlab-wide" }, " ", gettext("goes back to the model"))] : gettext("feedback")),
  );
  return make("div", { class: "agentlab-blocks" }, make("ol", { "aria-label": gettext("The four blocks") }, boxes), edge);
}

// --- the transcript

function drawTranscript(event, run) {
  const places = placesOf(event.shown.ranges ?? []);
  const before = run.events[event.index - 1];
  const old = new Set(placesOf((before ? before.shown.ranges : event.request) ?? []));
  const answered = resultsAmong(places, event, run);
  const entries = places.map((place, index) => ({ place, index, isNew: !old.has(place) }));
  const sent = event.request ? lengthOf(event.request) : 0;
  const open = entries.slice(Math.max(0, Math.min(sent - 1, entries.length - 1)));
  const folded = entries.slice(0, entries.length - open.length);
  const grown = entries.filter((entry) => entry.isNew).length;
  return [
    make("p", { class: "agentlab-note" }, growth(entries.length, grown, event)),
    folded.length ? foldedMessages(folded, run) : null,
    open.map((entry) => drawMessage(entry, event, run, answered)),
  ];
}

function growth(count, grown, event) {
  return ngettext("{count} message in the transcript; {change}.", "{count} messages in the transcript; {change}.", count, { change: addition(grown, event) });
}

function addition(grown, event) {
  if (grown) return ngettext("this event added {count} message", "this event added {count} messages", grown);
  return event.kind === "tool_returned" ? gettext("this event added a tool_result to the last message") : gettext("this event added no message");
}

/** Earlier messages, one line each and the newest first to be seen; drawn when they are opened. */
function foldedMessages(entries, run) {
  const list = make("ol", { class: "agentlab-folded" });
  const details = make("details", {}, make("summary", {}, ngettext("{count} earlier message", "{count} earlier messages", entries.length)), list);
  let first = entries.length;
  const more = button(gettext("show earlier ones"), undefined, () => showMore());
  const showMore = () => {
    const start = Math.max(0, first - LISTED_MESSAGES);
    list.prepend(...entries.slice(start, first).map((entry) => foldedMessage(entry, run)));
    first = start;
    more.hidden = first === 0;
  };
  details.addEventListener("toggle", () => details.open && first === entries.length && showMore());
  details.insertBefore(more, list);
  more.hidden = true;
  return details;
}

function foldedMessage({ place, index }, run) {
  const message = run.messages[place];
  return make("li", {}, make("details", {},
    make("summary", {}, `${index}  ${roleOf(message)}: ${summaryOf(message)}`),
    json(message)));
}

function roleOf(message) {
  return String(message?.role ?? gettext("message without a role"));
}

function summaryOf(message) {
  return blocksOf(message).map(summaryOfBlock).join(", ") || gettext("no content");
}

function summaryOfBlock(block) {
  if (block.type === "text") return quoted(`${block.text}`);
  if (block.type === "tool_use") return `tool_use ${block.name}`;
  if (block.type === "tool_result") return `tool_result ${quoted(textOf(block.content))}`;
  return `${block.type}`;
}

/** The tool_results in view, by the id they answer: block, and the message it stands in. */
function resultsAmong(places, event, run) {
  const found = new Map();
  places.forEach((place, index) => {
    const isLast = index === places.length - 1;
    const count = isLast && event.shown.blocks ? event.shown.blocks : undefined;
    blocksOf(run.messages[place]).slice(0, count).forEach((block, at) => {
      if (block.type === "tool_result") found.set(block.tool_use_id, { block, index, place, at });
    });
  });
  return found;
}

function drawMessage(entry, event, run, answered) {
  const message = run.messages[entry.place];
  const isLast = event.shown.ranges.at(-1)[0] === entry.place;
  const shown = blocksOf(message).slice(0, isLast ? event.shown.blocks : undefined);
  return make(
    "section",
    { class: "agentlab-message", "data-role": roleOf(message), "data-new": entry.isNew ? "true" : undefined },
    make("h3", {}, make("span", { class: "agentlab-index" }, gettext("message {number}", { number: entry.index })), ` ${roleOf(message)} `,
      entry.isNew ? mark("new", gettext("+ new")) : null),
    shown.length ? shown.map((block, at) => drawBlock(block, at, entry, event, run, answered)) : gettext("(no content)"),
  );
}

function drawBlock(block, at, entry, event, run, answered) {
  if (block.type === "text") return longText(`${block.text}`, "p", LONGEST_TEXT);
  if (block.type === "thinking") return drawThinking(block.thinking || gettext("(not shown by the API)"));
  if (block.type === "tool_use") return drawPair(block, at, entry, event, run, answered);
  if (block.type === "tool_result") return drawPlacedResult(block, at, entry, event, run);
  return make("div", {}, make("p", { class: "agentlab-note" }, gettext("a block of type {type}, shown as it is:", block)), json(block));
}

function drawThinking(text) {
  return make("p", { class: "agentlab-thinking" }, gettext("thinking: {text}", { text }));
}

/** A tool_use and, beside it, the tool_result that answers its id. */
function drawPair(block, at, entry, event, run, answered) {
  const result = answered.get(block.id);
  const calledAt = run.events.find((each) => each.kind === "tool_called" && each.call[0] === entry.place && each.call[1] === at);
  const isNow = event.kind === "tool_called" && calledAt === event;
  return make("div", { class: "agentlab-pair" },
    make("div", { class: "agentlab-card", "data-now": isNow ? "true" : undefined },
      make("h4", {}, make("span", {}, "tool_use "), make("strong", {}, `${block.name}`)),
      drawInput(block.input),
      drawVerdict(calledAt),
      idLine(block.id),
      calledAt ? editInput(block, calledAt.step, run) : null),
    result && result.index > entry.index ? drawResult(result, event, run) : make("div", { class: "agentlab-card agentlab-waiting" }, gettext("no tool_result yet")));
}

/** A short input on one line, a longer one with a line for each argument. */
function drawInput(input) {
  const entries = isObject(input) ? Object.entries(input) : [];
  const line = `{${entries.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(", ")}}`;
  return isObject(input) && line.length <= SHORT_INPUT ? make("pre", { tabindex: 0 }, clean(line)) : json(input);
}

function drawVerdict(event) {
  if (!event) return null;
  if (!event.misfits) return make("p", {}, mark("fits", gettext("✓ input fits the schema")));
  return make("div", {}, mark("error", gettext("✗ input does not fit")), make("ul", {}, event.misfits.map((each) => make("li", {}, each))));
}

function drawResult({ block, place, at }, event, run) {
  const isNow = event.kind === "tool_returned" && event.result[0] === place && event.result[1] === at;
  const returned = run.events.find((each) => each.kind === "tool_returned" && each.result[0] === place && each.result[1] === at);
  return make("div", { class: "agentlab-card", "data-error": block.is_error ? "true" : undefined, "data-now": isNow ? "true" : undefined },
    make("h4", {}, make("span", {}, "tool_result "), isNow ? mark("new", gettext("+ new")) : null),
    block.is_error ? make("p", {}, mark("error", gettext("✗ error")), returned?.status ? ` ${ERRORS[returned.status]}` : "") : null,
    longText(textOf(block.content), "p", LONGEST_TEXT),
    cutNote(place, at, run),
    returned?.printed ? make("details", {}, make("summary", {}, gettext("printed by the tool; the model does not see it")), longText(returned.printed, "pre", LONGEST_TEXT)) : null,
    idLine(block.tool_use_id),
    returned ? editResult(block, returned.step, run) : null);
}

// --- changing the run

/** A form behind a summary: a text, perhaps a mark, and the button that runs again from here. */
function form(title, text, run, changeOf, mark = null) {
  const field = make("textarea", { "aria-label": title, rows: Math.min(12, 2 + text.split("\n").length), spellcheck: "false" });
  field.value = text;
  const problem = make("p", { role: "alert", class: "agentlab-problem" });
  const submit = button(gettext("Run again from here"), undefined, () => {
    let change;
    try {
      change = changeOf(field.value);
    } catch (error) {
      problem.textContent = `✗ ${error.message}`;
      return;
    }
    problem.textContent = "";
    run.fork(change, problem);
  });
  return make("details", { class: "agentlab-edit" }, make("summary", {}, title), field, mark, submit, problem);
}

function editInput(block, step, run) {
  if (!run.fork) return null;
  return form(gettext("edit this input"), JSON.stringify(block.input, null, 2) ?? "{}", run, (text) => {
    const input = JSON.parse(text);
    if (!isObject(input)) throw new Error(gettext("an input is a JSON object: {…}"));
    return { step, change: { kind: "input", call: block.id, input } };
  });
}

function editResult(block, step, run) {
  if (!run.fork) return null;
  const isError = make("input", { type: "checkbox", checked: Boolean(block.is_error) });
  return form(gettext("edit this result"), textOf(block.content), run,
    (text) => ({ step, change: { kind: "result", call: block.tool_use_id, text, is_error: isError.checked } }),
    make("label", {}, isError, " is_error"));
}

function drawChange(event, run) {
  if (!run.fork) return [make("p", {}, gettext("Changing a run needs a running kernel: run the cell that made this Stepper."))];
  const { step } = event;
  const request = { ...run.settings[event.settings] };
  const question = lastText(run.messages[placesOf(run.events.find((each) => each.isRequest)?.request ?? []).at(-1)]);
  const problem = make("p", { role: "alert", class: "agentlab-problem" });
  return [
    make("p", { class: "agentlab-note" }, gettext("What is changed makes a branch beside this one, from step {step} on. What came before is kept, and its tools are not run again. Inputs and results are edited in the transcript.", event)),
    make("div", {}, button(gettext("Ask the model again"), gettext("send the request of step {step} once more", event), () => run.fork({ step, change: null }, problem)), problem),
    form(gettext("the question (from the beginning)"), question, run, (text) => ({ step: 1, change: { kind: "question", text } })),
    form(gettext("the system prompt"), systemText(request.system), run, (text) => ({ step, change: { kind: "system", text } })),
    (request.tools ?? []).filter((tool) => tool.input_schema).map((tool) => form(gettext("the description of {name}", tool), tool.description ?? "", run,
      (text) => ({ step, change: { kind: "description", tool: tool.name, text } }))),
  ];
}

function lastText(message) {
  return blocksOf(message).filter((block) => block.type === "text").map((block) => block.text).join("\n");
}

function systemText(system) {
  return Array.isArray(system) ? system.map((block) => block.text ?? "").join("\n\n") : system ?? "";
}

// --- the run as text

function drawText(event, run) {
  const lines = run.events.slice(0, event.index + 1).map((each) => `${each.index + 1}. ${said(each, run)}${added(each, run)}`);
  return [make("p", { class: "agentlab-note" }, gettext("What has happened up to event {number}:", { number: event.index + 1 })), longText(lines.join("\n"), "pre", LONGEST_JSON)];
}

// --- the branches

function drawBranches(event, run) {
  const { list, current, show, runOf } = run.tree;
  if (list.length < 2) return [make("p", {}, gettext("There is one branch: the run as it was. An edit makes another one beside it."))];
  const childrenOf = (parent) => list.filter((branch) => branch.parent === parent);
  const draw = (branch) => make("li", {},
    make("button", { type: "button", class: "agentlab-button", "aria-current": branch.id === current ? "true" : undefined, onclick: () => show(branch.id) },
      branch.parent === null ? `${branch.id}: ${branch.change}` : gettext("{id}: {change} at step {step}", branch)),
    make("span", { class: "agentlab-note" }, ` ${branch.headline}`),
    childrenOf(branch.id).length ? make("ol", {}, childrenOf(branch.id).map(draw)) : null);
  const own = list[current];
  const other = own.parent ?? childrenOf(current).at(-1)?.id ?? list.at(-1).id;
  return [
    make("ol", { class: "agentlab-tree", "aria-label": gettext("Branches") }, childrenOf(null).map(draw)),
    sideBySide([other, current].sort((one, two) => one - two).map((id) => ({ id, run: id === current ? run : runOf(id) }))),
  ];
}

/** Two branches from the event in which they part. */
function sideBySide(sides) {
  const words = sides.map((side) => side.run.events.map((event) => wordsAndContent(event, side.run)));
  let parted = 0;
  while (parted < words[0].length && words[0][parted] === words[1][parted]) parted += 1;
  return make("div", {},
    make("h3", {}, gettext("They part at event {number}", { number: parted + 1 })),
    make("div", { class: "agentlab-pair" }, sides.map(({ id, run }) => make("div", { class: "agentlab-card" },
      make("h4", {}, gettext("branch {id}", { id })),
      make("ol", {}, run.events.slice(parted, parted + COMPARED_EVENTS).map((event) => make("li", {}, `${event.index + 1}. ${said(event, run)}`))),
      run.events.length > parted ? null : make("p", { class: "agentlab-note" }, gettext("nothing more has happened here"))))));
}

function wordsAndContent(event, run) {
  const content = { tool_called: () => callOf(event, run).input, tool_returned: () => resultOf(event, run).content, replied: () => [event.reply.content, run.settings[event.settings]] };
  return JSON.stringify([said(event, run), content[event.kind]?.()]);
}

function cutNote(place, at, run) {
  const length = run.cut[`${place}.${at}`];
  if (!length) return null;
  return make("p", { class: "agentlab-note" }, ngettext("Cut for this view: the result has {count} character; the run itself holds them all.",
    "Cut for this view: the result has {count} characters; the run itself holds them all.", length));
}

function idLine(id) {
  return make("p", { class: "agentlab-id" }, `id ${id}`);
}

/** A tool_result at its own place in the transcript: in full only where no call stands above it. */
function drawPlacedResult(block, at, entry, event, run) {
  const asked = placesOf(event.shown.ranges).some((place) => place < entry.place
    && blocksOf(run.messages[place]).some((each) => each.type === "tool_use" && each.id === block.tool_use_id)
    && (event.request ? place >= lengthOf(event.request) - 1 : true));
  if (asked) return make("p", { class: "agentlab-note" }, gettext("tool_result for {id}, shown beside its call", { id: block.tool_use_id }));
  return drawResult({ block, place: entry.place, at }, event, run);
}

// --- the request, what it adds, the reply, the context

function requestOf(event, run) {
  return { ...run.settings[event.settings], messages: placesOf(event.request).map((place) => run.messages[place]) };
}

function drawRequest(event, run) {
  if (!event.request) return [make("p", {}, gettext("No request has been sent."))];
  const note = Object.keys(run.cut).length
    ? gettext("Request of step {step}, as messages.create sends it (long results cut):", event)
    : gettext("Request of step {step}, as messages.create sends it:", event);
  return [make("p", { class: "agentlab-note" }, note), json(requestOf(event, run))];
}

function drawReply(event, run) {
  const answer = event.kind === "failed" ? event.error : event.reply;
  if (!answer) return [make("p", {}, gettext("No reply has come."))];
  return [make("p", { class: "agentlab-note" }, gettext("Reply of step {step}, as the API gave it:", event)), json(answer)];
}

/** What the step's request has that the one before had not, and the other way round. */
function drawDifference(event, run) {
  let asking = event;
  while (asking && !asking.isRequest) asking = run.events[asking.index - 1];
  if (!asking) return [make("p", {}, gettext("No request has been sent."))];
  const before = asking.requestBefore;
  if (!before) return [make("p", {}, gettext("This is the first request: all of it is new. The next one repeats it and adds to it."))];
  const [old, now] = [placesOf(before), placesOf(asking.request)];
  let kept = 0;
  while (kept < old.length && old[kept] === now[kept]) kept += 1;
  return [
    make("p", { class: "agentlab-note" }, gettext("The request of step {step} against the request before it:", asking)),
    settingsChanged(run.settings[asking.settingsBefore], run.settings[asking.settings]),
    make("p", {}, ngettext("= {count} message sent again, unchanged", "= {count} messages sent again, unchanged", kept)),
    old.slice(kept).map((place) => run.messages[place]).map((message) => differing("minus", gettext("− taken out: {role}", { role: roleOf(message) }), message)),
    now.slice(kept).map((place) => run.messages[place]).map((message) => differing("plus", gettext("+ added: {role}", { role: roleOf(message) }), message)),
  ];
}

function settingsChanged(old, now) {
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const changed = names.filter((name) => JSON.stringify(old[name]) !== JSON.stringify(now[name]));
  if (!changed.length) return make("p", {}, gettext("= {names}: unchanged", { names: names.join(", ") }));
  return changed.map((name) => make("div", { class: "agentlab-difference" }, make("h4", {}, gettext("± {name} changed", { name })), gettext("from"), json(old[name]), gettext("to"), json(now[name])));
}

function differing(kind, title, message) {
  return make("div", { class: `agentlab-difference agentlab-${kind}` }, make("h4", {}, title), json(message));
}

function drawContext(event, run) {
  const before = run.events[event.index - 1]?.context ?? {};
  const names = Object.keys(event.context);
  if (!names.length) return [make("p", {}, gettext("There are no context variables: nothing that tools share and the model does not see."))];
  const rows = names.map((name) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, clean(JSON.stringify(event.context[name]) ?? "")),
    make("td", {}, JSON.stringify(before[name]) === JSON.stringify(event.context[name]) ? "" : mark("new", gettext("+ changed")))));
  return [make("p", { class: "agentlab-note" }, gettext("Variables that tools share and the model never sees:")), make("table", {}, make("tbody", {}, rows))];
}

const PANELS = {
  transcript: { title: gettext("transcript"), draw: drawTranscript },
  request: { title: gettext("request"), draw: drawRequest },
  difference: { title: gettext("difference"), draw: drawDifference },
  reply: { title: gettext("reply"), draw: drawReply },
  context: { title: gettext("context"), draw: drawContext },
  text: { title: gettext("text"), draw: drawText },
  change: { title: gettext("change"), draw: drawChange },
  branches: { title: gettext("branches"), draw: drawBranches },
};

// --- facts and broken rules

function drawFacts(event, run) {
  const usage = event.reply?.usage ?? {};
  const { sums } = event;
  const step = taken(usage.input_tokens ?? 0, usage.output_tokens ?? 0, costOf(event, run), timeOf(event, run));
  const total = taken(sums.input, sums.output, sums.costIsKnown ? sums.cost : undefined, sums.timeIsKnown ? sums.ms : undefined);
  const reason = event.kind === "stopped" ? event.reason : event.reply?.stop_reason;
  const meaning = run.next[reason] ?? gettext("the run is over");
  return make("dl", { class: "agentlab-facts" },
    fact(gettext("agent"), event.agent || "–"),
    fact(gettext("this step"), step),
    fact(gettext("so far"), total),
    fact("stop_reason", reason ? `${reason}: ${meaning}` : "–"));
}

/** What was taken in tokens, and in dollars and milliseconds where those are known. */
function taken(sent, written, cost, time) {
  const parts = [ngettext("{count} token in, {written} out", "{count} tokens in, {written} out", sent, { written: written.toLocaleString("en") })];
  if (cost !== undefined) parts.push(gettext("about {amount}", { amount: dollars(cost) }));
  if (time !== undefined) parts.push(seconds(time));
  return parts.join(", ");
}

function costOf(event, run) {
  let at = event.index;
  while (at >= 0 && run.events[at].step === event.step) {
    if (run.events[at].kind === "replied") return run.events[at].cost;
    at -= 1;
  }
  return undefined;
}

/** Milliseconds of a step up to an event, as far as somebody measured them. */
function timeOf(event, run) {
  let sum;
  for (let at = event.index; at >= 0 && run.events[at].step === event.step; at -= 1) {
    if (run.events[at].ms !== undefined) sum = (sum ?? 0) + run.events[at].ms;
  }
  return sum;
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(ms < 100 ? 3 : 2)} s`;
}

function fact(name, value) {
  return make("div", {}, make("dt", {}, name), make("dd", {}, value));
}

function drawBroken(event, run) {
  const broken = event ? brokenAt(event, run) : run.broken;
  if (!broken.length) return null;
  return make("div", { class: "agentlab-broken" }, make("h3", {}, ngettext("✗ {count} rule broken here", "✗ {count} rules broken here", broken.length)),
    make("ul", {}, broken.map((each) => make("li", {}, tellBroken(each), each.refused ? ["; ", gettext("the API would refuse this")] : ""))));
}

function tellBroken({ rule, problem, message }) {
  const told = `${problem} [${rule}]`;
  return message === null ? told : gettext("message {index}: {problem}", { index: message, problem: told });
}

// --- what a loop of one's own printed, returned or raised

function drawOutput(session) {
  const { printed, returned, error } = session;
  return [
    printed ? make("div", { class: "agentlab-output" }, make("h3", {}, gettext("Printed by your loop")), make("pre", { tabindex: 0 }, clean(printed))) : null,
    returned ? make("div", { class: "agentlab-output" }, make("h3", {}, gettext("Your loop returned")), make("pre", { tabindex: 0 }, clean(returned))) : null,
    error ? make("div", { class: "agentlab-broken" }, make("h3", {}, `✗ ${clean(error.text)}`),
      make("details", {}, make("summary", {}, gettext("where it was raised")), make("pre", { tabindex: 0 }, clean(error.traceback)))) : null,
  ];
}

/** What Next does at the end of a run that can go on, in words. */
function whatNextDoes(event, session) {
  if (session.working) return gettext("Your loop is at work; it has not come back to its client yet. Stop ends it.");
  if (session.over !== false) return "";
  if (session.undecided) return gettext("Next without an answer denies the call.");
  if (session.kind !== "loop") return event ? gettext("Next lets the next event happen.") : gettext("Next sends the question.");
  if (!event) return gettext("Next starts your loop.");
  return event.kind === "asking" ? gettext("The request stands before the client; Next lets it leave.") : gettext("The reply stands before your loop; Next hands it over.");
}

// --- the whole view

const NEWS = ["payload", "session", "branches", "branch", "others"];


class View {
  constructor(model, root) {
    this.model = model;
    this.root = root;
    this.kernel = "unknown";
    this.panel = "transcript";
    this.timer = null;
    this.ownBranch = null; // a branch that is looked at without the kernel's help
    this.commands = new Map();
    this.isAsking = false; // a command of ours has brought nothing new yet
    this.saving = null; // where the view is has not been told yet
    this.read();
    this.build();
    this.onPosition = () => {
      if (!this.isMoving) {
        // The kernel repeats what it was told; since then, the view has moved on.
        if (this.saving !== null && this.model.get("position") === this.told) return this.setPosition(this.wanted);
        this.forgetSaving(); // somebody else moved it; our word is out of date
      }
      return this.draw();
    };
    this.onNews = () => this.redrawSoon();
    this.onMessage = (content) => this.hear(content);
    model.on("change:position", this.onPosition);
    for (const name of NEWS) model.on(`change:${name}`, this.onNews);
    model.on("msg:custom", this.onMessage);
    this.connecting = setTimeout(() => this.connect(), MILLISECONDS_TO_CONNECT);
    this.draw();
  }

  /** Take in what the model holds; the view is drawn from it. */
  read() {
    const others = this.model.get("others") ?? {};
    const shown = this.ownBranch ?? this.model.get("branch") ?? 0;
    const payload = this.ownBranch === null ? this.model.get("payload") : others[this.ownBranch];
    this.run = decode(payload);
    this.session = this.ownBranch === null ? this.model.get("session") ?? {} : { over: true };
    this.run.fork = this.canCommand ? (change, problem) => this.command("fork", change, problem) : null;
    const payloadOf = (id) => (id === this.model.get("branch") ? this.model.get("payload") : others[id]);
    this.run.tree = {
      list: this.model.get("branches") ?? [],
      current: shown,
      show: (id) => this.showBranch(id),
      runOf: (id) => decode(payloadOf(id)),
    };
    this.listed = null;
  }

  /** Several values of one message change one after the other; the view is drawn once. */
  redrawSoon() {
    if (this.redrawing) return;
    this.redrawing = true;
    queueMicrotask(() => {
      this.redrawing = false;
      this.isAsking = false;
      this.ownBranch = null;
      this.read();
      this.slider.max = Math.max(0, this.last);
      this.field.max = this.last + 1;
      this.headline.textContent = this.run.headline;
      this.draw();
    });
  }

  get last() {
    return this.run.events.length - 1;
  }

  get position() {
    return Math.max(0, Math.min(this.model.get("position"), this.last));
  }

  get canCommand() {
    return Boolean(this.model.send) && this.kernel !== "gone" && this.kernel !== "none";
  }

  /** Whether the run can go on beyond its last event. */
  get canAdvance() {
    return this.session.over === false && !this.session.working && this.canCommand;
  }

  build() {
    this.slider = make("input", { type: "range", min: 0, max: Math.max(0, this.last), "aria-label": gettext("Event"), oninput: () => this.moveTo(Number(this.slider.value)) });
    this.field = make("input", { type: "number", min: 1, max: this.last + 1, "aria-label": gettext("Go to event number"), onchange: () => this.moveTo(Number(this.field.value) - 1) });
    this.count = make("span", { class: "agentlab-count" });
    this.first = button(gettext("First"), gettext("first event"), () => this.moveTo(0));
    this.back = button(gettext("← Back"), gettext("previous event"), () => this.moveTo(this.position - 1));
    this.next = button(gettext("Next →"), gettext("next event"), () => this.forward(), { class: "agentlab-button agentlab-primary" });
    this.end = button(gettext("Last"), gettext("last event"), () => this.moveTo(this.last));
    this.play = button(gettext("Play"), gettext("play from here, an event at a time"), () => this.togglePlay());
    this.stop = button(gettext("Stop"), gettext("end the run where it stands"), () => this.command("stop"), { hidden: true });
    this.helpButton = button("?", gettext("keys"), () => this.toggleHelp(), { "aria-label": gettext("Keys"), "aria-expanded": "false" });
    this.help = make("div", { class: "agentlab-help", hidden: true }, make("h3", {}, gettext("Keys")),
      make("dl", {}, KEYS.map(([keys, what]) => make("div", {}, make("dt", {}, make("kbd", {}, keys)), make("dd", {}, what)))));
    this.headline = make("p", {}, this.run.headline);
    this.status = make("p", { class: "agentlab-said", role: "status", "aria-live": "polite" });
    this.hint = make("p", { class: "agentlab-note agentlab-hint" });
    this.decision = make("div");
    this.problem = make("p", { role: "alert", class: "agentlab-problem" });
    this.blocks = make("div");
    this.broken = make("div");
    this.list = make("ol", { class: "agentlab-events" });
    this.tabs = Object.entries(PANELS).map(([name, { title }]) => make("button", { type: "button", class: "agentlab-tab", "data-panel": name, onclick: () => this.choose(name) }, title));
    this.body = make("div", { class: "agentlab-body" });
    this.output = make("div");
    this.facts = make("div");
    this.note = make("p", { class: "agentlab-note agentlab-kernel" });
    this.columns = make("div", { class: "agentlab-columns" },
      make("nav", { "aria-label": gettext("Events of the run"), onkeydown: (event) => this.keyInList(event) }, this.list),
      make("div", { class: "agentlab-main" }, make("div", { class: "agentlab-tabs", role: "group", "aria-label": gettext("What to show") }, this.tabs), this.body));
    this.root.append(
      make("header", {}, make("h2", {}, gettext("Stepper")), this.headline, this.helpButton),
      this.help,
      make("div", { class: "agentlab-controls", role: "group", "aria-label": gettext("Move through the run") },
        this.first, this.back, this.next, this.end, this.play, this.stop, this.slider,
        make("label", { class: "agentlab-jump" }, gettext("event"), " ", this.field), this.count),
      this.blocks,
      this.status,
      this.hint,
      this.decision,
      this.problem,
      this.broken,
      this.columns,
      this.output,
      this.facts,
      this.note,
    );
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  moveTo(position, isPlaying = false) {
    if (!isPlaying) this.pause();
    const target = Math.max(0, Math.min(Math.round(position) || 0, this.last));
    if (target === this.position) return this.draw();
    this.wanted = target;
    this.setPosition(target);
    this.forgetSaving();
    this.saving = setTimeout(() => this.tellPosition(), 300);
    return undefined;
  }

  /** The change draws this view and every other of this Stepper. */
  setPosition(target) {
    this.isMoving = true;
    this.model.set("position", target);
    this.isMoving = false;
  }

  tellPosition() {
    this.saving = null;
    this.told = this.wanted;
    this.model.save_changes();
  }

  forgetSaving() {
    clearTimeout(this.saving);
    this.saving = null;
  }

  /** One event on; at the end of a live run, let the next one happen. */
  forward(isPlaying = false) {
    if (this.position < this.last) return this.moveTo(this.position + 1, isPlaying);
    if (!isPlaying) this.pause();
    if (this.canAdvance && !this.isAsking) this.command("next");
    return undefined;
  }

  choose(name) {
    this.panel = name;
    this.draw();
  }

  draw() {
    const event = this.run.events[this.position];
    for (const tab of this.tabs) tab.setAttribute("aria-pressed", String(tab.dataset.panel === this.panel));
    this.tabs.at(-1).hidden = this.run.tree.list.length < 2; // branches, once there are some
    this.columns.hidden = false;
    if (!event) return this.drawEmpty();
    const number = this.position + 1;
    const total = this.last + 1;
    const what = said(event, this.run);
    this.root.dataset.position = number;
    this.slider.value = this.position;
    this.slider.setAttribute("aria-valuetext", gettext("event {number} of {total}, {what}", { number, total, what }));
    this.field.value = number;
    this.count.textContent = this.placeOf(event);
    this.status.textContent = gettext("Event {number} of {total}: {what}", { number, total, what: `${what}${added(event, this.run)}` });
    setAvailable(this.position > 0, this.first, this.back);
    setAvailable(this.position < this.last, this.end);
    setAvailable(this.position < this.last || this.canAdvance, this.next);
    setAvailable(true, this.play);
    this.drawSession(event);
    this.blocks.replaceChildren(drawBlocks(event));
    replace(this.broken, drawBroken(event, this.run));
    this.drawBody(event);
    replace(this.facts, drawFacts(event, this.run));
    this.drawList();
    return undefined;
  }

  /** The panel; one in which somebody is writing stays as it is while the view stays where it is. */
  drawBody(event) {
    const shown = [this.panel, this.run.tree.current, event.index].join();
    const isWriting = this.body.querySelector(".agentlab-edit[open]") && this.shown === shown;
    this.shown = shown;
    if (!isWriting) replace(this.body, PANELS[this.panel].draw(event, this.run));
  }

  /** How a live run stands: what Next does, what waits for a yes, what the loop printed. */
  drawSession(event) {
    const isAtEnd = this.position >= this.last;
    const { undecided } = this.session;
    this.stop.hidden = this.session.over !== false || !this.canCommand;
    this.hint.textContent = isAtEnd ? whatNextDoes(event, this.session) : "";
    this.root.setAttribute("aria-busy", String(Boolean(this.session.working)));
    const waits = isAtEnd && undecided && this.canCommand ? undecided.id : null;
    if (waits !== this.deciding) {
      this.deciding = waits;
      replace(this.decision, waits ? this.drawDecision(undecided) : null);
      if (waits && this.root.contains(document.activeElement)) this.decision.querySelector("button").focus();
    }
    replace(this.output, drawOutput(this.session));
  }

  drawDecision({ name, input }) {
    const question = gettext("May {name} run?", { name });
    return make("div", { class: "agentlab-decision", role: "group", "aria-label": question },
      make("h3", {}, question),
      make("p", {}, gettext("It cannot be undone. No answer is no.")),
      drawInput(input),
      button(gettext("Deny"), gettext("answer that the call was denied"), () => this.command("deny")),
      button(gettext("Approve"), gettext("let the call run"), () => this.command("approve")));
  }

  /** What stands behind the event's number: of how many, in which step and branch. */
  placeOf(event) {
    const { list, current: branch } = this.run.tree;
    const values = { total: this.last + 1, step: event.step, branch };
    if (list.length < 2) return gettext("of {total}, step {step}", values);
    return event.index < list[branch].kept ? gettext("of {total}, step {step}, kept in branch {branch}", values) : gettext("of {total}, step {step}, branch {branch}", values);
  }

  /** Look at another branch; without a kernel, in this view alone. */
  showBranch(id) {
    if (this.canCommand) return this.command("show", { branch: id });
    this.ownBranch = id === this.model.get("branch") ? null : id;
    this.read();
    return this.draw();
  }

  drawEmpty() {
    const { question } = this.session;
    this.status.textContent = question
      ? gettext("No event: nothing has happened in this run yet. The question: {question}", { question: quoted(question) })
      : gettext("No event: nothing has happened in this run yet.");
    this.count.textContent = gettext("of {total}", { total: 0 });
    this.field.value = 0;
    setAvailable(false, this.first, this.back, this.end);
    setAvailable(this.canAdvance, this.next, this.play);
    this.drawSession(null);
    replace(this.broken, drawBroken(null, this.run));
    const hasBranches = this.run.tree.list.length > 1; // a branch may have to be left before it began
    if (hasBranches && this.panel === "branches") replace(this.body, drawBranches(null, this.run));
    else replace(this.body, question ? null : this.run.messages.map((message) => json(message)));
    replace(this.list, null);
    replace(this.facts, null);
    replace(this.blocks, drawBlocks({ kind: "begin" }));
    this.columns.hidden = !this.body.childElementCount && !hasBranches;
  }

  /** The events around the current one; a run of thousands would fill the page otherwise. */
  drawList() {
    const start = Math.max(0, Math.min(this.position - LISTED_EVENTS / 2, this.last + 1 - LISTED_EVENTS));
    const end = Math.min(start + LISTED_EVENTS, this.last + 1);
    if (this.listed === null || this.position < this.listed[0] || this.position >= this.listed[1]) {
      this.listed = [start, end];
      replace(this.list, [
        start ? make("li", { class: "agentlab-note" }, ngettext("({count} event before)", "({count} events before)", start)) : null,
        this.run.events.slice(start, end).map((event) => this.listItem(event)),
        end <= this.last ? make("li", { class: "agentlab-note" }, ngettext("({count} event after)", "({count} events after)", this.last + 1 - end)) : null,
      ]);
    }
    const old = this.list.querySelector("[aria-current]");
    old?.removeAttribute("aria-current");
    old?.setAttribute("tabindex", "-1");
    const current = this.list.querySelector(`[data-event="${this.position}"]`);
    current.setAttribute("aria-current", "step");
    current.tabIndex = 0;
    // Measuring at once would lay the page out a second time for each move.
    requestAnimationFrame(() => scrollInto(this.list, current));
  }

  listItem(event) {
    const isBad = brokenAt(event, this.run).length || event.misfits || (event.status && event.kind === "tool_returned") || event.kind === "failed";
    const label = listLabel(event, this.run);
    return make("li", { "data-kind": event.kind }, make("button", { type: "button", tabindex: -1, title: said(event, this.run), "data-event": event.index, onclick: () => this.moveTo(event.index) },
      make("span", { class: "agentlab-number" }, `${event.index + 1}`), make("span", {}, `${isBad ? "✗ " : ""}${label}`)));
  }

  // --- keys

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const isTyping = event.target === this.field || event.target.matches("textarea");
    const actions = {
      ArrowRight: () => this.forward(),
      ArrowLeft: () => this.moveTo(this.position - 1),
      Home: () => this.moveTo(0),
      End: () => this.moveTo(this.last),
      PageDown: () => this.moveTo(this.replyAfter(this.position)),
      PageUp: () => this.moveTo(this.replyBefore(this.position)),
      "?": () => this.toggleHelp(),
      t: () => this.choose("text"),
    };
    Object.keys(PANELS).forEach((name, at) => { actions[at + 1] = () => this.choose(name); });
    const isOnControl = event.target.closest("button, summary, input");
    if (!isOnControl || event.target === this.slider) actions[" "] = () => this.togglePlay();
    const action = isTyping ? undefined : actions[event.key];
    event.stopPropagation(); // the notebook has meanings of its own for keys, such as new cells
    if (!action) return;
    event.preventDefault();
    action();
  }

  keyInList(event) {
    const moves = { ArrowDown: 1, ArrowUp: -1 };
    if (!(event.key in moves)) return;
    event.preventDefault();
    this.moveTo(this.position + moves[event.key]);
    this.list.querySelector("[aria-current]")?.focus();
  }

  replyAfter(position) {
    const found = this.run.events.find((event) => event.index > position && event.kind === "replied");
    return found ? found.index : this.last;
  }

  replyBefore(position) {
    for (let at = position - 1; at > 0; at -= 1) if (this.run.events[at].kind === "replied") return at;
    return 0;
  }

  toggleHelp() {
    this.help.hidden = !this.help.hidden;
    this.helpButton.setAttribute("aria-expanded", String(!this.help.hidden));
  }

  // --- playing

  togglePlay() {
    if (this.timer) return this.pause();
    if (this.position >= this.last && !this.goesOn) this.moveTo(0);
    this.timer = setInterval(() => {
      if ((this.position >= this.last && !this.goesOn) || !this.root.isConnected) this.pause();
      else this.forward(true);
    }, MILLISECONDS_PER_EVENT);
    this.namePlay(gettext("Pause"));
    return undefined;
  }

  /** Whether playing may go on beyond the last event: never past a call that waits for a yes. */
  get goesOn() {
    return this.session.over === false && this.canCommand && !this.session.undecided;
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.namePlay(gettext("Play"));
  }

  namePlay(name) {
    this.play.textContent = name;
  }

  // --- the kernel: is it there, and what is asked of it

  connect() {
    this.ping();
    this.pinging = setInterval(() => document.hidden || !this.root.isConnected || this.ping(), MILLISECONDS_BETWEEN_PINGS);
  }

  ping() {
    if (!this.model.send) return this.setKernel("none");
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.setKernel("gone"), MILLISECONDS_TO_ANSWER);
    return this.send({ ping: 1 });
  }

  /** Ask the kernel to change the run. */
  command(name, values = {}, problem = this.problem) {
    const id = (this.lastCommand = (this.lastCommand ?? 0) + 1);
    this.commands.set(id, problem);
    this.isAsking = true;
    problem.textContent = "";
    this.forgetSaving(); // the command says where the view is; a later word would undo its move
    this.send({ command: name, id, position: this.position, ...values });
  }

  send(content) {
    try {
      this.model.send(content);
    } catch {
      this.setKernel("gone");
    }
  }

  hear(content) {
    if (content?.pong) this.setKernel("live");
    if (content?.answer === undefined || !this.commands.has(content.answer)) return;
    const problem = this.commands.get(content.answer);
    this.commands.delete(content.answer);
    this.isAsking = false;
    if (content.problem) problem.textContent = `✗ ${content.problem}`;
  }

  setKernel(state) {
    clearTimeout(this.silence);
    const isNew = this.kernel !== state;
    const could = this.canCommand;
    this.kernel = state;
    this.root.dataset.kernel = state;
    this.note.textContent = state === "gone" ? gettext("Saved view: the kernel is gone, or busy with another cell. Stepping works as it is; changing the run needs a running kernel.") : "";
    if (state === "gone") {
      this.commands.clear();
      this.isAsking = false;
    }
    if (isNew && could !== this.canCommand) {
      this.read();
      this.draw();
    }
  }

  remove() {
    this.pause();
    clearTimeout(this.connecting);
    clearTimeout(this.silence);
    clearInterval(this.pinging);
    this.model.off("change:position", this.onPosition);
    for (const name of NEWS) this.model.off(`change:${name}`, this.onNews);
    this.model.off("msg:custom", this.onMessage);
  }
}

function listLabel(event, run) {
  switch (event.kind) {
    case "replied":
      return blocksOf(event.reply).some((block) => block.type === "tool_use") ? gettext("model asks") : gettext("model answers");
    case "tool_called":
      return gettext("call {name}", { name: callOf(event, run).name });
    case "tool_returned":
      return gettext("result {name}", { name: nameAnswered(event, run) });
    case "handed_off":
      return gettext("handoff to {successor}", event);
    case "asking":
      return gettext("about to ask");
    case "reminded":
      return gettext("reminded");
    case "failed":
      return gettext("failed");
    case "stopped":
      return gettext("stopped");
    default:
      return event.kind;
  }
}

/** Scroll the list alone; `scrollIntoView` would move the notebook, too. */
function scrollInto(list, item) {
  const [outer, inner] = [list.getBoundingClientRect(), item.getBoundingClientRect()];
  if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top;
  else if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom;
}

function render({ model, el }) {
  const payload = model.get("payload");
  const root = make("section", { class: "agentlab-stepper", tabindex: 0, role: "group", "aria-label": gettext("Stepper"), "data-lm-suppress-shortcuts": "true" });
  el.append(root);
  if (payload.version !== PAYLOAD_VERSION) {
    root.append(make("p", {}, gettext("This Stepper was saved in version {saved} of its data, and this page reads version {read}. Run the cell again.", { saved: payload.version, read: PAYLOAD_VERSION })));
    return undefined;
  }
  const view = new View(model, root);
  return () => view.remove();
}

export default { render };
