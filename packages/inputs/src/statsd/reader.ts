import type { HdrscopeError } from '@hdrscope/core';
import { assertFollows, having } from '@hdrscope/core/internal';
import { LineTable } from './line-table.ts';
import {
  type LineKey,
  malformed,
  readLineKey,
  readNumber,
  type StatsdMetric,
  type StatsdOther,
} from './metric.ts';

/** Takes what a reader of StatsD reads. */
export interface StatsdSink<Series> {
  /**
   * Finds what counts the values of a metric. The reader asks once for each metric, and again when it has forgotten some of very many.
   *
   * @returns `undefined` to leave its values out: the reader asks again with the next line.
   */
  find(metric: StatsdMetric): Series | undefined;
  /**
   * Takes the values of a line.
   *
   * @param values The first `count` of them are of the line. The next line overwrites them.
   * @param sampleRate Above 0 and at most 1: each value stands for `1 / sampleRate`.
   */
  record(series: Series, values: Float64Array, count: number, sampleRate: number): void;
  /** Hears of each line that is not well formed. Nothing of such a line counts. @default nobody hears of them */
  refuse?(error: HdrscopeError): void;
}

/** What a reader of StatsD has read: counts that only grow. */
export interface StatsdHealth {
  /** Packets that were read: an integer from 0 on, as all others here. */
  readonly packets: number;
  /** Values that `record` got, not those that they stand for: an integer from 0 on. */
  readonly values: number;
  /** Values of metrics for which `find` returned `undefined`, an integer from 0 on. */
  readonly refusedValues: number;
  /** Lines that are not well formed, an integer from 0 on. */
  readonly malformed: number;
  /** Lines that have no values of a distribution, by what they are: from 0 on. */
  readonly leftOut: Readonly<Record<StatsdOther, number>>;
}

/** Reads packets of StatsD. */
export interface StatsdReader {
  /** A copy of the present state. */
  readonly health: StatsdHealth;
  /**
   * Reads a packet: lines that end with `\n`, the last one with or without. Throws only what the functions of the sink throw.
   *
   * @param from Where the packet begins in the bytes. @default 0
   * @param end Where it ends. @default the length of the bytes
   */
  read(packet: Uint8Array, from?: number, end?: number): void;
}

const SINK = /* @__PURE__ */ having<StatsdSink<unknown>>('an object with find and record', 'find', 'record');

interface KnownLine<Series> {
  /** `undefined` for what is left out. */
  readonly series: Series | undefined;
  readonly sampleRate: number;
  readonly other: StatsdOther | undefined;
  /** See `LineKey`. */
  readonly mayPack: boolean;
}

const [NEWLINE, RETURN, COLON, PIPE, POINT, MINUS, ZERO, NINE] = [10, 13, 58, 124, 46, 45, 48, 57] as const;
const UNDERSCORE = 95;
/** Of FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/ */
const FNV_PRIME = 0x01000193;
/** The longest name with its fields. */
const MOST_KEY_BYTES = 8192;
/** All digits of a number up to here are exact in a double, also while the number is read. */
const MOST_DIGITS = 15;
const POWERS_OF_TEN = Float64Array.from({ length: MOST_DIGITS + 1 }, (_, power) => 10 ** power);

/**
 * Makes a reader of StatsD, DogStatsD and the forms with tags in the name (InfluxDB, Graphite, Librato, SignalFX). It reads timers (`ms`), histograms (`h`) and distributions (`d`), with several values on a line. Counters,
 * gauges, sets, events and service checks are counted by kind, and left out.
 *
 * It finds the metrics that it knows by their bytes, so a line takes less than a microsecond and no memory. It remembers at most 65,536 of them.
 * Source: https://github.com/statsd/statsd/blob/master/docs/metric_types.md and
 * https://docs.datadoghq.com/extend/dogstatsd/datagram_shell
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the sink has no `find` or no `record`.
 * @example
 * ```ts
 * import { createStatsdReader } from '@hdrscope/inputs/statsd';
 *
 * const read: string[] = [];
 * const reader = createStatsdReader<string>({
 *   find: ({ name, tags }) => `${name} ${tags['route']}`,
 *   record: (series, values, count, sampleRate) => read.push(`${series} ${values.slice(0, count)} @${sampleRate}`),
 * });
 * reader.read(new TextEncoder().encode('pay:12:7.5|ms|@0.5|#route:a\nvisits:1|c\npay:x|ms\n'));
 * read; //=> ['pay a 12,7.5 @0.5']
 * const { values, malformed, leftOut } = reader.health;
 * [values, malformed, leftOut.counter]; //=> [2, 1, 1]
 * ```
 */
export function createStatsdReader<Series>(sink: StatsdSink<Series>): StatsdReader {
  assertFollows('the sink', SINK, sink);
  const known = new LineTable<KnownLine<Series>>();
  const leftOut: Record<StatsdOther, number> = { counter: 0, gauge: 0, set: 0, event: 0, serviceCheck: 0 };
  let [packets, values, refusedValues, refusedLines] = [0, 0, 0, 0];
  let numbers = new Float64Array(64);
  // Clients that nobody trusts must not know which names share a row.
  const seed = (Math.random() * 2 ** 32) | 0;

  const refuse = (error: HdrscopeError): void => {
    refusedLines++;
    sink.refuse?.(error);
  };

  const readLine = (
    hash: number,
    bytes: Uint8Array,
    from: number,
    colon: number,
    pipe: number,
    end: number,
  ): void => {
    if (bytes[from] === UNDERSCORE) {
      const special = readSpecial(bytes, from, end);
      if (special !== undefined) {
        leftOut[special]++;
        return;
      }
    }
    if (pipe === end) {
      const line = decode(bytes, from, end).trimEnd();
      if (line !== '') refuse(malformed('a line', 'name:value|type', line));
      return;
    }
    const line =
      known.find(hash, bytes, from, colon, pipe, end) ?? findLine(hash, bytes, from, colon, pipe, end);
    if (line === undefined) return;
    if (line.other !== undefined) {
      leftOut[line.other]++;
      return;
    }
    const count = readValues(bytes, colon + 1, pipe, line.mayPack);
    if (count === 0) return;
    values += count;
    sink.record(line.series!, numbers, count, line.sampleRate);
  };

  /** What a line is that comes for the first time; `undefined` when nothing of it counts. */
  const findLine = (
    hash: number,
    bytes: Uint8Array,
    from: number,
    colon: number,
    pipe: number,
    end: number,
  ): KnownLine<Series> | undefined => {
    if (colon - from + end - pipe > MOST_KEY_BYTES) {
      const allowed = `at most ${MOST_KEY_BYTES} bytes`;
      refuse(malformed('the name with its fields', allowed, decode(bytes, from, colon)));
      return undefined;
    }
    let key: LineKey;
    try {
      // Some programs end their lines as Windows does.
      const fields = decodeExactly(bytes, pipe + 1, bytes[end - 1] === RETURN ? end - 1 : end);
      key = readLineKey(decodeExactly(bytes, from, colon), fields.split('|'));
    } catch (error) {
      refuse(error as HdrscopeError);
      return undefined;
    }
    const { metric, other, recurs, mayPack } = key;
    let series: Series | undefined;
    if (metric !== undefined) {
      // The sink must not hear of a metric of which no value is well formed.
      const count = readValues(bytes, colon + 1, pipe, mayPack);
      if (count === 0) return undefined;
      series = sink.find(metric);
      if (series === undefined) {
        refusedValues += count;
        return undefined;
      }
    }
    const line = { series, sampleRate: metric?.sampleRate ?? 1, other, mayPack };
    if (recurs) known.add(hash, bytes, from, colon, pipe, end, line);
    return line;
  };

  /** Reads `1:2.5:3` into `numbers`. @returns How many there are, or 0 when the line is refused. */
  const readValues = (bytes: Uint8Array, from: number, end: number, mayPack: boolean): number => {
    let count = 0;
    let start = from;
    for (let at = from; at <= end; at++) {
      if (at < end && bytes[at] !== COLON) continue;
      const value = readValue(bytes, start, at);
      if (Number.isNaN(value)) {
        refuse(malformed('a value', 'a decimal number', decode(bytes, start, at)));
        return 0;
      }
      if (count === numbers.length) {
        const more = new Float64Array(2 * count);
        more.set(numbers);
        numbers = more;
      }
      numbers[count++] = value;
      start = at + 1;
    }
    if (count > 1 && !mayPack) {
      const allowed = 'one number where the name has tags, since a tag may have a colon';
      refuse(malformed('the values', allowed, decode(bytes, from, end)));
      return 0;
    }
    return count;
  };

  return {
    get health() {
      return { packets, values, refusedValues, malformed: refusedLines, leftOut: { ...leftOut } };
    },
    read(packet, first = 0, length = packet.length) {
      packets++;
      let from = first;
      while (from < length) {
        let hash = seed;
        let colon = from;
        for (; colon < length; colon++) {
          const byte = packet[colon]!;
          if (byte === COLON || byte === NEWLINE) break;
          hash = Math.imul(hash ^ byte, FNV_PRIME);
        }
        let pipe = colon;
        for (; pipe < length; pipe++) {
          const byte = packet[pipe]!;
          if (byte === PIPE || byte === NEWLINE) break;
        }
        let end = pipe;
        for (; end < length; end++) {
          const byte = packet[end]!;
          if (byte === NEWLINE) break;
          hash = Math.imul(hash ^ byte, FNV_PRIME);
        }
        // The low bits choose a row, and the high ones are mixed better.
        readLine(hash ^ (hash >>> 15), packet, from, colon, pipe, end);
        from = end + 1;
      }
    },
  };
}

/** A decimal number; `NaN` for anything else. Up to 15 digits are read without a text, to the same double. */
function readValue(bytes: Uint8Array, from: number, end: number): number {
  const isNegative = bytes[from] === MINUS;
  const start = isNegative ? from + 1 : from;
  let [digits, decimals, isAfterPoint] = [0, 0, false];
  let mantissa = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte >= ZERO && byte <= NINE) {
      mantissa = mantissa * 10 + (byte - ZERO);
      digits++;
      if (isAfterPoint) decimals++;
    } else if (byte === POINT && !isAfterPoint) isAfterPoint = true;
    else return readNumber(decode(bytes, from, end));
  }
  if (digits === 0 || digits > MOST_DIGITS) return readNumber(decode(bytes, from, end));
  const value = mantissa / POWERS_OF_TEN[decimals]!;
  return isNegative ? -value : value;
}

/** What begins with `_e{` or `_sc|`: an event or a service check. */
function readSpecial(bytes: Uint8Array, from: number, end: number): StatsdOther | undefined {
  const start = decode(bytes, from, Math.min(end, from + 4));
  if (start.startsWith('_e{')) return 'event';
  return start.startsWith('_sc|') ? 'serviceCheck' : undefined;
}

const lenient = /* @__PURE__ */ new TextDecoder();
const strict = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array, from: number, end: number): string {
  return lenient.decode(bytes.subarray(from, end));
}

/** @throws HdrscopeError `ERR_DECODE` */
function decodeExactly(bytes: Uint8Array, from: number, end: number): string {
  try {
    return strict.decode(bytes.subarray(from, end));
  } catch {
    throw malformed('a line', 'UTF-8', decode(bytes, from, end));
  }
}
