import { HdrscopeError, type IntegerLayout } from '@hdrscope/core';
import { usedSlots } from '@hdrscope/core/internal';
import { sumCpus } from '@hdrscope/ebpf';
import type { KernelIncrease } from '@hdrscope/ebpf/internal';
import { formatCount } from '@hdrscope/kit';
import { type HeatMapPlot, type Plot, plotToJson } from '@hdrscope/plot';
import { heatMapOfSlots, slotsOf, type TimedSlots } from '@hdrscope/plot/internal';
import type { CountedUnit } from '@hdrscope/registry';
import type { Io } from '../../command.ts';
import { defineCommand } from '../../define-command.ts';
import { jsonDocument } from '../../figures.ts';
import { ASCII, integer, intervalOption, intervalsOption } from '../../options.ts';
import { hasColours, replaceLines, screenOf } from '../../screen/screen.ts';
import { terminalPlot } from '../../screen/terminal-plot.ts';
import { operandOf, shownUnit, withConfig } from './exporter-config.ts';
import { watchIncreases } from './follow.ts';
import { MAP_UNIT } from './histogram.ts';
import {
  assertOneHistogram,
  type Kernel,
  MAP_ARGUMENT_HELP,
  MAP_OPTIONS,
  PROGRAM_ARGUMENT_HELP,
  THIS_KERNEL,
} from './map.ts';

const DEFAULT_INTERVALS = 60;
const MOST_INTERVALS = 1000;

const DESCRIPTION = `Draws what a map counts from now on over time: a column for each interval, a row for each slot, and a shade for
each count.

A terminal shows the picture as it grows. Ctrl-C ends it early. Histograms of several keys are added up.
A map that is not there yet is waited for.`;

export const command = defineCommand({
  path: 'hdrscope ebpf heatmap',
  description: DESCRIPTION,
  examples: [
    'hdrscope ebpf heatmap /sys/fs/bpf/latency_hist --layout log-linear-8 --unit ns',
    'hdrscope ebpf heatmap name:hists --layout libbpf-tools --interval 10s --intervals 30',
    'hdrscope ebpf heatmap id:42 --layout bcc --json | hdrscope plot - -o latency.svg',
    'hdrscope ebpf heatmap program:runqueue/all/latency',
  ],
  operands: { '[map]': `${MAP_ARGUMENT_HELP}; or ${PROGRAM_ARGUMENT_HELP}` },
  options: {
    interval: { ...intervalOption(), default: 1, fallback: '1s' },
    intervals: {
      ...intervalsOption('how many columns it draws', `${DEFAULT_INTERVALS}`),
      parse: integer(1, MOST_INTERVALS),
      default: DEFAULT_INTERVALS,
    },
    ...MAP_OPTIONS,
    unit: MAP_UNIT,
    ...ASCII,
  },
  formats: ['text', 'json'],
  formatNotes: 'json is a plot, which hdrscope plot draws',
  output: 'when done',
  async run({ options: given, operands, format }, io, kernel: Kernel = THIS_KERNEL) {
    const options = await withConfig(given);
    const { config } = options;
    const json = format === 'json';
    const which = operandOf(operands, config);
    assertOneHistogram(which);
    const map = new KernelHeatMap(which, shownUnit(options.unit, config));
    const isLive = io.stdout.isTerminal && !json;
    let shown = '';
    const draw = async (): Promise<void> => {
      const text = drawing(map.plot(), options, io);
      await io.stdout.write(replaceLines(shown, text));
      shown = text;
    };
    // Ctrl-C ends the counting early, and the command shows its result.
    io.endSlowly?.();
    let problem: unknown;
    try {
      for await (const { increases, startMs, endMs } of watchIncreases(which, options, io, kernel)) {
        map.add(increases, startMs, endMs);
        if (isLive) await draw();
      }
    } catch (error) {
      if (!io.signal.aborted) problem = error;
    }
    if (problem === undefined || map.columns > 0) {
      if (json) await io.stdout.write(jsonDocument(JSON.parse(plotToJson(map.plot())) as object));
      else if (!isLive) await draw();
    }
    if (problem !== undefined) throw problem;
  },
});

/** A terminal may be lower than a picture with all slots. */
const LIVE_ROWS = 20;

function drawing(plot: Plot, options: { readonly ascii?: boolean }, io: Io): string {
  const { columns, ascii } = screenOf(io, options);
  return terminalPlot(plot, {
    ascii,
    colours: hasColours(io, io.stdout),
    ...(columns !== undefined && { columns: Math.max(NARROWEST, columns) }),
    ...(io.stdout.isTerminal && { rows: LIVE_ROWS }),
  });
}

const NARROWEST = 40;

/** What a map counts over time, slot by slot. Histograms of several keys are added up. */
class KernelHeatMap {
  readonly #argument: string;
  #unit: CountedUnit;
  #layout: IntegerLayout | undefined;
  #name: string | undefined;
  #total = 0;
  readonly #columns: TimedSlots[] = [];

  /** @param unit The unit of the values, unless the source knows it. */
  constructor(argument: string, unit: CountedUnit) {
    this.#argument = argument;
    this.#unit = unit;
  }

  get columns(): number {
    return this.#columns.length;
  }

  /**
   * Adds a column. The times are those of `performance.now()`.
   *
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when a histogram has other slots than the ones before.
   */
  add(increases: readonly KernelIncrease[], startMs: number, endMs: number): void {
    for (const { layout, name, metric } of increases) {
      this.#name ??= name;
      this.#unit = metric?.kernelUnit ?? this.#unit;
      this.#layout ??= layout.slots;
      if (layout.slots.bounds.join() === this.#layout.bounds.join()) continue;
      throw new HdrscopeError(
        'ERR_INCOMPATIBLE',
        `${this.#argument} has other slots than before, and one picture cannot have both: begin another one`,
      );
    }
    const counts = new Float64Array(this.#layout?.slotCount ?? 0);
    for (const increase of increases) {
      const { counts: added } = sumCpus(increase);
      for (const [slot, count] of usedSlots(added)) counts[slot]! += count;
      this.#total += added.total;
    }
    this.#columns.push({ startMs, endMs, counts });
  }

  plot(): HeatMapPlot {
    const slots = this.#layout === undefined ? [{ lower: 0, upper: 1 }] : slotsOf(this.#layout);
    const columns = this.#columns.length === 0 ? [{ startMs: 0, endMs: 0, counts: [] }] : this.#columns;
    const seconds = columns.reduce((sum, { startMs, endMs }) => sum + (endMs - startMs) / 1000, 0);
    const { timeOrigin } = performance;
    const since1970 = columns.map(({ startMs, endMs, counts }) => ({
      ...{ startMs: timeOrigin + startMs, endMs: timeOrigin + endMs },
      counts,
    }));
    return heatMapOfSlots(slots, since1970, {
      title: this.#name ?? this.#argument,
      subtitle: `${formatCount(this.#total)} values in ${Number(seconds.toFixed(1))} s`,
      name: 'value',
      unit: this.#unit,
    });
  }
}
