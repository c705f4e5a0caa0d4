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

export function setAttribute(element: Element, key: string, value: Attribute): void {
  if (value === undefined || value === false) element.removeAttribute(key);
  else if (element.getAttribute(key) !== String(value))
    element.setAttribute(key, value === true ? '' : String(value));
}

/** Changes a text only if it differs, so that browsers do not draw it again and screen readers do not repeat it. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Changes a text that holds a long name, and lets it wrap after dots and underscores. */
export function setName(element: Element, text: string): void {
  if (element.textContent === text) return;
  const [first = '', ...others] = text.split(/(?<=[._])/);
  element.replaceChildren(first);
  for (const part of others) element.append(h('wbr'), part);
}

/** A row of buttons, of which one is pressed. */
export function choice<Value extends string>(
  label: string,
  values: Readonly<Record<Value, string>>,
  taken: Value,
  onTake: (value: Value) => void,
): HTMLElement {
  const buttons = Object.entries<string>(values).map(([value, text]) => {
    const button = h('button', { type: 'button', 'aria-pressed': String(value === taken) }, text);
    button.addEventListener('click', () => {
      for (const other of buttons) setAttribute(other, 'aria-pressed', String(other === button));
      onTake(value as Value);
    });
    return button;
  });
  // Bounded: a choice has a few values.
  return h('div', { class: 'choice', role: 'group', 'aria-label': label }, ...buttons);
}
