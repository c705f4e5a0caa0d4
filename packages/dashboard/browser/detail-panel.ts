import { ChartGrid } from '@hdrscope/page/chart-card';
import type { Style } from '@hdrscope/page/charts';
import { button, h, setAttribute, setChildren, setText } from '@hdrscope/page/dom';
import type { DetailMessage } from '../src/messages.ts';
import { keyOf, type Objective } from '../src/question.ts';
import { longRangeText } from './clock.ts';
import { ComparisonTable } from './comparison-table.ts';
import { Objectives } from './objectives.ts';
import type { TableRow } from './state.ts';

/** Reacts to what people do with the detail. */
export interface DetailListeners {
  onFilter(attribute: string): void;
  /** The row to compare with; `undefined` ends the comparison. */
  onOther(label: string | undefined): void;
  onObjectives(objectives: readonly Objective[]): void;
  /** The rows that may be compared with. */
  listRows(): readonly TableRow[];
}

// Nobody reads a longer list. A search in the table makes it shorter.
const MOST_OPTIONS = 500;

/** The facts and the charts of the picked row. */
export class DetailPanel {
  readonly element: HTMLElement;
  readonly charts: ChartGrid = new ChartGrid();
  readonly #listeners: DetailListeners;
  readonly #title = h('h2', { tabindex: '-1' });
  readonly #description = h('p', { class: 'subtitle' });
  readonly #time = h('p', { class: 'time' });
  readonly #facts = h('dl', { class: 'facts' });
  readonly #compare: HTMLButtonElement;
  readonly #others = h('select', { 'aria-label': 'Row to compare with', hidden: true });
  readonly #hgrm = h('a', { class: 'button', download: true }, 'hgrm');
  readonly #objectives: Objectives;
  /** Why there is no comparison, although one was asked for. */
  readonly #note = h('p', { class: 'note', role: 'status' });
  readonly #comparison = new ComparisonTable();
  /** The row whose plots have come. */
  #shown: string | undefined;
  #shownTitle = '';

  constructor(listeners: DetailListeners) {
    this.#listeners = listeners;
    this.#objectives = new Objectives((objectives) => listeners.onObjectives(objectives));
    this.#compare = button('Compare with…', () => this.chooseOther(), { title: 'Compare with another row' });
    this.#others.addEventListener('change', () => listeners.onOther(this.#others.value || undefined));
    this.#others.addEventListener('focus', () => this.#listOthers(this.#others.value));
    const actions = h(
      'div',
      { class: 'actions' },
      this.#compare,
      this.#others,
      h('span', { class: 'subtitle' }, 'Download'),
      this.#hgrm,
    );
    this.element = h(
      'section',
      { class: 'detail', 'aria-label': 'The picked row', hidden: true },
      h('header', {}, h('div', {}, this.#title, this.#description, this.#time), actions),
      this.#facts,
      this.#objectives.element,
      this.#note,
      this.#comparison.element,
      this.charts.element,
    );
  }

  /** Whether the plots of a row have come. */
  get isShown(): boolean {
    return this.#shown !== undefined;
  }

  /** Shows what the page asks for. The panel shows the row before until the plots of this one come. */
  ask(
    row: TableRow | undefined,
    label: string,
    other: string | undefined,
    objectives: readonly Objective[],
    hgrm: string,
  ): void {
    if (this.#shown !== undefined && this.#shown !== label) setAttribute(this.element, 'aria-busy', 'true');
    setAttribute(this.#hgrm, 'href', hgrm);
    this.#objectives.show(objectives, row?.family);
    if (other === undefined) {
      if (document.activeElement !== this.#others) this.#others.hidden = true;
      this.#others.value = '';
    } else if (this.#others.value !== other) {
      this.#others.hidden = false;
      this.#listOthers(other);
    }
  }

  clear(): void {
    this.#shown = undefined;
    this.element.hidden = true;
  }

  /** @param row The row of the message; `undefined` when the table does not show it. */
  show(message: DetailMessage, row: TableRow | undefined, style: Style): void {
    const { label, facts, plots, objectives, comparison, range, note = '' } = message;
    this.#shown = label;
    this.#showTitle(label, row);
    setText(this.#description, row?.family.description ?? '');
    const time = range === undefined ? '' : `From ${longRangeText(range, style.zone)}`;
    setText(this.#time, time);
    setAttribute(this.element, 'aria-busy', 'false');
    setChildren(
      this.#facts,
      facts.map(({ name, text }) => h('div', {}, h('dt', {}, name), h('dd', {}, text))),
    );
    this.#objectives.showResults(objectives);
    setText(this.#note, note);
    const compared = plots.find((plot) => plot.kind === 'comparison');
    this.#comparison.show(comparison, compared?.unit ?? 'none');
    this.charts.show(plots, style, [label, time].filter(Boolean).join(' · '));
  }

  /** Lets the reader choose a row to compare with. */
  chooseOther(): void {
    this.#listOthers(this.#others.value);
    this.#others.hidden = false;
    this.#others.focus();
  }

  focus(): void {
    this.#title.focus();
  }

  #showTitle(label: string, row: TableRow | undefined): void {
    const shown = `${label}\n${row === undefined}`;
    if (this.#shownTitle === shown) return;
    this.#shownTitle = shown;
    const attributes = h('span', { class: 'attributes' });
    row?.attributes.forEach((attribute, i) => {
      if (i > 0) attributes.append(', ');
      attributes.append(
        button(attribute, () => this.#listeners.onFilter(attribute), {
          class: 'link',
          title: `Show only rows with ${attribute}`,
          'data-key': keyOf(attribute),
        }),
      );
    });
    setChildren(this.#title, [
      h('b', {}, row?.family.name ?? label),
      document.createTextNode(' '),
      attributes,
    ]);
  }

  #listOthers(chosen: string): void {
    const labels = this.#listeners.listRows().map(({ label }) => label);
    const listed = new Set(chosen === '' ? labels : [chosen, ...labels]);
    this.#others.replaceChildren(h('option', { value: '' }, 'no other row'));
    for (const label of [...listed].slice(0, MOST_OPTIONS)) {
      if (label !== this.#shown) this.#others.append(h('option', { value: label }, label));
    }
    this.#others.value = chosen;
  }
}
