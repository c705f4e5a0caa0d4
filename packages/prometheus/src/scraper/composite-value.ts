import type { RawHistogram, RawNative, RawSide } from './raw-histogram.ts';
import { notSample, readNumber } from './sample-line.ts';

/**
 * Reads the composite value of a histogram in OpenMetrics 2.0, such as `{count:2,sum:1.5,bucket:[1:1,+Inf:2]}`, into a histogram.
 * Source: https://prometheus.io/docs/specs/om/open_metrics_spec_2_0/#compositevalues
 *
 * @throws HdrscopeError `ERR_DECODE` when it is malformed.
 */
export function readComposite(text: string, raw: RawHistogram): void {
  const fields = readFields(text);
  const number = (name: string): number | undefined => {
    const value = fields.get(name);
    return value === undefined ? undefined : asNumber(value);
  };
  raw.count = number('count') ?? raw.count;
  raw.sum = number('sum') ?? raw.sum;
  const buckets = fields.get('bucket');
  if (buckets !== undefined) {
    if (raw.bounds.length > 0) raw.repeated = 'its classic buckets';
    for (const bucket of listItems(buckets)) {
      const colon = bucket.lastIndexOf(':');
      raw.bounds.push(asNumber(bucket.slice(0, colon)));
      raw.cumulative.push(asNumber(bucket.slice(colon + 1)));
    }
  }
  const schema = number('schema');
  if (schema === undefined) return;
  if (raw.native !== undefined) raw.repeated = 'its native buckets';
  raw.native = {
    schema,
    zeroThreshold: number('zero_threshold') ?? 0,
    zeroCount: number('zero_count') ?? 0,
    positive: readSide(fields, 'positive'),
    negative: readSide(fields, 'negative'),
  } satisfies RawNative;
}

const FIELD = /([a-z_]+):(\[[^\]]*\]|[^,[\]]+)(,|$)/y;

/** Texts of numbers, and of lists with their brackets, by name. */
function readFields(text: string): ReadonlyMap<string, string> {
  const inner = text.slice(1, -1);
  const fields = new Map<string, string>();
  let at = 0;
  while (at < inner.length) {
    FIELD.lastIndex = at;
    const found = FIELD.exec(inner);
    if (found === null) throw notSample('has a composite value that is malformed');
    const [whole, name, value] = found;
    if (fields.has(name!)) throw notSample(`has a composite value with two ${name}`);
    fields.set(name!, value!);
    at += whole.length;
  }
  return fields;
}

function readSide(fields: ReadonlyMap<string, string>, side: 'positive' | 'negative'): RawSide {
  const offsets: number[] = [];
  const lengths: number[] = [];
  for (const span of listItems(fields.get(`${side}_spans`) ?? '[]')) {
    const [offset = '', length = ''] = span.split(':');
    offsets.push(asInteger(offset));
    lengths.push(asInteger(length));
  }
  return { offsets, lengths, counts: listItems(fields.get(`${side}_buckets`) ?? '[]').map(asNumber) };
}

function listItems(text: string): string[] {
  if (!text.startsWith('[')) throw notSample('has a composite value with a number in place of a list');
  const inner = text.slice(1, -1);
  return inner === '' ? [] : inner.split(',');
}

function asNumber(text: string): number {
  const number = readNumber(text);
  if (number === undefined) throw notSample(`has ${JSON.stringify(text.slice(0, 40))} in place of a number`);
  return number;
}

function asInteger(text: string): number {
  const number = asNumber(text);
  if (!Number.isInteger(number)) throw notSample(`has ${JSON.stringify(text)} in place of an integer`);
  return number;
}
