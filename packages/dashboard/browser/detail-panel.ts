import type { DetailMessage } from '../src/messages.ts';
import { ChartGrid } from './chart-card.ts';
import { h, setAttribute, setText } from './dom.ts';
import { attributesOf, type SeriesState } from './state.ts';

/** The series that is picked: what is known of it, and its charts. */
export class DetailPanel {
  readonly element: HTMLElement;
  readonly charts: ChartGrid = new ChartGrid();
  readonly #family = h('b');
  readonly #attributes = h('span', { class: 'attributes' });
  readonly #description = h('p', { class: 'subtitle' });
  readonly #facts = h('dl', { class: 'facts' });
  #picked: SeriesState | undefined;
  /** Whether there is one whose charts have come. */
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

  /** It is shown when its charts come: what is there until then is of the one before. */
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
    // It was on its way when another one was picked.
    if (series !== this.#picked?.facts.id) return;
    const { family, facts: known } = this.#picked;
    setText(this.#family, family.name);
    setText(this.#attributes, attributesOf(known));
    setText(this.#description, family.description);
    setAttribute(this.element, 'aria-busy', 'false');
    this.isShown = true;
    this.element.hidden = false;
    const terms = facts.flatMap(({ name, text }) => h('div', {}, h('dt', {}, name), h('dd', {}, text)));
    this.#facts.replaceChildren(...terms);
    this.charts.show(plots);
  }
}
