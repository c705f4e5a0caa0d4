import { parseHistogramDump } from '@hdrscope/ceph';
import { withSource } from '@hdrscope/ceph/internal';
import { HdrscopeError } from '@hdrscope/core';
import { NUMBER_UNITS, withName } from '@hdrscope/inputs/internal';
import { asArray, asFinite, asObject, asText, Budget, isObject, parseJson } from '@hdrscope/kit';
import { type BarPlot, type Plot, plotFromJson } from '@hdrscope/plot';
import type { AxisSlot } from '@hdrscope/plot/internal';
import type { CountedUnit } from '@hdrscope/registry';
import { type Io, Refusal } from '../../command.ts';
import { describeForm } from '../../inputs/forms.ts';
import { type Input, wholeText } from '../../inputs/input.ts';
import { cureOf, isPlotDocument } from '../../inputs/numbers.ts';
import { chooseCounter, merged, perfPlot } from '../ceph/counter-plot.ts';
import { noteWriter, type Sourced, titleOf } from '../ceph/histograms.ts';
import { titleOf as titleOfCounted } from '../ebpf/histogram.ts';

/** Facts about the contents that the command line states. */
interface JsonOptions {
  /** The unit of the kernel's histograms. @default that in the document, else none */
  readonly unit: CountedUnit | undefined;
  readonly counter: string | undefined;
  /** Gets the number of bytes of each chunk. */
  readonly onBytes?: (bytes: number) => void;
}

/**
 * The plots of a file of JSON: what this command has printed with `--json`, and `hdrscope ceph heatmap`; what
 * `hdrscope ebpf read --json` and `ebpf watch --json` have printed; a dump of Ceph.
 *
 * @throws Refusal
 */
export async function plotsOfJson(
  input: Input,
  { unit, counter, onBytes }: JsonOptions,
  io: Io,
): Promise<Plot[]> {
  const text = await wholeText(input, 'JSON', onBytes);
  const json = await withName(input.name, () => parsed(text));
  if (Array.isArray(json) && json.length > 0 && json.every(isPlotDocument)) {
    return withName(input.name, () => json.map((plot) => plotFromJson(JSON.stringify(plot))));
  }
  const kernel = kernelHistograms(json);
  if (kernel !== undefined) {
    return withName(input.name, () => kernel.map((one, at) => barsOfKernel(one, `histograms[${at}]`, unit)));
  }
  if (!isDump(text)) throw new Refusal(notDrawn(input));
  return [await plotOfDump(input, text, counter, io)];
}

/** Whether a text may be a dump of Ceph, in JSON or XML. */
function isDump(text: string): boolean {
  return /"axes"\s*:|<perfcounter_collection>/.test(text);
}

function notDrawn(input: Input): string {
  const cure = cureOf(input, 'hdrscope plot');
  return cure === undefined ? describeForm(input.name, 'json') : `${input.name} is JSON; ${cure}`;
}

/** The largest dump of a cluster has some millions of counts. Each takes a few bytes. */
const LIMITS = { elements: 8_000_000, depth: 64 };
// A document costs as much as many of its parts, and each is a plot.
const PER_DOCUMENT = 100;

/** Parses a document, or one document per line; `undefined` for a dump of Ceph with other text around it. */
function parsed(text: string): unknown {
  const whole = parsedOrNot(text, new Budget('JSON', LIMITS));
  if (whole !== undefined) return isPlotDocument(whole) ? [whole] : whole;
  const budget = new Budget('JSON', LIMITS);
  const documents: unknown[] = [];
  const trimmed = text.trim();
  for (let start = 0, end = 0; end < trimmed.length; start = end + 1) {
    end = trimmed.indexOf('\n', start);
    if (end === -1) end = trimmed.length;
    budget.takeElements(PER_DOCUMENT);
    const document = parsedOrNot(trimmed.slice(start, end), budget);
    if (document === undefined) return undefined;
    documents.push(document);
  }
  return documents;
}

/** `undefined` when the text is not JSON. @throws HdrscopeError `ERR_TOO_LARGE` */
function parsedOrNot(text: string, budget: Budget): unknown {
  try {
    return parseJson(text, 'the text', budget);
  } catch (error) {
    if (error instanceof HdrscopeError && error.code === 'ERR_DECODE') return undefined;
    throw error;
  }
}

async function plotOfDump(
  { name, title }: Input,
  text: string,
  counter: string | undefined,
  io: Io,
): Promise<Plot> {
  const options = counter === undefined ? {} : { counter };
  const found = await withName(name, () => parseHistogramDump(text, options));
  const sourced = found.map((one) => withSource(one, title));
  if (sourced.length === 0)
    throw new Refusal(`${name} has no histograms${counter === undefined ? '' : ` of ${counter}`}`);
  const chosen = await chooseCounter(sourced, io);
  const [first, ...others] = chosen.members as [Sourced, ...Sourced[]];
  await noteWriter(io)(chosen.members);
  const sources = chosen.members.map(({ source }) => source).join(', ');
  return perfPlot(merged([first, ...others]), {}, { title: `${titleOf(first, false)} of ${sources}` });
}

/** The histograms that `hdrscope ebpf read --json` or `ebpf watch --json` has printed; `undefined` for other documents. */
function kernelHistograms(json: unknown): readonly unknown[] | undefined {
  const documents: unknown[] = Array.isArray(json) ? json : [json];
  const found = documents.flatMap((document) =>
    isObject(document) && Array.isArray(document.histograms) ? document.histograms : document,
  );
  return found.length > 0 && found.every((one) => isObject(one) && Array.isArray(one.slots))
    ? found
    : undefined;
}

/**
 * Bars of a histogram: the slots that were hit. An open bound is `null`.
 *
 * @throws HdrscopeError `ERR_DECODE`
 */
function barsOfKernel(histogram: unknown, where: string, stated: CountedUnit | undefined): BarPlot {
  const { name, attributes = {}, slots, unit: own } = asObject(histogram, where);
  const shown: AxisSlot[] = [];
  const counts: number[] = [];
  for (const [at, item] of asArray(slots, `${where}.slots`).entries()) {
    const { lower, upper, count } = asObject(item, `${where}.slots[${at}]`);
    const slot = {
      lower: lower === null ? Number.NEGATIVE_INFINITY : asFinite(lower, `${where}.slots[${at}].lower`),
      upper: upper === null ? Number.POSITIVE_INFINITY : asFinite(upper, `${where}.slots[${at}].upper`),
    };
    const before = shown.at(-1);
    // The slots between two that were hit are one empty slot here.
    if (before !== undefined && slot.lower > before.upper + 1) {
      shown.push({ lower: before.upper + 1, upper: slot.lower - 1 });
      counts.push(0);
    }
    shown.push(slot);
    counts.push(asFinite(count, `${where}.slots[${at}].count`));
  }
  return {
    kind: 'bars',
    title: titleOfCounted({
      name: asText(name, `${where}.name`),
      attributes: asObject(attributes, `${where}.attributes`),
    }),
    unit: stated ?? NUMBER_UNITS.find((one) => one === own) ?? 'none',
    slots: shown,
    isInteger: true,
    counts,
  };
}
