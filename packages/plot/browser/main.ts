/**
 * Draws the plots of a page that `renderHtml` made. The page holds everything that this script needs.
 */
import { CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import {
  AriaComponent,
  DataZoomInsideComponent,
  GridComponent,
  LegendComponent,
  TitleComponent,
  TooltipComponent,
} from 'echarts/components';
import { type ECharts, init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import type { ThemeName } from '../src/chart/theme.ts';
import type { Plot } from '../src/plot.ts';
import { plotFromJson } from '../src/plot-json.ts';
import { PlotView, zoomOf } from './plot-view.ts';

use([
  AriaComponent,
  CanvasRenderer,
  CustomChart,
  DataZoomInsideComponent,
  GridComponent,
  LegendComponent,
  LineChart,
  ScatterChart,
  TitleComponent,
  TooltipComponent,
]);

/** A plot of the page and its chart. */
interface Drawn {
  readonly plot: Plot;
  readonly element: HTMLElement;
  readonly chart: ECharts;
  readonly view: PlotView;
}

const dark = matchMedia('(prefers-color-scheme: dark)');
let isPrinting = false;

function themeOf(): ThemeName {
  // Paper is light.
  if (isPrinting) return 'light';
  const { theme } = document.documentElement.dataset;
  if (theme === 'light' || theme === 'dark') return theme;
  return dark.matches ? 'dark' : 'light';
}

function resetZoom({ chart, plot }: Drawn): void {
  zoomOf(plot).forEach((_, dataZoomIndex) => {
    chart.dispatchAction({ type: 'dataZoom', dataZoomIndex, start: 0, end: 100 });
  });
}

/** The plots of the page. Each element has the number of its plot. */
function plotsOfPage(): Drawn[] {
  const texts = JSON.parse(document.getElementById('plots')?.textContent ?? '[]') as object[];
  return [...document.querySelectorAll<HTMLElement>('[data-plot]')].map((element) => {
    const plot = plotFromJson(JSON.stringify(texts[Number(element.dataset.plot)]));
    const chart = init(element, null, { renderer: 'canvas' });
    const view = new PlotView(plot, chart);
    chart.on('datazoom', () => view.labelTimes());
    return { plot, element, chart, view };
  });
}

function start(): void {
  const plots = plotsOfPage();
  const drawAll = () => {
    for (const { view, element } of plots) view.draw(themeOf(), element.clientWidth);
  };
  const print = (isBegun: boolean) => {
    isPrinting = isBegun;
    drawAll();
  };
  drawAll();
  const resized = new ResizeObserver(() => drawAll());
  for (const { element } of plots) resized.observe(element);
  for (const drawn of plots) {
    drawn.element.addEventListener('dblclick', () => resetZoom(drawn));
    const figure = drawn.element.parentElement;
    figure?.querySelector('[data-action="reset"]')?.addEventListener('click', () => resetZoom(drawn));
    for (const button of figure?.querySelectorAll<HTMLElement>('[data-curve]') ?? []) {
      button.addEventListener('click', () => {
        const isShown = button.getAttribute('aria-pressed') !== 'true';
        button.setAttribute('aria-pressed', String(isShown));
        drawn.chart.dispatchAction({
          type: isShown ? 'legendSelect' : 'legendUnSelect',
          name: button.dataset.curve,
        });
      });
    }
  }
  dark.addEventListener('change', () => drawAll());
  document.querySelector('[data-action="theme"]')?.addEventListener('click', () => {
    document.documentElement.dataset.theme = themeOf() === 'dark' ? 'light' : 'dark';
    drawAll();
  });
  addEventListener('beforeprint', () => print(true));
  addEventListener('afterprint', () => print(false));
}

start();
