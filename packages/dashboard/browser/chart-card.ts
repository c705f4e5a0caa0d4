import { chartOption, describePlot, formatCount, type Plot, plotFromJson, plotTable } from '@hdrscope/plot';
import { CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import {
  AriaComponent,
  AxisPointerComponent,
  GridComponent,
  LegendComponent,
  TitleComponent,
  TooltipComponent,
} from 'echarts/components';
import { type ECharts, init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { h, setAttribute, setName, setText } from './dom.ts';
import { currentTheme } from './theme.ts';

use([
  ...[LineChart, CustomChart, ScatterChart, CanvasRenderer],
  ...[AriaComponent, AxisPointerComponent, GridComponent],
  ...[LegendComponent, TitleComponent, TooltipComponent],
]);

/** A plot with its title, drawn or as a table of its values. */
class ChartCard {
  readonly element: HTMLElement;
  readonly #title = h('h3');
  readonly #subtitle = h('p', { class: 'subtitle' });
  readonly #drawing = h('div', { class: 'drawing', role: 'img' });
  readonly #table = h('div', { class: 'values', hidden: true, tabindex: '0', role: 'region' });
  readonly #toggle = h('button', { type: 'button', class: 'quiet', 'aria-pressed': 'false' }, 'Table');
  #chart: ECharts | undefined;
  #plot: Plot | undefined;
  #isTable = false;

  constructor() {
    const head = h('header', {}, h('div', {}, this.#title, this.#subtitle), this.#toggle);
    this.element = h('article', { class: 'card' }, head, this.#drawing, this.#table);
    this.#toggle.addEventListener('click', () => {
      this.#isTable = !this.#isTable;
      setAttribute(this.#toggle, 'aria-pressed', String(this.#isTable));
      this.#drawing.hidden = this.#isTable;
      this.#table.hidden = !this.#isTable;
      this.draw();
    });
    resizes.observe(this.#drawing);
    cards.set(this.#drawing, this);
  }

  show(plot: Plot): void {
    // The plot came as JSON, in which infinite bounds are null.
    this.#plot = plotFromJson(JSON.stringify(plot));
    setName(this.#title, plot.title ?? TITLES[plot.kind]);
    setText(this.#subtitle, plot.subtitle ?? '');
    setAttribute(this.#table, 'aria-label', `${plot.title ?? TITLES[plot.kind]}: values`);
    setAttribute(this.#toggle, 'aria-label', `${plot.title ?? TITLES[plot.kind]} as a table`);
    this.draw();
  }

  draw(): void {
    const plot = this.#plot;
    if (plot === undefined || !this.element.isConnected) return;
    if (this.#isTable) this.#drawTable(plot);
    else this.#drawChart(plot);
  }

  dispose(): void {
    resizes.unobserve(this.#drawing);
    this.#chart?.dispose();
    this.#chart = undefined;
    this.element.remove();
  }

  resize(): void {
    this.#chart?.resize();
    this.draw();
  }

  #drawChart(plot: Plot): void {
    const { clientWidth, clientHeight } = this.#drawing;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.#chart ??= init(this.#drawing, null, { renderer: 'canvas' });
    // The card shows the titles above the drawing.
    const { title: _, subtitle: __, ...untitled } = plot;
    const option = chartOption(untitled as Plot, currentTheme(), clientWidth);
    this.#chart.setOption(
      { ...option, backgroundColor: 'transparent', aria: { enabled: false } },
      { replaceMerge: ['series', 'grid', 'xAxis', 'yAxis'] },
    );
    setAttribute(this.#drawing, 'aria-label', describePlot(plot));
  }

  #drawTable(plot: Plot): void {
    const { columns, rows, leftOut } = plotTable(plot);
    // Bounded: a plot has a few lines, and heat maps are a list of cells.
    const head = h('tr', {}, ...columns.map((text) => h('th', { scope: 'col' }, text)));
    const body = rows.map(([first = '', ...rest]) =>
      // Bounded: a row has as many cells as the head.
      h('tr', {}, h('th', { scope: 'row' }, first), ...rest.map((text) => h('td', {}, text))),
    );
    const cells = h('tbody', {});
    for (const row of body) cells.append(row);
    this.#table.replaceChildren(h('table', {}, h('thead', {}, head), cells));
    if (leftOut > 0) this.#table.append(h('p', {}, `${formatCount(leftOut)} more rows are left out.`));
  }
}

const TITLES: Readonly<Record<Plot['kind'], string>> = {
  percentiles: 'Percentiles',
  comparison: 'Comparison',
  'over-time': 'Over time',
  'heat-map': 'Heat map',
  bars: 'Counts',
};

const cards = new WeakMap<Element, ChartCard>();
const resizes = new ResizeObserver((entries) => {
  for (const { target } of entries) cards.get(target)?.resize();
});

/** Cards for plots. A card stays when its plot changes. */
export class ChartGrid {
  readonly element: HTMLElement = h('div', { class: 'charts' });
  #cards: ChartCard[] = [];

  show(plots: readonly Plot[]): void {
    for (const card of this.#cards.splice(plots.length)) card.dispose();
    plots.forEach((plot, i) => {
      let card = this.#cards[i];
      if (card === undefined) {
        card = new ChartCard();
        this.#cards.push(card);
        this.element.append(card.element);
      }
      card.show(plot);
    });
  }

  /** Draws again, after a change of the theme. */
  draw(): void {
    for (const card of this.#cards) card.draw();
  }
}
