/** Elements that show what a command has printed. */
import { fillElement, h } from '@hdrscope/page/dom';
import type { FiguresTable, JobResult } from './job.ts';
import { scrolling } from './report.ts';
import { Cancellation } from './runner.ts';

/** Shows the figures of distributions: the value of each, with its bounds below. */
export function drawFigures({ heads, columns, rows }: FiguresTable, caption: string): HTMLElement {
  const titles = fillElement('tr', {}, [
    ...heads.map((title) => h('th', { scope: 'col', class: 'text' }, title)),
    ...columns.map((title) => h('th', { scope: 'col' }, title)),
  ]);
  const elements = rows.map((row) =>
    fillElement('tr', {}, [
      ...row.heads.map((text) => h('th', { scope: 'row', class: 'text' }, text)),
      ...row.cells.map(({ text, bounds = '' }) => h('td', {}, text, h('small', {}, bounds))),
    ]),
  );
  const body = fillElement('tbody', {}, elements);
  const element = h(
    'table',
    {},
    h('caption', { class: 'hidden-text' }, caption),
    h('thead', {}, titles),
    body,
  );
  return scrolling(element, caption);
}

/** Says in which unit values are. */
export function drawUnit(unit: string): HTMLElement {
  return h(
    'p',
    { class: 'hint' },
    unit === 'none'
      ? 'Values without a unit. Below each value: its bounds.'
      : `Values in ${unit}. Below each value: its bounds.`,
  );
}

/** The notes of a command: what it left out, and what a reader should know of its figures. */
export function drawNotes({ notes, exitCode }: Pick<JobResult, 'notes' | 'exitCode'>): HTMLElement[] {
  const name = exitCode === 0 ? 'note' : 'note bad';
  return notes.map((note) => h('p', { class: name, role: exitCode === 0 ? 'note' : 'alert' }, note));
}

/** Shows why there is no result. A cancelled command says nothing: the reader knows. */
export function drawFailure(error: unknown): HTMLElement[] {
  if (error instanceof Cancellation) return [h('p', { class: 'note' }, 'Cancelled.')];
  return [
    h('p', { class: 'note bad', role: 'alert' }, error instanceof Error ? error.message : String(error)),
  ];
}

/** The command that prints the same on a command line. */
export function drawLine(line: string): HTMLElement {
  return h('p', { class: 'line' }, h('code', {}, line));
}
