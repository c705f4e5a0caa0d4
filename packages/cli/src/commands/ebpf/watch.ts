import { type KernelIncrease, mergeNamed, sumNamed } from '@hdrscope/ebpf/internal';
import { type Io, UsageError } from '../../command.ts';
import { defineCommand } from '../../define-command.ts';
import { columnsFor, columnsOption, type FigureColumn, percentilesFor } from '../../figures.ts';
import { ASCII, intervalOption, intervalsOption, percentilesOption } from '../../options.ts';
import { replaceScreen } from '../../screen/live.ts';
import { RateRows } from '../../screen/rate-rows.ts';
import { screenOf } from '../../screen/screen.ts';
import { operandOf, shownUnit, withConfig } from './exporter-config.ts';
import { watchIncreases } from './follow.ts';
import {
  formatMapBounds,
  histogramJson,
  kernelFigures,
  MAP_UNIT,
  type ShownAs,
  titleOf,
} from './histogram.ts';
import {
  type Kernel,
  MAP_ARGUMENT_HELP,
  MAP_OPTIONS,
  type MapOptions,
  PROGRAM_ARGUMENT_HELP,
  THIS_KERNEL,
} from './map.ts';

const DESCRIPTION = `Shows what a map counts from now on, until Ctrl-C: a line for each histogram with counts in an interval.

Without a map it shows all maps of this machine whose layouts are known, on one screen of a terminal:
those that counted most come first. Maps may come and go.

A map that is not there yet is waited for. A count is never negative, even when counters are reset or
the map is replaced. Standard error reports such events, each once.`;

export const command = defineCommand({
  path: 'hdrscope ebpf watch',
  description: DESCRIPTION,
  examples: [
    'hdrscope ebpf watch',
    'hdrscope ebpf watch /sys/fs/bpf/queue_hist --layout queue-depth',
    'hdrscope ebpf watch /sys/fs/bpf/latency_hist --layout log-linear-8 --unit ns --json',
    'hdrscope ebpf watch name:hists --layout libbpf-tools --interval 10s --intervals 6',
    'hdrscope ebpf watch program:blockio',
  ],
  operands: { '[map]': `${MAP_ARGUMENT_HELP}; or ${PROGRAM_ARGUMENT_HELP}` },
  options: {
    interval: { ...intervalOption(), default: 1, fallback: '1s' },
    intervals: intervalsOption(),
    columns: columnsOption('text', ['stdev']),
    ...MAP_OPTIONS,
    percentiles: percentilesOption(),
    unit: MAP_UNIT,
    ...ASCII,
  },
  formats: ['text', 'json'],
  formatNotes: 'json is a line for each histogram with counts',
  async run({ options: given, operands, format }, io, kernel: Kernel = THIS_KERNEL) {
    const options = await withConfig(given);
    const isOfHost = operands.length === 0 && options.config === undefined;
    if (isOfHost) assertOfOneMap(options);
    const unit = shownUnit(options.unit, options.config);
    const isJson = format === 'json';
    const shownAs = { unit, ...screenOf(io, options), percentiles: percentilesFor(options, !isJson) };
    const write = isJson
      ? jsonWriter(io, shownAs)
      : writer(io, shownAs, columnsFor(options, ['count', 'rate'], []), isOfHost && io.stdout.isTerminal);
    const which = isOfHost ? undefined : operandOf(operands, options.config);
    for await (const { increases, startMs, endMs } of watchIncreases(which, options, io, kernel)) {
      await write(mergeNamed(increases), (endMs - startMs) / 1000 || options.interval);
    }
  },
});

/** @throws UsageError when an option of one map is stated without a map. */
function assertOfOneMap({ layout, shape, sum, bpftool }: MapOptions): void {
  const given = Object.entries({ layout, shape, sum, bpftool }).find(([, value]) => value !== undefined);
  if (given !== undefined) throw new UsageError(`--${given[0]} is for one map: name it`);
}

type Writer = (increases: readonly KernelIncrease[], seconds: number) => Promise<void>;

function jsonWriter(io: Io, { percentiles, unit }: ShownAs): Writer {
  return async (increases, seconds) => {
    for (const increase of increases) {
      const histogram = sumNamed(increase);
      const { isReset, uncertain } = increase;
      const row = {
        seconds,
        ratePerSec: histogram.counts.total / seconds,
        isReset,
        ...(uncertain > 0 && { uncertain }),
        ...histogramJson(histogram, percentiles, unit),
      };
      await io.stdout.write(`${JSON.stringify(row)}\n`);
    }
  };
}

/** More rows fit no screen. */
const MOST_ROWS = 40;

/** @param isScreen Whether each interval takes the place of the one before, with the largest counts first. */
function writer(io: Io, shownAs: ShownAs, columns: readonly FigureColumn[], isScreen: boolean): Writer {
  const makeRows = () => new RateRows(columns, 'histogram', io);
  let rows = makeRows();
  return async (given, seconds) => {
    const increases = isScreen ? byTotal(given) : given;
    if (isScreen) rows = makeRows();
    for (const increase of increases.filter(({ isReset }) => isReset)) {
      await io.stderr.write(`hdrscope: ${titleOf(increase)}: counters were reset\n`);
    }
    const all = increases.map((increase) => {
      const figures = kernelFigures(sumNamed(increase), shownAs, seconds);
      return rows.lines(titleOf(increase), figures, (bounds) =>
        formatMapBounds(bounds, { ...shownAs, ...figures }),
      );
    });
    if (!isScreen) return io.stdout.write(rows.interval(all));
    const more = all.length - MOST_ROWS;
    const text = rows.interval(all.slice(0, MOST_ROWS)) + (more > 0 ? `and ${more} more\n` : '');
    return io.stdout.write(replaceScreen(text));
  };
}

function byTotal(increases: readonly KernelIncrease[]): KernelIncrease[] {
  const total = ({ counts }: KernelIncrease): number => counts.reduce((sum, count) => sum + count, 0);
  return [...increases].sort((a, b) => total(b) - total(a));
}
