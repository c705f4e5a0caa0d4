/**
 * Draws the plots of a page that `renderHtml` made. All that it needs is in the page.
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
import { chartOption } from '../src/chart/chart-option.ts';
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

/** A plot of the page, and what draws it. */
interface Drawn {
  readonly plot: Plot;
  readonly element: HTMLElement;
  chart?: ECharts;
  /** What it was drawn for, as a legend's rows and colours depend on it. */
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
  drawn.chart ??= init(element, null, { renderer: 'canvas' });
  drawn.chart.resize();
  const width = element.clientWidth;
  const wanted = `${width} ${theme}`;
  if (drawn.drawnFor === wanted) return;
  drawn.drawnFor = wanted;
  // Which curves are hidden, and what part is looked at, stays.
  const kept = keptOf(drawn.chart);
  drawn.chart.setOption({ ...chartOption(plot, theme, width), dataZoom: zoomOf(plot) }, { notMerge: true });
  drawn.chart.setOption(kept);
}

function keptOf(chart: ECharts): Record<string, unknown> {
  const { legend, dataZoom } = (chart.getOption() ?? {}) as {
    legend?: { selected?: object }[];
    dataZoom?: { start?: number; end?: number }[];
  };
  return {
    ...(legend?.[0]?.selected === undefined ? {} : { legend: [{ selected: legend[0].selected }] }),
    ...(dataZoom === undefined ? {} : { dataZoom: dataZoom.map(({ start, end }) => ({ start, end })) }),
  };
}

/** With Ctrl, so that the wheel alone still scrolls the page. A pinch on a touch pad comes as that too. */
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

/** The plots of the page: their elements have the numbers of their plots. */
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
    drawn.element.parentElement
      ?.querySelector('[data-action="reset"]')
      ?.addEventListener('click', () => resetZoom(drawn));
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
