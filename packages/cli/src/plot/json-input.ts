import { HdrscopeError } from '@hdrscope/core';
import { type AxisSlot, type BarPlot, type Plot, plotFromJson } from '@hdrscope/plot';
import type { Attributes, CountedUnit } from '@hdrscope/registry';
import { noteWriter, type Sourced, titleOf } from '../ceph/histograms.ts';
import { perfPlot } from '../ceph/perf-plot.ts';
import { chooseCounter, merged } from '../ceph/which-counter.ts';
import { type Io, Refusal } from '../command.ts';
import { titleOf as titleOfCounted } from '../ebpf/histogram-text.ts';
import type { Input } from '../inputs/open-inputs.ts';
import { wholeText } from '../inputs/whole-text.ts';

const KINDS: readonly string[] = [
  'percentiles',
  'comparison',
  'over-time',
  'heat-map',
  'bars',
] satisfies Plot['kind'][];

/** Facts about the contents that the command line states. */
interface JsonOptions {
  /** The unit of the kernel's histograms, which JSON does not contain. */
  readonly unit: CountedUnit | undefined;
  /** The counter of a dump of Ceph. */
  readonly counter: string | undefined;
  /** Gets the number of bytes of each chunk. */
  readonly onBytes?: (bytes: number) => void;
}

/**
 * The plots of a file of JSON: what this command has printed with `--json`, and `hdrscope ceph heatmap`; what
 * `hdrscope ebpf read --json` has printed; a dump of Ceph.
 *
 * @throws Refusal
 */
export async function plotsOfJson(
  input: Input,
  { unit, counter, onBytes }: JsonOptions,
  io: Io,
): Promise<Plot[]> {
  const text = await wholeText(input, 'JSON', onBytes);
  const json = parsed(text);
  if (Array.isArray(json) && json.length > 0 && json.every(isPlot)) {
    return json.map((plot) => plotFromJson(JSON.stringify(plot)));
  }
  if (isKernelOutput(json)) return json.histograms.map((one) => barsOfKernel(one, unit ?? 'none'));
  return [await plotOfDump(input, text, counter, io)];
}

/** Parses a document, or one document per line; `undefined` for a dump of Ceph with other text around it. */
function parsed(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text);
    return isPlot(json) ? [json] : json;
  } catch {
    try {
      return text
        .trim()
        .split('\n')
        .map((line): unknown => JSON.parse(line));
    } catch {
      return undefined;
    }
  }
}

async function plotOfDump(
  { name, title }: Input,
  text: string,
  counter: string | undefined,
  io: Io,
): Promise<Plot> {
  const { parseHistogramDump } = await import('@hdrscope/ceph');
  const sourced = explain(name, () => parseHistogramDump(text, counter === undefined ? {} : { counter })).map(
    (one): Sourced => ({ ...one, source: one.daemon ?? title }),
  );
  if (sourced.length === 0)
    throw new Refusal(`${name} has no histograms${counter === undefined ? '' : ` of ${counter}`}`);
  const chosen = await chooseCounter(sourced, io);
  const [first, ...others] = chosen.members as [Sourced, ...Sourced[]];
  await noteWriter(io)(chosen.members);
  const sources = chosen.members.map(({ source }) => source).join(', ');
  return perfPlot(merged([first, ...others]), {}, { title: `${titleOf(first, false)} of ${sources}` });
}

function explain<T>(name: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    throw new Refusal(`${name}: ${error.message}`, { cause: error });
  }
}

function isPlot(json: unknown): json is Plot {
  return typeof json === 'object' && json !== null && 'kind' in json && KINDS.includes(String(json.kind));
}

/** A histogram as `hdrscope ebpf read --json` prints it: the slots that were hit. An open bound is `null`. */
interface KernelOutput {
  readonly name: string;
  readonly attributes: Attributes;
  readonly slots: readonly {
    readonly lower: number | null;
    readonly upper: number | null;
    readonly count: number;
  }[];
}

function isKernelOutput(json: unknown): json is { readonly histograms: readonly KernelOutput[] } {
  if (typeof json !== 'object' || json === null || !('histograms' in json)) return false;
  const { histograms } = json;
  return Array.isArray(histograms) && histograms.every((one) => Array.isArray(one?.slots));
}

function barsOfKernel({ name, attributes, slots }: KernelOutput, unit: CountedUnit): BarPlot {
  const shown: AxisSlot[] = [];
  const counts: number[] = [];
  for (const { lower, upper, count } of slots) {
    const slot = { lower: lower ?? Number.NEGATIVE_INFINITY, upper: upper ?? Number.POSITIVE_INFINITY };
    const before = shown.at(-1);
    // The slots between two that were hit are one empty slot here.
    if (before !== undefined && slot.lower > before.upper + 1) {
      shown.push({ lower: before.upper + 1, upper: slot.lower - 1 });
      counts.push(0);
    }
    shown.push(slot);
    counts.push(count);
  }
  return {
    kind: 'bars',
    title: titleOfCounted({ name, attributes }),
    unit,
    slots: shown,
    isInteger: true,
    counts,
  };
}
