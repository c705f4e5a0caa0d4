import { explicitLayout, HdrscopeError } from '@hdrscope/core';
import { assertText, usedSlots } from '@hdrscope/core/internal';
import { Budget, VMRANGE_BOUNDARIES, VMRANGES } from '@hdrscope/kit';
import { type CountedRange, countRanges, type NamedSketch, type SketchTarget } from './sketch.ts';

// The text of VictoriaMetrics' client: a line for each bucket that has values, with its count since the start of the process.
// Source: https://docs.victoriametrics.com/victoriametrics/keyconcepts/#histogram and https://pkg.go.dev/github.com/VictoriaMetrics/metrics#Histogram
const LIMITS = { elements: 2_000_000 };
const LINE =
  /^([a-zA-Z_:][a-zA-Z0-9_:]{0,400})(_bucket|_sum|_count)(?:\{(.{0,10000})\})? +(\S{1,40})(?: +\d{1,20})?\s*$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]{0,200})="((?:[^"\\]|\\.){0,2000})",?/y;
const RANGE_AT: ReadonlyMap<string, number> = /* @__PURE__ */ new Map(
  VMRANGES.map((range, at) => [range, at]),
);

interface Series {
  readonly name: string;
  readonly attributes: Record<string, string>;
  readonly counts: Map<number, number>;
  sum?: number;
  count?: number;
}

/**
 * Reads the histograms of a text of metrics whose buckets have the label `vmrange`. Other metrics are left out.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `text` is no text; `ERR_DECODE` when VictoriaMetrics has no such bucket, or a bucket comes twice or has a count that is no integer from 0 to 2^53 − 1, and when
 *   buckets contradict their count; `ERR_TOO_LARGE` when there are more than two million lines.
 * @example
 * ```ts
 * import { readVmranges } from '@hdrscope/inputs/sketches';
 *
 * const [histogram] = readVmranges(`request_seconds_bucket{path="/a",vmrange="1.000e+00...1.136e+00"} 3
 * request_seconds_sum{path="/a"} 3.1
 * request_seconds_count{path="/a"} 3
 * `);
 * [histogram?.attributes, histogram?.counted.counts.total, histogram?.sum]; //=> [{ path: '/a' }, 3, 3.1]
 * ```
 */
export function readVmranges(text: string): readonly NamedSketch[] {
  assertText('the text', text);
  const budget = new Budget('the text', LIMITS);
  const found = new Map<string, Series>();
  let lineNumber = 0;
  for (const line of text.split('\n')) {
    lineNumber++;
    budget.takeElements();
    const [, name, what, labels = '', value] = LINE.exec(line) ?? [];
    if (name === undefined) continue;
    const { vmrange, ...attributes } = readLabels(labels);
    if ((what === '_bucket') !== (vmrange !== undefined)) continue;
    const key = JSON.stringify([name, Object.entries(attributes).sort()]);
    const series = found.get(key) ?? { name, attributes, counts: new Map<number, number>() };
    found.set(key, series);
    if (what === '_sum') series.sum = Number(value);
    else if (what === '_count') series.count = Number(value);
    else addBucket(series, vmrange!, Number(value), `line ${lineNumber}`);
  }
  return Array.from(found.values())
    .filter(({ counts }) => counts.size > 0)
    .map(countSeries);
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  for (let match = LABEL.exec(text); match !== null; match = LABEL.exec(text)) {
    labels[match[1]!] = match[2]!.replace(/\\(.)/g, (_, character: string) =>
      character === 'n' ? '\n' : character,
    );
  }
  return labels;
}

function addBucket({ counts }: Series, vmrange: string, count: number, where: string): void {
  const at = RANGE_AT.get(vmrange);
  if (at === undefined) {
    throw new HdrscopeError(
      'ERR_DECODE',
      `${where}: vmrange="${vmrange}" is no bucket of VictoriaMetrics' client`,
    );
  }
  if (!(Number.isSafeInteger(count) && count >= 0)) {
    throw new HdrscopeError(
      'ERR_DECODE',
      `${where}: a count must be an integer from 0 to 2^53 - 1, got ${count}`,
    );
  }
  if (counts.has(at)) throw new HdrscopeError('ERR_DECODE', `${where}: vmrange="${vmrange}" comes twice`);
  counts.set(at, count);
}

function countSeries({ name, attributes, counts, sum, count }: Series): NamedSketch {
  const used = [...counts].filter(([, one]) => one > 0).sort(([a], [b]) => a - b);
  const ranges: CountedRange[] = used.map(([at, one]) => ({
    lower: VMRANGE_BOUNDARIES[at - 1] ?? 0,
    upper: VMRANGE_BOUNDARIES[at] ?? Number.POSITIVE_INFINITY,
    count: one,
  }));
  const counted = countRanges(ranges, 'upper');
  const { total } = counted.counts;
  if (count !== undefined && count !== total) {
    throw new HdrscopeError(
      'ERR_DECODE',
      `${name} has buckets of ${total} values, and its count is ${count}`,
    );
  }
  return { name, attributes, counted, ...(sum !== undefined && Number.isFinite(sum) && { sum }) };
}

/** A text of one histogram in VictoriaMetrics' buckets. @param name The name of the metric: letters, digits, `_` and `:` */
export function targetVmranges(name: string): SketchTarget {
  return {
    // 0 is in the first bucket, and a negative number in none.
    layout: explicitLayout([-Number.MIN_VALUE, ...VMRANGE_BOUNDARIES]),
    openSlots: 'last',
    write(counts, { sum }) {
      const lines = Array.from(
        usedSlots(counts),
        ([slot, count]) => `${name}_bucket{vmrange="${VMRANGES[slot - 1]}"} ${count}`,
      );
      if (sum !== undefined) lines.push(`${name}_sum ${sum}`);
      return `${[...lines, `${name}_count ${counts.total}`].join('\n')}\n`;
    },
  };
}
