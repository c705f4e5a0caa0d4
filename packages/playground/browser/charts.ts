/**
 * The part of the page that draws. It comes with the first file, because ECharts is larger than all the rest.
 */
import { ChartGrid } from '@hdrscope/page/chart-card';
import { plotFromJson } from '@hdrscope/plot';

/** What the part gives to the page. */
export interface Charts {
  readonly ChartGrid: typeof ChartGrid;
  readonly plotFromJson: typeof plotFromJson;
}

Object.assign(globalThis, { hdrscopeCharts: { ChartGrid, plotFromJson } satisfies Charts });
