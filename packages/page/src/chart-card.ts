import { describePlot, formatCount, type Plot, plotTable } from '@hdrscope/plot';
import { chartIn, drawPlot, type ECharts, pngOf, receivedPlot, type Style, svgOf } from './charts.ts';
import { button, h, setAttribute, setChildren, setName, setText, table } from './dom.ts';
import { download, fileName } from './download.ts';

/** A plot with its title, drawn or as a table of its values. */
class ChartCard {
  readonly element: HTMLElement;
  readonly #title = h('h3');
  readonly #subtitle = h('p', { class: 'subtitle' });
  readonly #drawing = h('div', { class: 'drawing', role: 'img' });
  readonly #table = h('div', { class: 'values', hidden: true, tabindex: '0', role: 'region' });
  readonly #toggle: HTMLButtonElement;
  readonly #png: HTMLButtonElement;
  readonly #svg: HTMLButtonElement;
  #chart: ECharts | undefined;
  #plot: Plot | undefined;
  #style: Style | undefined;
  #caption = '';
  #isTable = false;
  /** Whether the card is on the screen or near it. Others are drawn when they come. */
  #isNear = false;
  #isDrawn = false;

  constructor() {
    this.#toggle = button('Table', () => this.#showTable(!this.#isTable), {
      class: 'quiet',
      'aria-pressed': 'false',
    });
    this.#png = button('PNG', () => void this.#save('png'), { class: 'quiet' });
    this.#svg = button('SVG', () => void this.#save('svg'), { class: 'quiet' });
    const buttons = h('div', { class: 'buttons' }, this.#toggle, this.#png, this.#svg);
    const head = h('header', {}, h('div', {}, this.#title, this.#subtitle), buttons);
    this.element = h('article', { class: 'card' }, head, this.#drawing, this.#table);
    resizes.observe(this.#drawing);
    sightings.observe(this.element);
    cards.set(this.#drawing, this);
    cards.set(this.element, this);
  }

  /** @param caption The text below the title of a downloaded picture, such as the label of a row. */
  show(plot: Plot, style: Style, caption: string): void {
    this.#plot = receivedPlot(plot);
    this.#style = style;
    this.#caption = caption;
    const title = titleOf(plot);
    setName(this.#title, title);
    setAttribute(this.element, 'data-kind', plot.kind);
    setText(this.#subtitle, plot.subtitle ?? '');
    setAttribute(this.#drawing, 'aria-label', describePlot(this.#plot, style.zone));
    setAttribute(this.#table, 'aria-label', `${title}: values`);
    setAttribute(this.#toggle, 'aria-label', `${title} as a table`);
    setAttribute(this.#png, 'aria-label', `Download ${title} as PNG`);
    setAttribute(this.#svg, 'aria-label', `Download ${title} as SVG`);
    this.#isDrawn = false;
    this.draw();
  }

  /** Draws the card in a task of its own, when it is its turn. */
  draw(): void {
    if (this.#isNear && !this.#isDrawn) drawSoon(this);
  }

  drawNow(): void {
    const plot = this.#plot;
    if (plot === undefined || !this.#isNear || this.#isDrawn || !this.element.isConnected) return;
    if (this.#isTable) this.#drawTable(plot);
    else this.#drawChart(plot);
  }

  come(isNear: boolean): void {
    this.#isNear = isNear;
    this.draw();
  }

  resize(): void {
    this.#chart?.resize();
    this.#isDrawn = false;
    this.draw();
  }

  dispose(): void {
    resizes.unobserve(this.#drawing);
    sightings.unobserve(this.element);
    this.#chart?.dispose();
    this.#chart = undefined;
    this.element.remove();
  }

  #showTable(isTable: boolean): void {
    this.#isTable = isTable;
    setAttribute(this.#toggle, 'aria-pressed', String(isTable));
    this.#drawing.hidden = isTable;
    this.#table.hidden = !isTable;
    this.#isDrawn = false;
    this.draw();
  }

  #drawChart(plot: Plot): void {
    const { clientWidth, clientHeight } = this.#drawing;
    if (clientWidth === 0 || clientHeight === 0 || this.#style === undefined) return;
    this.#chart ??= chartIn(this.#drawing);
    drawPlot(this.#chart, plot, this.#style, clientWidth);
    this.#isDrawn = true;
  }

  #drawTable(plot: Plot): void {
    const { columns, rows, leftOut } = plotTable(plot, this.#style?.zone);
    const elements = rows.map(([first = '', ...rest]) => {
      const row = h('tr', {}, h('th', { scope: 'row' }, first));
      for (const text of rest) row.append(h('td', {}, text));
      return row;
    });
    setChildren(this.#table, [table(columns, elements)]);
    if (leftOut > 0) this.#table.append(h('p', {}, `${formatCount(leftOut)} more rows are left out.`));
    this.#isDrawn = true;
  }

  async #save(suffix: 'png' | 'svg'): Promise<void> {
    if (this.#plot === undefined || this.#style === undefined) return;
    const title = titleOf(this.#plot);
    const subtitle = [this.#caption, this.#plot.subtitle].filter(Boolean).join(' · ');
    const plot = { ...this.#plot, title, ...(subtitle === '' ? {} : { subtitle }) };
    const contents = suffix === 'svg' ? svgOf(plot, this.#style) : await pngOf(plot, this.#style);
    download(fileName(`${this.#caption} ${title}`, suffix), contents);
  }
}

function titleOf(plot: Plot): string {
  return plot.title ?? TITLES[plot.kind];
}

const TITLES: Readonly<Record<Plot['kind'], string>> = {
  percentiles: 'Percentiles',
  comparison: 'Comparison',
  'over-time': 'Over time',
  'heat-map': 'Heat map',
  bars: 'Counts',
};

/** Cards that wait to be drawn. Each takes some 50 ms, and a page that draws them all at once hears no key meanwhile. */
const waiting = new Set<ChartCard>();

function drawSoon(card: ChartCard): void {
  if (waiting.size === 0) window.setTimeout(drawNext);
  waiting.add(card);
}

function drawNext(): void {
  const [card] = waiting;
  if (card === undefined) return;
  waiting.delete(card);
  if (waiting.size > 0) window.setTimeout(drawNext);
  card.drawNow();
}

const cards = new WeakMap<Element, ChartCard>();
const resizes = new ResizeObserver((entries) => {
  for (const { target } of entries) cards.get(target)?.resize();
});
const sightings = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) cards.get(target)?.come(isIntersecting);
  },
  { rootMargin: '300px' },
);

/** Cards for plots. A card stays when its plot changes. */
export class ChartGrid {
  readonly element: HTMLElement = h('div', { class: 'charts' });
  #cards: ChartCard[] = [];
  #plots: readonly Plot[] = [];
  #caption = '';

  show(plots: readonly Plot[], style: Style, caption = ''): void {
    this.#plots = plots;
    this.#caption = caption;
    for (const card of this.#cards.splice(plots.length)) card.dispose();
    plots.forEach((plot, i) => {
      let card = this.#cards[i];
      if (card === undefined) {
        card = new ChartCard();
        this.#cards.push(card);
        this.element.append(card.element);
      }
      card.show(plot, style, caption);
    });
  }

  /** Draws again, after a change of the theme or of the time zone. */
  draw(style: Style): void {
    this.show(this.#plots, style, this.#caption);
  }
}
