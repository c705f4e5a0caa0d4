import { HdrscopeError, HistogramSum } from '@hdrscope/core';
import { listNames } from '@hdrscope/kit';
import type { ReadLinesOptions, TextBytes } from '../bytes.ts';
import type { Figure } from '../distribution.ts';
import type { GroupOptions, ValueGroup } from './groups.ts';
import type { ErrorCount, LabelledCounts } from './load.ts';
import { COUNTS_READERS, type CountsForm } from './load-form.ts';
import { readCounts } from './read-load.ts';

const NS_PER_MS = 1e6;

function inMs(ns: number): number {
  return Number((ns / NS_PER_MS).toPrecision(15));
}

/**
 * Groups the distributions of an input that has counts over slots. A group has one value of the label that tells measures of the same
 * operations apart.
 *
 * @throws HdrscopeError as `readCounts`; `ERR_INVALID_OPTION` when there is no such label.
 */
export async function summarizeCountsGroups(
  form: CountsForm,
  bytes: TextBytes,
  { by, where, percentiles }: GroupOptions,
  options: ReadLinesOptions,
): Promise<readonly ValueGroup[]> {
  const all = await readCounts(form, bytes, options);
  const known = Object.keys(all[0]?.labels ?? {});
  const missing = [...by, ...Object.keys(where)].find((label) => all.length > 0 && !known.includes(label));
  if (missing !== undefined) {
    const message = `the values have no label ${missing}: there are ${listNames(known, 10)}`;
    throw new HdrscopeError('ERR_INVALID_OPTION', message);
  }
  const { apart } = COUNTS_READERS[form];
  const asked = by.length === 0 ? known : by;
  const keys = apart === undefined || asked.includes(apart) ? asked : [...asked, apart];
  const groups = new Map<string, LabelledCounts[]>();
  for (const one of all) {
    if (Object.entries(where).some(([label, value]) => one.labels[label] !== value)) continue;
    const key = keys.map((label) => one.labels[label]).join('\0');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return Array.from(groups.values(), (group) => groupOfCounts(group, keys, percentiles));
}

function groupOfCounts(
  all: readonly LabelledCounts[],
  keys: readonly string[],
  percentiles: readonly number[],
): ValueGroup {
  const sum = new HistogramSum();
  let errors: ErrorCount | undefined;
  for (const { counts, min, max, errors: own } of all) {
    sum.add(counts, { ...(min !== undefined && { min }), ...(max !== undefined && { max }) });
    if (own === undefined) continue;
    const { failed = 0, requests = 0 } = errors ?? {};
    errors = { ...own, failed: failed + own.failed, requests: requests + own.requests };
  }
  const inUnit = ({ lower, upper }: Figure): Figure => ({
    lower: inMs(Math.max(0, lower)),
    upper: inMs(upper),
  });
  const labels = Object.fromEntries(keys.map((label) => [label, all[0]!.labels[label]!]));
  return {
    labels,
    figures: {
      name: Object.values(labels).join(' '),
      unit: 'ms',
      count: sum.totalCount,
      min: inUnit(sum.min),
      mean: inUnit(sum.mean),
      max: inUnit(sum.max),
      percentiles: percentiles.map((percentile) => ({
        percentile,
        ...inUnit(percentile === 100 ? sum.max : sum.percentile(percentile)),
      })),
      areBounds: true,
    },
    ...(errors && { errors }),
  };
}
