import { ChartGrid } from '@hdrscope/page/chart-card';
import type { Style } from '@hdrscope/page/charts';
import { h, setAttribute, setText } from '@hdrscope/page/dom';
import type { TabMessage } from '../src/messages.ts';

/** The plots of a tab, in place of the series. */
export class TabPanel {
  readonly element: HTMLElement;
  readonly #title = h('h2', { class: 'hidden-text' });
  readonly #charts = new ChartGrid();
  readonly #empty = h('p', { class: 'empty' });
  #shown: string | undefined;

  constructor() {
    this.element = h(
      'section',
      { class: 'detail tab-panel', hidden: true },
      this.#title,
      this.#charts.element,
      this.#empty,
    );
  }

  /** Opens a tab; `undefined` closes the panel. The plots of another tab go at once. */
  open(name: string | undefined, style: Style): void {
    this.element.hidden = name === undefined;
    if (name === undefined || name === this.#shown) return;
    this.#shown = name;
    setAttribute(this.element, 'aria-label', name);
    setText(this.#title, name);
    setText(this.#empty, '');
    this.#charts.show([], style);
  }

  show({ name, plots }: TabMessage, style: Style): void {
    if (name !== this.#shown) return;
    this.#charts.show(plots, style, name);
    setText(this.#empty, plots.length === 0 ? `${name} has nothing to show.` : '');
  }
}
