import type { DetailMessage } from '../src/messages.ts';
import { ChartGrid } from './chart-card.ts';
import { h, setAttribute, setText } from './dom.ts';
import { attributesOf, type SeriesState } from './state.ts';

/** The facts and the charts of the series that is picked. */
export class DetailPanel {
  readonly element: HTMLElement;
  readonly charts: ChartGrid = new ChartGrid();
  readonly #family = h('b');
  readonly #attributes = h('span', { class: 'attributes' });
  readonly #description = h('p', { class: 'subtitle' });
  readonly #facts = h('dl', { class: 'facts' });
  #picked: SeriesState | undefined;
  /** Whether the charts of a series have come. */
  isShown = false;

  constructor() {
    const title = h('h2', {}, this.#family, ' ', this.#attributes);
    this.element = h(
      'section',
      { class: 'detail', 'aria-label': 'The series that is picked' },
      h('header', {}, h('div', {}, title, this.#description), this.#facts),
      this.charts.element,
    );
    this.element.hidden = true;
  }

  /** Picks a series. The panel shows the series before until the charts of this one come. */
  pick(series: SeriesState): void {
    if (this.#picked?.facts.id !== series.facts.id) setAttribute(this.element, 'aria-busy', 'true');
    this.#picked = series;
  }

  clear(): void {
    this.#picked = undefined;
    this.isShown = false;
    this.element.hidden = true;
  }

  show({ series, facts, plots }: DetailMessage): void {
    // Another series was picked while this message was on its way.
    if (series !== this.#picked?.facts.id) return;
    const { family, facts: known } = this.#picked;
    setText(this.#family, family.name);
    setText(this.#attributes, attributesOf(known));
    setText(this.#description, family.description);
    setAttribute(this.element, 'aria-busy', 'false');
    this.isShown = true;
    this.element.hidden = false;
    this.#facts.replaceChildren();
    for (const { name, text } of facts)
      this.#facts.append(h('div', {}, h('dt', {}, name), h('dd', {}, text)));
    this.charts.show(plots);
  }
}
