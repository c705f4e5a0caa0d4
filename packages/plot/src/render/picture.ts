import { assertPlot } from '../assert-plot.ts';
import { captioned } from '../caption.ts';
import { chartOption } from '../chart/chart-option.ts';
import { describePlot } from '../chart/description.ts';
import type { ChartOption } from '../chart/option.ts';
import {
  describeWaterfall,
  type WaterfallPlot,
  waterfallHeight,
  waterfallOption,
} from '../chart/waterfall-chart.ts';
import type { Plot } from '../plot.ts';
import { type CheckedOptions, checkOptions, type RenderOptions } from './options.ts';

/** What a picture shows. */
export interface Picture extends CheckedOptions {
  readonly option: ChartOption;
  /** The picture in words. */
  readonly description: string;
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` unless `given` looks like a plot, or when an option is outside its range. */
export function makePicture(given: Plot | WaterfallPlot, options: RenderOptions): Picture {
  if ((given as WaterfallPlot | undefined)?.kind === 'waterfall') {
    const plot = given as WaterfallPlot;
    const { height = waterfallHeight(plot), ...others } = options;
    const checked = checkOptions({ ...others, height }, plot.kind);
    const option = waterfallOption(plot, checked.theme, checked.width);
    return { ...checked, option, description: describeWaterfall(plot) };
  }
  assertPlot(given);
  const plot = captioned(given);
  const checked = checkOptions(options, plot.kind);
  const option = chartOption(plot, checked.theme, checked.width);
  return { ...checked, option, description: describePlot(plot) };
}
