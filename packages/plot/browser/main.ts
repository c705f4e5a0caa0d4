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
import { chartOption, zoomedTimes } from '../src/chart/chart-option.ts';
import type { ThemeName } from '../src/chart/theme.ts';
import type { Plot } from '../src/plot.ts';
import { plotFromJson } from '../src/plot-json.ts';

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
  chart?: ECharts;
  /** The width and theme of the last drawing, which decide on labels and colours. */
  drawnFor?: string;
}

const dark = matchMedia('(prefers-color-scheme: dark)');

function themeOf(): ThemeName {
  const { theme } = document.documentElement.dataset;
  if (theme === 'light' || theme === 'dark') return theme;
  return dark.matches ? 'dark' : 'light';
}

function draw(drawn: Drawn, theme: ThemeName = themeOf()): void {
  const { plot, element } = drawn;
  if (drawn.chart === undefined) {
    drawn.chart = init(element, null, { renderer: 'canvas' });
    drawn.chart.on('datazoom', () => labelTimes(drawn));
  }
  drawn.chart.resize();
  const width = element.clientWidth;
  const wanted = `${width} ${theme}`;
  if (drawn.drawnFor === wanted) return;
  drawn.drawnFor = wanted;
  // Hidden curves and the zoom stay as they are.
  const view = viewOf(drawn.chart);
  drawn.chart.setOption({ ...chartOption(plot, theme, width), dataZoom: zoomOf(plot) }, { notMerge: true });
  drawn.chart.setOption(view);
  labelTimes(drawn);
}

/** Labels the part of a time axis that the zoom shows. */
function labelTimes({ chart, plot, element }: Drawn): void {
  if (chart === undefined) return;
  const { dataZoom } = chart.getOption() as { dataZoom?: { start?: number; end?: number }[] };
  const { start = 0, end = 100 } = dataZoom?.[0] ?? {};
  const labels = zoomedTimes(plot, themeOf(), element.clientWidth, { from: start / 100, to: end / 100 });
  if (labels !== undefined) chart.setOption(labels);
}

/** The hidden curves and the zoom, as a part of an option. */
function viewOf(chart: ECharts): Record<string, unknown> {
  const { legend, dataZoom } = (chart.getOption() ?? {}) as {
    legend?: { selected?: object }[];
    dataZoom?: { start?: number; end?: number }[];
  };
  return {
    ...(legend?.[0]?.selected === undefined ? {} : { legend: [{ selected: legend[0].selected }] }),
    ...(dataZoom === undefined ? {} : { dataZoom: dataZoom.map(({ start, end }) => ({ start, end })) }),
  };
}

/** The wheel zooms with Ctrl only, so that the wheel alone scrolls the page. Browsers report a pinch as the wheel with Ctrl. */
function zoomOf({ kind }: Plot): object[] {
  const shared = { type: 'inside', filterMode: 'none', zoomOnMouseWheel: 'ctrl', moveOnMouseMove: true };
  return [
    { ...shared, xAxisIndex: kind === 'comparison' ? [0, 1] : [0] },
    ...(kind === 'heat-map' ? [{ ...shared, yAxisIndex: [0] }] : []),
  ];
}

function resetZoom({ chart, plot }: Drawn): void {
  zoomOf(plot).forEach((_, dataZoomIndex) => {
    chart?.dispatchAction({ type: 'dataZoom', dataZoomIndex, start: 0, end: 100 });
  });
}

/** The plots of the page. Each element has the number of its plot. */
function plotsOfPage(): Drawn[] {
  const texts = JSON.parse(document.getElementById('plots')?.textContent ?? '[]') as object[];
  return [...document.querySelectorAll<HTMLElement>('[data-plot]')].map((element) => ({
    element,
    plot: plotFromJson(JSON.stringify(texts[Number(element.dataset.plot)])),
  }));
}

function start(): void {
  const plots = plotsOfPage();
  const drawAll = (theme?: ThemeName) => {
    for (const drawn of plots) draw(drawn, theme);
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
        drawn.chart?.dispatchAction({
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
  // Paper is light.
  addEventListener('beforeprint', () => drawAll('light'));
  addEventListener('afterprint', () => drawAll());
}

start();
