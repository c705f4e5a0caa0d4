import type { Counted } from '@hdrscope/core';
import {
  encodeDdsketchBinary,
  measureRange,
  planDdsketch,
  planExponential,
  planHdr,
  type SketchTarget,
  targetBoundaries,
  targetElasticsearch,
  targetEncoded,
  targetFigures,
  targetLog,
  targetOtlp,
  targetVmranges,
} from '@hdrscope/inputs/internal';
import { Refusal } from '../../command.ts';
import type { FormName } from '../../inputs/forms.ts';
import { planNative, targetNative } from './native-target.ts';

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
