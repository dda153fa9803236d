// What the pages of the Stepper and of the description lab are built with. It stands before their
// scripts in one module, because a notebook's front end loads a widget from a single text; before it
// stands the catalogue of texts in the reader's language.

/** An element with properties and children; text children are text, whatever they hold. */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function button(label, title, onclick, extra = {}) {
  return make("button", { type: "button", class: "agentlab-button", title, onclick, ...extra }, label);
}

/** A text in the reader's language, with its values in its places, such as {name}. */
function gettext(text, values = {}) {
  return filled(CATALOGUE[text] ?? text, values);
}

/** A text that depends on a number, which belongs into {count}. */
function ngettext(one, many, count, values = {}) {
  const text = CATALOGUE[one]?.[pluralForm(count)] ?? (count === 1 ? one : many);
  return filled(text, { count: count.toLocaleString("en"), ...values });
}

function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (place, name) => (name in values ? String(values[name]) : place));
}

function setAvailable(isAvailable, ...buttons) {
  // Not `disabled`: a button that loses the focus under a pressed key would drop the keyboard.
  for (const each of buttons) each.setAttribute("aria-disabled", String(!isAvailable));
}

function replace(element, children) {
  element.replaceChildren(...[children].flat(2).filter((child) => child !== null && child !== undefined));
}
