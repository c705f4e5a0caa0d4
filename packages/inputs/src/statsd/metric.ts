import { HdrscopeError } from '@hdrscope/core';

/** What a metric of StatsD measures, for metrics whose values make a distribution. */
export type StatsdType = 'ms' | 'h' | 'd';

/** What values have in common that make one distribution: all of a line but its values. */
export interface StatsdMetric {
  /** Without tags that are part of the name on the line. */
  readonly name: string;
  /** `'ms'`: a timer, in milliseconds. `'h'`: a histogram, and `'d'`: a distribution, both in a unit that no line states. */
  readonly type: StatsdType;
  /** By their keys. A tag without a value is `'true'`. The values of a key that comes several times are sorted, and joined by commas. */
  readonly tags: Readonly<Record<string, string>>;
  /** The share of the values that the client has sent, above 0 and at most 1: each value stands for `1 / sampleRate`. */
  readonly sampleRate: number;
  /** The container that the client states (`c:`), without the prefix of its form; `undefined` without one. */
  readonly containerId: string | undefined;
}

/** What is no distribution: such a line is counted, and left out. */
export type StatsdOther = 'counter' | 'gauge' | 'set' | 'event' | 'serviceCheck';

/** A line without its values. */
export interface LineKey {
  /** `undefined` for what is left out. */
  readonly metric: StatsdMetric | undefined;
  readonly other: StatsdOther | undefined;
  /** Whether other lines may be the same but for their values. A time is of one line only. */
  readonly recurs: boolean;
  /** Whether the line may have several values. The colon behind tags in a name may be a part of a tag. */
  readonly mayPack: boolean;
}

const OTHERS: Readonly<Record<string, StatsdOther>> = { c: 'counter', g: 'gauge', s: 'set' };
const LEAST_RATE = 1e-9;

/** A text that is a number: no `NaN`, no infinity, no blanks, no other base. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i;

/** Reads a decimal number; `NaN` for any other text, and for numbers beyond the largest double. */
export function readNumber(text: string): number {
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : Number.NaN;
}

/**
 * Reads a line without its values.
 *
 * @param name What is before the first colon.
 * @param fields What is after the values: the type, and the fields behind it.
 * @throws HdrscopeError `ERR_DECODE`
 */
export function readLineKey(name: string, fields: readonly string[]): LineKey {
  const [type = '', ...more] = fields;
  const other = OTHERS[type];
  if (other === undefined && type !== 'ms' && type !== 'h' && type !== 'd') {
    throw malformed('the type', 'ms, h, d, c, g or s', type);
  }
  let [sampleRate, containerId, isTimed]: [number, string | undefined, boolean] = [1, undefined, false];
  const { base, tags } = readTaggedName(name);
  const mayPack = base === name;
  for (const field of more) {
    if (field.startsWith('@')) sampleRate = readRate(field.slice(1));
    else if (field.startsWith('#')) addTags(tags, field.slice(1), ':');
    else if (field.startsWith('c:')) containerId = readContainer(field.slice(2));
    else if (/^T\d{1,15}$/.test(field)) isTimed = true;
    // The external data of an origin, and the cardinality that the client wishes, tell no values apart.
    else if (!/^(?:e|card):/.test(field)) throw malformed('a field', '@, #, c:, e:, T or card:', field);
  }
  if (other !== undefined) return { metric: undefined, other, recurs: !isTimed, mayPack };
  if (isTimed)
    throw malformed('the time', 'that of a counter or a gauge, since values count when they come', type);
  const sorted = Object.fromEntries([...tags].map(([key, values]) => [key, [...values].sort().join()]));
  return {
    metric: { name: base, type: type as StatsdType, tags: sorted, sampleRate, containerId },
    other: undefined,
    recurs: true,
    mayPack,
  };
}

type Tags = Map<string, Set<string>>;

/**
 * Tags in a name, as servers before DogStatsD have them: `name,key=value` (InfluxDB), `name;key=value` (Graphite), `name#key=value`
 * (Librato) and `name[key=value]` (SignalFX).
 * Source: https://github.com/prometheus/statsd_exporter#tagging-extensions
 */
function readTaggedName(text: string): { readonly base: string; readonly tags: Tags } {
  const tags: Tags = new Map();
  const [, before = '', mark = '', rest = ''] = /^([^,;#[\]]*)([,;#[]?)(.*)$/s.exec(text) ?? [];
  let base = before;
  if (mark === '[') {
    const [, inside, after] = /^([^[\]]*)\](.*)$/s.exec(rest) ?? [];
    if (inside === undefined)
      throw malformed('the name', 'text with its tags in brackets, as in name[key=value]', text);
    base += after!;
    addTags(tags, inside, '=');
  } else if (mark !== '') addTags(tags, mark === ';' ? rest.replaceAll(';', ',') : rest, '=');
  if (base === '' || text.includes('|'))
    throw malformed('the name', 'text without |, before the first colon', text);
  return { base, tags };
}

function addTags(tags: Tags, text: string, between: string): void {
  for (const tag of text.split(',')) {
    const at = tag.indexOf(between);
    const key = at < 0 ? tag : tag.slice(0, at);
    // Clients with an empty tag in their list send two commas.
    if (tag === '') continue;
    if (key === '') throw malformed('a tag', `a key, or a key and a value with ${between} between them`, tag);
    const values = tags.get(key) ?? new Set();
    tags.set(key, values.add(at < 0 ? 'true' : tag.slice(at + 1)));
  }
}

function readRate(text: string): number {
  const rate = readNumber(text);
  if (rate >= LEAST_RATE && rate <= 1) return rate;
  throw malformed('the sample rate', `a number from ${LEAST_RATE} to 1`, text);
}

/** The id of a container among the parts of `ci-ID,in-INODE`, or all of it in its older form. */
function readContainer(text: string): string | undefined {
  const parts = text.split(',');
  const named = parts.find((part) => part.startsWith('ci-'));
  if (named !== undefined) return named.slice(3);
  return parts.every((part) => part.startsWith('in-')) ? undefined : text;
}

const MOST_SHOWN = 60;

/** The error of a line: what must be what, and what it is. */
export function malformed(what: string, allowed: string, got: string): HdrscopeError {
  const shown = got.length > MOST_SHOWN ? `${got.slice(0, MOST_SHOWN)}…` : got;
  const message = `${what} must be ${allowed}, got ${JSON.stringify(shown)}`;
  return new HdrscopeError('ERR_DECODE', message, { details: { what, allowed, got: shown } });
}
