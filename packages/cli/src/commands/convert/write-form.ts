import { type Counted, type ExponentialLayout, exponentialLayout } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import {
  encodeDdsketchBinary,
  measureRange,
  planDdsketch,
  planExponential,
  planHdr,
  type SketchTarget,
  splitBuckets,
  targetBoundaries,
  targetElasticsearch,
  targetEncoded,
  targetFigures,
  targetLog,
  targetOtlp,
  targetVmranges,
} from '@hdrscope/inputs/internal';
import { render } from '@hdrscope/prometheus';
import { Refusal } from '../../command.ts';
import type { FormName } from '../../inputs/forms.ts';

/** How a form is written. */
export interface WritingOptions {
  readonly digits?: number | undefined;
  readonly resolution?: number | undefined;
  readonly accuracy?: number | undefined;
  readonly buckets?: number | undefined;
  /** The unit of the values: a code of the command line. */
  readonly unit: string;
  /** The name of the metric. */
  readonly name: string;
  /** The name of the input. */
  readonly from: string;
}

/** Prepares the slots of a form for counts. @throws Refusal, HdrscopeError */
export function planForm(form: FormName, counted: Counted, options: WritingOptions): SketchTarget {
  const { accuracy, buckets, unit, name, from } = options;
  const ddsketch = (writer: 'sketches-go' | 'sketches-js' | 'sketches-py'): SketchTarget =>
    planDdsketch(measureRange(counted), { writer, relativeAccuracy: accuracy });
  switch (form) {
    case 'hlog':
      return targetLog(planHdr(counted, options), `Converted from ${from}`);
    case 'base64':
      return targetEncoded(planHdr(counted, options));
    case 'json':
      return targetFigures(planHdr(counted, options), unit);
    case 'ddsketch':
      return ddsketch('sketches-go');
    case 'ddsketch-js':
      return ddsketch('sketches-js');
    case 'ddsketch-py':
      return ddsketch('sketches-py');
    case 'ddsketch-binary':
      return planDdsketch(measureRange(counted), { relativeAccuracy: accuracy }, encodeDdsketchBinary);
    case 'elasticsearch':
      return targetElasticsearch(planExponential(counted, { buckets }));
    case 'vmrange':
      return targetVmranges(name);
    case 'otlp':
      return targetOtlp(planExponential(counted, { buckets }), { name, unit });
    case 'prometheus-protobuf':
      return targetNative(planNative(counted, { buckets }), { name, unit });
    case 'prometheus':
      return targetBoundaries(counted, name);
    default:
      throw new Refusal(`${form} is a form that is read, and not written`);
  }
}

// Native histograms.

/** Schemas of native histograms. Source: https://prometheus.io/docs/specs/native_histograms/#schema */
const [LEAST_SCHEMA, MOST_SCHEMA] = [-4, 8];

/** What native histograms of others have where nothing is as near to 0. A threshold marks a histogram as native. */
const ZERO_THRESHOLD = 2 ** -128;

/** Prepares the buckets of a native histogram. @throws HdrscopeError `ERR_INVALID_OPTION` when `buckets` needs a schema below -4 */
export function planNative(
  counted: Counted,
  options: { readonly buckets?: number | undefined },
): ExponentialLayout {
  const layout = planExponential(counted, options, MOST_SCHEMA);
  const { scale, minIndex, maxIndex, negative, zeroThreshold } = layout;
  if (scale >= LEAST_SCHEMA) {
    return zeroThreshold > 0
      ? layout
      : exponentialLayout({ scale, minIndex, maxIndex, negative, zeroThreshold: ZERO_THRESHOLD });
  }
  throw mustBe('ERR_INVALID_OPTION', 'buckets', 'so many that the schema is at least -4', options.buckets);
}

/** A native histogram for Prometheus in protobuf. */
export function targetNative(
  layout: ExponentialLayout,
  { name, unit }: { readonly name: string; readonly unit: string },
): SketchTarget {
  const { scale, zeroSlot, zeroThreshold } = layout;
  return {
    layout,
    write(counts, { sum }) {
      const { positive, negative } = splitBuckets(layout, counts);
      const native = {
        positive: { ...makeRun(positive), scale, zeroCount: counts.at(zeroSlot) },
        ...(negative.length > 0 && { negative: makeRun(negative) }),
        zeroThreshold,
      };
      const value = { kind: 'histogram', count: counts.total, sum, native } as const;
      const family = { name, help: '', unit: unit === 'none' ? '' : unit, type: 'histogram' } as const;
      return render([{ ...family, metrics: [{ labels: [], value }] }], 'protobuf');
    },
  };
}

function makeRun(buckets: readonly (readonly [index: number, count: number])[]): {
  readonly offset: number;
  readonly counts: readonly number[];
} {
  const offset = buckets[0]?.[0] ?? 0;
  const counts = new Array<number>((buckets.at(-1)?.[0] ?? offset - 1) - offset + 1).fill(0);
  for (const [index, count] of buckets) counts[index - offset] = count;
  return { offset, counts };
}
