import { HistogramSum } from '@hdrscope/core';
import {
  type Figure,
  NUMBER_UNITS,
  type SketchForm,
  scaled,
  type ValueGroup,
  type ValueScale,
  valueScaleOf,
} from '@hdrscope/inputs/internal';
import type { CountedUnit } from '@hdrscope/registry';
import { type Io, Refusal, UsageError } from '../../command.ts';
import type { FormName } from '../../inputs/forms.ts';
import type { Input } from '../../inputs/input.ts';
import type { Inputs } from '../../inputs/open-inputs.ts';
import { readBytes, readForm, recogniseForm } from '../../inputs/read-form.ts';
import type { ReadSketch } from '../../inputs/read-sketch.ts';
import { writeLines } from '../../output-options.ts';
import { formatGroups } from './groups.ts';
import { assertNoNumberOptions, OF_NUMBERS } from './load.ts';

/** Options of the command line. */
interface SketchOptions {
  readonly from?: FormName | undefined;
  readonly unit?: CountedUnit | undefined;
  readonly by: readonly string[];
  readonly where: Readonly<Record<string, string>>;
  readonly percentiles: readonly number[];
  readonly format: string;
  readonly output?: string | undefined;
}

/** The name of a metric is a label like others. */
const METRIC = 'metric';

/** Shows what other programs have counted, within the bounds of their slots, by their names and labels. @throws Refusal, UsageError */
export async function recordSketches(
  { inputs, progress }: Inputs<SketchForm>,
  options: SketchOptions,
  io: Io,
): Promise<number> {
  const { from, unit, by, where, percentiles, format, output } = options;
  const [{ name, source }] = inputs as [Input<SketchForm>];
  const ofNumbers = OF_NUMBERS.filter((option) => option !== 'unit');
  assertNoNumberOptions(options, ofNumbers, `the values of ${name} are counted already`);
  if (inputs.length > 1)
    throw new UsageError(`record takes one file that others have counted, got ${inputs.length}`);
  if (format !== 'text' && format !== 'json')
    throw new UsageError(
      `--format ${format} is of counted numbers: hdrscope convert writes ${name} in other forms`,
    );
  const bytes = await readBytes(source, name, progress);
  const { sketches, notes } = await readForm(from ?? recogniseForm(bytes, name), bytes, name);
  for (const note of notes) await io.stderr.write(`hdrscope: ${note}\n`);
  const labelled = sketches.map((sketch) => ({ sketch, labels: listLabels(sketch) }));
  const known = [...new Set(labelled.flatMap(({ labels }) => Object.keys(labels)))];
  const missing = [...by, ...Object.keys(where)].find((label) => !known.includes(label));
  if (missing !== undefined)
    throw new UsageError(
      `the values have no label ${missing}${known.length === 0 ? '' : `: there are ${known.join(', ')}`}`,
    );
  const keys = by.length === 0 ? known : [...by];
  const groups = new Map<string, { labels: Record<string, string>; all: ReadSketch[] }>();
  for (const { sketch, labels } of labelled) {
    if (Object.entries(where).some(([key, value]) => labels[key] !== value)) continue;
    const own = Object.fromEntries(keys.map((key) => [key, labels[key] ?? '']));
    const group = groups.get(JSON.stringify(own)) ?? { labels: own, all: [] };
    groups.set(JSON.stringify(own), group);
    group.all.push(sketch);
  }
  if (groups.size === 0) throw new Refusal(`${name} has no values to count`);
  const scale = valueScaleOf(unit ?? findUnit(sketches));
  const shown = scale.unit === '' ? 'none' : scale.unit;
  const found = Array.from(groups.values(), ({ labels, all }) =>
    summarizeGroup(labels, all, scale, percentiles),
  );
  await writeLines(
    formatGroups({ name, keys, groups: found, notes: [], unit: shown }, percentiles, format, io),
    output,
    io,
  );
  return 0;
}

function listLabels({ name, attributes }: ReadSketch): Record<string, string> {
  return { ...(name !== '' && { [METRIC]: name }), ...attributes };
}

/** The unit that all sketches state. */
function findUnit(sketches: readonly ReadSketch[]): CountedUnit {
  const units = new Set(sketches.map(({ unit }) => unit));
  return (units.size === 1 && NUMBER_UNITS.find((one) => units.has(one))) || 'none';
}

function summarizeGroup(
  labels: Record<string, string>,
  all: readonly ReadSketch[],
  scale: ValueScale,
  percentiles: readonly number[],
): ValueGroup {
  const sum = new HistogramSum();
  for (const { counted, min, max, sum: total } of all) {
    sum.add(counted, {
      ...(min !== undefined && { min }),
      ...(max !== undefined && { max }),
      ...(total !== undefined && { sum: total }),
    });
  }
  const bounds = ({ lower, upper }: Figure): Figure => ({
    lower: scaled(lower, scale),
    upper: scaled(upper, scale),
  });
  return {
    labels,
    figures: {
      name: Object.values(labels).join(' '),
      unit: scale.unit === '' ? 'none' : scale.unit,
      count: sum.totalCount,
      min: bounds(sum.min),
      mean: bounds(sum.mean),
      max: bounds(sum.max),
      percentiles: percentiles.map((percentile) => ({ percentile, ...bounds(sum.percentile(percentile)) })),
      areBounds: true,
    },
  };
}
