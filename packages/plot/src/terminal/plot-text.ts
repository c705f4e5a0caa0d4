import { assertOptions, flag, type OptionsOwner } from '@hdrscope/core/internal';
import { assertPlot } from '../assert-plot.ts';
import { dated } from '../caption.ts';
import type { Plot } from '../plot.ts';
import { visiblePlot } from '../visible-plot.ts';
import { barLines } from './bars.ts';
import { comparisonLines } from './comparison.ts';
import { formatHeatMap } from './heat-map.ts';
import { assertSize, DEFAULT_COLUMNS, type TerminalOptions } from './options.ts';
import { timeLines } from './over-time.ts';
import { percentileLines } from './percentiles.ts';
import { cut, plain } from './text.ts';

/**
 * A plot drawn with characters: curves of braille dots, bars, or the shades of a heat map. No line is wider than `columns`. Without colours
 * each of several curves carries marks; with `ascii` each is drawn with a character of its own. Control characters in titles and names are
 * made visible.
 *
 * @returns Lines, each with a newline at its end.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it;
 *   `ERR_INVALID_VALUE` when the slots or the counts of a heat map are not valid.
 * @example
 * ```ts
 * import { integerLayout } from '@hdrscope/core/internal';
 * import { barsOf, plotText } from '@hdrscope/plot';
 *
 * const depths = barsOf(integerLayout([0, 1, 4], 0), [0, 9, 3, 0]);
 * plotText(depths, { columns: 40, ascii: true }).split('\n').map((line) => line.slice(0, 20));
 * //=> ['1   9 |#############', '2-4 3 |###########', 'total 12', '']
 * ```
 */
export function plotText(given: Plot, options: TerminalOptions = {}): string {
  assertPlot(given);
  assertOptions(options, PLOT_TEXT);
  assertSize(options);
  // Other kinds have their times below them.
  const plot = visiblePlot(given.kind === 'percentiles' ? dated(given) : given);
  if (plot.kind === 'heat-map') return formatHeatMap(plot, options);
  const { columns = DEFAULT_COLUMNS, ascii = false } = options;
  const titles = [plot.title, plot.subtitle].flatMap((title) =>
    title === undefined || title === '' ? [] : [cut(plain(title, ascii), columns, ascii)],
  );
  return [...titles, ...bodyOf(plot, options)].map((line) => `${line.trimEnd()}\n`).join('');
}

const PLOT_TEXT: OptionsOwner<TerminalOptions> = {
  name: 'plotText',
  names: { columns: true, rows: true, colours: flag, ascii: flag },
  call: 'plotText(plot, { columns: 100 })',
};

function bodyOf(plot: Exclude<Plot, { readonly kind: 'heat-map' }>, options: TerminalOptions): string[] {
  switch (plot.kind) {
    case 'percentiles':
      return percentileLines(plot, options);
    case 'comparison':
      return comparisonLines(plot, options);
    case 'over-time':
      return timeLines(plot, options);
    case 'bars':
      return barLines(plot, options);
  }
}
