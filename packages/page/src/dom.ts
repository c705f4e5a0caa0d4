type Attribute = string | number | boolean | undefined;
type Child = Node | string;

/** Makes an element. An attribute of `true` is set without a value; an attribute of `false` or `undefined` is not set. */
export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) setAttribute(element, key, value);
  element.append(...children);
  return element;
}

/** Makes a button. */
export function button(
  text: string,
  onClick: () => void,
  attributes: Readonly<Record<string, Attribute>> = {},
): HTMLButtonElement {
  const element = h('button', { type: 'button', ...attributes }, text);
  element.addEventListener('click', onClick);
  return element;
}

export function setAttribute(element: Element, key: string, value: Attribute): void {
  if (value === undefined || value === false) element.removeAttribute(key);
  else if (element.getAttribute(key) !== String(value))
    element.setAttribute(key, value === true ? '' : String(value));
}

/** Changes a text only if it differs, so that browsers do not draw it again and screen readers do not repeat it. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Changes the children of an element. Unlike spread arguments, there may be any number of them. */
export function setChildren(element: Element, children: Iterable<Node>): void {
  element.replaceChildren();
  for (const child of children) element.append(child);
}

/** Makes an element with children of any number. */
export function fillElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, Attribute>>,
  children: Iterable<Node>,
): HTMLElementTagNameMap[Name] {
  const element = h(name, attributes);
  setChildren(element, children);
  return element;
}

/** Makes a table with a row of titles. */
export function table(titles: readonly string[], rows: Iterable<HTMLElement>): HTMLTableElement {
  const head = h('tr');
  for (const title of titles) head.append(h('th', { scope: 'col' }, title));
  const body = h('tbody');
  for (const row of rows) body.append(row);
  return h('table', {}, h('thead', {}, head), body);
}

/** Changes a text that holds a long name, and lets it wrap after dots and underscores. */
export function setName(element: Element, text: string): void {
  if (element.textContent === text) return;
  const [first = '', ...others] = text.split(/(?<=[._])/);
  element.replaceChildren(first);
  for (const part of others) element.append(h('wbr'), part);
}

/** Whether a key goes to a field or to the browser, so that it is no shortcut of the page. */
export function isTyped(event: KeyboardEvent): boolean {
  const { target } = event;
  const isText = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
  return isText || event.ctrlKey || event.metaKey || event.altKey;
}

/** A row of buttons, of which one is pressed. */
export interface Choice<Value extends string> {
  readonly element: HTMLElement;
  /** Presses another button without calling the listener. */
  press(value: Value): void;
}

/** Makes a row of buttons, of which one is pressed. */
export function choice<Value extends string>(
  label: string,
  values: Readonly<Record<Value, string>>,
  taken: Value,
  onTake: (value: Value) => void,
): Choice<Value> {
  const buttons = new Map<string, HTMLButtonElement>();
  const press = (value: Value): void => {
    for (const [other, element] of buttons) setAttribute(element, 'aria-pressed', String(other === value));
  };
  const element = h('div', { class: 'choice', role: 'group', 'aria-label': label });
  for (const [value, text] of Object.entries<string>(values)) {
    const one = button(text, () => {
      press(value as Value);
      onTake(value as Value);
    });
    buttons.set(value, one);
    element.append(one);
  }
  press(taken);
  return { element, press };
}
