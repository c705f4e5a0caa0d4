import { type KernelIncrease, mergeNamed, sumNamed } from '@hdrscope/ebpf/internal';
import { ExitCode, type Io, UsageError } from '../../command.ts';
import { defineCommand } from '../../define-command.ts';
import { boundsCells, columnsFor, columnsOption, type FigureColumn, percentilesFor } from '../../figures.ts';
import { ASCII, intervalOption, intervalsOption, percentilesOption } from '../../options.ts';
import { RateRows } from '../../screen/rate-rows.ts';
import { replaceScreen, screenOf } from '../../screen/screen.ts';
import { shownTable } from '../../screen/table.ts';
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
the map is replaced. Standard error reports such events, each once. It ends with 1 after --intervals when
counts of one of them were refused.`;

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
      : (isOfHost && io.stdout.isTerminal ? screenWriter : lineWriter)(
          io,
          shownAs,
          columnsFor(options, ['count', 'rate'], []),
        );
    const which = isOfHost ? undefined : operandOf(operands, options.config);
    let isRefused = false;
    const refuse = (): void => {
      isRefused = true;
    };
    for await (const { increases, startMs, endMs } of watchIncreases(which, options, io, kernel, refuse)) {
      await write(mergeNamed(increases), (endMs - startMs) / 1000 || options.interval);
    }
    return isRefused ? ExitCode.refused : ExitCode.done;
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

/** Lines below those of the interval before. */
function lineWriter(io: Io, shownAs: ShownAs, columns: readonly FigureColumn[]): Writer {
  const rows = new RateRows(columns, 'histogram', io);
  return async (increases, seconds) => {
    await noteResets(increases, io);
    const all = increases.map((increase) => {
      const figures = kernelFigures(sumNamed(increase), shownAs, seconds);
      return rows.lines(titleOf(increase), figures, (bounds) =>
        formatMapBounds(bounds, { ...shownAs, ...figures }),
      );
    });
    await io.stdout.write(rows.interval(all));
  };
}

/** The height of a screen that does not state it. */
const USUAL_HEIGHT = 43;

/** A table in place of that of the interval before: the largest counts come first, and those that do not fit are counted. */
function screenWriter(io: Io, shownAs: ShownAs, columns: readonly FigureColumn[]): Writer {
  const isPercentile = columns.map(({ text }) => text === undefined);
  // On a narrow screen, the lowest percentile is left out first, and the highest one stays.
  const spared = columns.map((column, at) =>
    isPercentile[at] && isPercentile.lastIndexOf(true) > at
      ? { ...column, spare: columns.length - at }
      : column,
  );
  return async (given, seconds) => {
    await noteResets(given, io);
    const rows = byTotal(given).map((increase) => {
      const figures = kernelFigures(sumNamed(increase), shownAs, seconds);
      const cells = boundsCells(columns, figures, (bounds) =>
        formatMapBounds(bounds, { ...shownAs, ...figures }),
      );
      return [titleOf(increase), ...cells];
    });
    // Two lines are for the number of the others, and for the cursor.
    const most = Math.max((io.stdout.rows ?? USUAL_HEIGHT) - 2, 1);
    let shown = rows.slice(0, most);
    const linesOf = () => shownTable([{ title: 'histogram', isText: true }, ...spared], shown, io);
    while (shown.length > 1 && linesOf().length > most) shown = shown.slice(0, -1);
    const more = rows.length - shown.length;
    const lines = [...linesOf(), ...(more > 0 ? [`and ${more} more`] : [])];
    await io.stdout.write(replaceScreen(`${lines.join('\n')}\n`));
  };
}

async function noteResets(increases: readonly KernelIncrease[], io: Io): Promise<void> {
  for (const increase of increases.filter(({ isReset }) => isReset)) {
    await io.stderr.write(`hdrscope: ${titleOf(increase)}: counters were reset\n`);
  }
}

function byTotal(increases: readonly KernelIncrease[]): KernelIncrease[] {
  const total = ({ counts }: KernelIncrease): number => counts.reduce((sum, count) => sum + count, 0);
  return [...increases].sort((a, b) => total(b) - total(a));
}
