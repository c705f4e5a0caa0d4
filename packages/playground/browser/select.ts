import { h } from '@hdrscope/page/dom';

/** A choice: the value, and the text that people read. */
export type Choice = readonly [text: string, value: string];

/**
 * A field in which one of some values is chosen.
 *
 * @param key The name by which scripts find it.
 */
export function drawSelect(
  label: string,
  key: string,
  choices: readonly Choice[],
  chosen: string,
  choose: (value: string) => void,
): HTMLElement {
  const select = h('select', { 'data-choice': key });
  for (const [text, value] of choices) select.append(h('option', { value }, text));
  select.value = chosen;
  select.addEventListener('change', () => choose(select.value));
  return h('label', { class: 'field' }, `${label} `, select);
}
