/** Reports of commands in Markdown, as elements of the page. */
import { fillElement, h, table } from '@hdrscope/page/dom';

/** A part of a report. */
export type ReportPart =
  | { readonly kind: 'result' | 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | {
      readonly kind: 'table';
      readonly titles: readonly string[];
      readonly rows: readonly (readonly string[])[];
    };

/** Reads the Markdown that `hdrscope diff` and `hdrscope check` write: a heading, sentences, lists and tables, one after the other. */
export function readReport(markdown: string): ReportPart[] {
  const blocks = markdown
    .split(/\n{2,}/)
    .filter((block) => block.trim() !== '' && !block.startsWith('</details'));
  return blocks.map((block): ReportPart => {
    const lines = block.trim().split('\n');
    const [first = ''] = lines;
    if (first.startsWith('### ')) return { kind: 'result', text: plainText(first.slice('### '.length)) };
    if (first.startsWith('- '))
      return { kind: 'list', items: lines.map((line) => plainText(line.replace(/^- /, ''))) };
    if (!first.startsWith('|')) return { kind: 'text', text: plainText(block.replaceAll(/<[^>]*>/g, '')) };
    const [titles, , ...rows] = lines.map(readCells);
    return { kind: 'table', titles: titles!, rows };
  });
}

/** The cells of a line of a table. A bar within a cell has a backslash before it. */
function readCells(line: string): string[] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => plainText(cell.trim()));
}

function plainText(markdown: string): string {
  return markdown
    .replaceAll('**', '')
    .replaceAll(/\\([\\`*_[\]<>#|~&])/g, '$1')
    .trim();
}

/** Shows a report. */
export function drawReport(markdown: string): HTMLElement[] {
  return readReport(markdown).map(drawPart);
}

function drawPart(part: ReportPart): HTMLElement {
  switch (part.kind) {
    case 'result':
      return h('p', { class: 'result' }, part.text);
    case 'text':
      return h('p', {}, part.text);
    case 'list':
      return fillElement(
        'ul',
        {},
        part.items.map((item) => h('li', {}, item)),
      );
    case 'table':
      return drawTable(part.titles, part.rows);
  }
}

/** A table that scrolls when it is wider than the page. */
function drawTable(titles: readonly string[], rows: readonly (readonly string[])[]): HTMLElement {
  const elements = rows.map(([first = '', ...cells]) =>
    fillElement('tr', {}, [h('th', { scope: 'row' }, first), ...cells.map((cell) => h('td', {}, cell))]),
  );
  return scrolling(table(titles, elements), 'Report');
}

/** An element that scrolls sideways, by keys as well. */
export function scrolling(element: HTMLElement, label: string): HTMLElement {
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label }, element);
}
