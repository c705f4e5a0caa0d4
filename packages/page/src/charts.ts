import { chartOption, type Plot, plotFromJson, plotToJson } from '@hdrscope/plot';
import type { ThemeName, Zone } from '@hdrscope/plot/internal';
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
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers';

use([
  ...[LineChart, CustomChart, ScatterChart, CanvasRenderer, SVGRenderer],
  ...[AriaComponent, AxisPointerComponent, GridComponent],
  ...[LegendComponent, TitleComponent, TooltipComponent],
]);

export type { ECharts };

/** How a chart is drawn. */
export interface Style {
  readonly theme: ThemeName;
  readonly zone: Zone;
}

/** Makes an empty chart in an element. */
export function chartIn(element: HTMLElement): ECharts {
  return init(element, null, { renderer: 'canvas' });
}

/** A plot that came as JSON, in which infinite bounds are `null`. */
export function receivedPlot(plot: Plot): Plot {
  return plotFromJson(plotToJson(plot));
}

/** Draws a plot without its titles, which the page shows above the drawing. */
export function drawPlot(chart: ECharts, plot: Plot, { theme, zone }: Style, width: number): void {
  const { title: _, subtitle: __, ...untitled } = plot;
  const option = chartOption(untitled as Plot, theme, width, zone);
  chart.setOption(
    { ...option, backgroundColor: 'transparent', aria: { enabled: false } },
    { replaceMerge: ['series', 'grid', 'xAxis', 'yAxis'] },
  );
}

const PICTURE = { width: 920, height: 480 } as const;
const PIXEL_RATIO = 2;

/** A plot as a PNG with its titles and the background of the theme. */
export async function pngOf(plot: Plot, { theme, zone }: Style): Promise<Blob> {
  const chart = init(document.createElement('div'), null, { renderer: 'canvas', ...PICTURE });
  try {
    chart.setOption(chartOption(plot, theme, PICTURE.width, zone));
    const canvas = chart.renderToCanvas({ pixelRatio: PIXEL_RATIO });
    return await new Promise<Blob>((resolve, reject) => {
      canvas.toBlob((blob) => (blob === null ? reject(new Error('no picture')) : resolve(blob)), 'image/png');
    });
  } finally {
    chart.dispose();
  }
}

/** A plot as an SVG with its titles and the background of the theme. */
export function svgOf(plot: Plot, { theme, zone }: Style): Blob {
  const chart = init(null, null, { renderer: 'svg', ssr: true, ...PICTURE });
  try {
    chart.setOption(chartOption(plot, theme, PICTURE.width, zone));
    return new Blob([chart.renderToSVGString()], { type: 'image/svg+xml' });
  } finally {
    chart.dispose();
  }
}
