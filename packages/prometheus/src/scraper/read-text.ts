import { HdrscopeError } from '@hdrscope/core';
import type { Budget, Steps } from '@hdrscope/kit';
import type { Exemplar } from '@hdrscope/registry';
import { canonicalText } from '@hdrscope/registry/internal';
import { readComposite } from './composite-value.ts';
import {
  EXEMPLAR_COST,
  FAMILY_COST,
  HISTOGRAM_COST,
  LABEL_COST,
  LONGEST_LABELS,
  LONGEST_NAME,
} from './limits.ts';
import { newRawHistogram, type RawFamily, type RawHistogram, type RawType } from './raw-histogram.ts';
import {
  notSample,
  readComment,
  readLabels,
  readNumber,
  readSampleLine,
  type SampleLine,
  unescapeText,
} from './sample-line.ts';

/** How the versions of the text format differ. */
export interface TextFormat {
  /** Whether times are in seconds, and the text ends with `# EOF`. */
  readonly isOpenMetrics: boolean;
}

const NEWLINE = 0x0a;
const PIECE_BYTES = 65_536;
/** A histogram of OpenMetrics 2.0 is a line, with all its buckets and exemplars. */
const LONGEST_LINE_BYTES = 2 ** 20;
const LINES_BETWEEN_PAUSES = 16;
const SHOWN_CHARACTERS = 60;

/**
 * Reads a text of Prometheus' format or of OpenMetrics, line by line.
 * Sources: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format,
 * https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md#text-format
 *
 * @throws HdrscopeError `ERR_DECODE` at the first line that is not of the format; `ERR_TOO_LARGE` when a limit is passed.
 */
export function* readText(bytes: Uint8Array, format: TextFormat, budget: Budget): Steps<RawFamily[]> {
  const reader = new TextReader(format, budget);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let number = 0;
  for (let at = 0; at < bytes.length; ) {
    const end = endOfPiece(bytes, at, number);
    const lines = decodePiece(decoder, bytes.subarray(at, end), number).split('\n');
    at = end;
    // The piece ends with a line feed.
    lines.pop();
    budget.takeElements(lines.length);
    for (const line of lines) {
      number++;
      try {
        reader.readLine(line);
      } catch (cause) {
        if (!(cause instanceof HdrscopeError) || cause.code !== 'ERR_DECODE') throw cause;
        throw new HdrscopeError('ERR_DECODE', `line ${number} ${cause.message}: ${shown(line)}`, { cause });
      }
      if (number % LINES_BETWEEN_PAUSES === 0) yield;
    }
  }
  if (format.isOpenMetrics && !reader.hasEnded) {
    throw new HdrscopeError(
      'ERR_DECODE',
      `the answer is cut off: it has ${number} lines and no "# EOF" at its end`,
    );
  }
  return reader.families();
}

/** The end of the lines that are decoded together. */
function endOfPiece(bytes: Uint8Array, from: number, linesBefore: number): number {
  const last = bytes.lastIndexOf(NEWLINE, Math.min(from + PIECE_BYTES, bytes.length) - 1);
  if (last >= from) return last + 1;
  const next = bytes.indexOf(NEWLINE, from);
  const length = (next < 0 ? bytes.length : next) - from;
  if (length > LONGEST_LINE_BYTES) {
    const message = `line ${linesBefore + 1} has ${length} bytes, and a line must have at most ${LONGEST_LINE_BYTES}`;
    throw new HdrscopeError('ERR_TOO_LARGE', message);
  }
  if (next >= 0) return next + 1;
  throw new HdrscopeError('ERR_DECODE', `the answer is cut off: line ${linesBefore + 1} has no end`);
}

function decodePiece(
  decoder: InstanceType<typeof TextDecoder>,
  bytes: Uint8Array,
  linesBefore: number,
): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new HdrscopeError('ERR_DECODE', `the answer is not UTF-8, after line ${linesBefore}`, { cause });
  }
}

function shown(line: string): string {
  return JSON.stringify(line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line);
}

/** A family, and the ways in which its lines find their histogram. */
interface TextFamily extends RawFamily {
  readonly byText: Map<string, RawHistogram>;
  readonly byLabels: Map<string, RawHistogram>;
}

const TYPES: Readonly<Record<string, RawType>> = {
  histogram: 'histogram',
  gaugehistogram: 'gaugehistogram',
  summary: 'summary',
};
/** The ends of names of samples that belong to a histogram. */
const SUFFIXES: ReadonlySet<string> = new Set([
  '_bucket',
  '_sum',
  '_count',
  '_created',
  '_gsum',
  '_gcount',
  '',
]);

/** The state between the lines of a text. */
class TextReader {
  readonly #isOpenMetrics: boolean;
  readonly #budget: Budget;
  readonly #families = new Map<string, TextFamily>();
  /** The family of the line before. */
  #current: TextFamily | undefined;
  hasEnded = false;

  constructor({ isOpenMetrics }: TextFormat, budget: Budget) {
    this.#isOpenMetrics = isOpenMetrics;
    this.#budget = budget;
  }

  families(): RawFamily[] {
    return [...this.#families.values()];
  }

  readLine(line: string): void {
    if (this.hasEnded) throw notSample('follows "# EOF"');
    if (line.startsWith('#')) this.#readComment(line);
    else if (line.trim() !== '') this.#readSample(readSampleLine(line));
  }

  #readComment(line: string): void {
    if (this.#isOpenMetrics && line === '# EOF') {
      this.hasEnded = true;
      return;
    }
    const comment = readComment(line);
    if (comment === undefined) return;
    const { keyword, name, text } = comment;
    const family = this.#familyNamed(name);
    if (keyword === 'HELP') family.help = unescapeText(text);
    else if (keyword === 'UNIT') family.unit = text;
    else if (family.type === 'other') family.type = TYPES[text.trim()] ?? 'other';
    this.#current = family;
  }

  #familyNamed(name: string): TextFamily {
    const known = this.#families.get(name);
    if (known !== undefined) return known;
    if (name.length > LONGEST_NAME) throw notSample(`has a name of more than ${LONGEST_NAME} characters`);
    this.#budget.takeElements(FAMILY_COST);
    const family: TextFamily = {
      ...{ name, type: 'other', help: '', unit: '', histograms: [] },
      ...{ byText: new Map(), byLabels: new Map() },
    };
    this.#families.set(name, family);
    return family;
  }

  #readSample(sample: SampleLine): void {
    const { name } = sample;
    const family = this.#familyOfSample(name);
    const isComposite = sample.value.startsWith('{');
    if (!isComposite && readNumber(sample.value) === undefined)
      throw notSample('has a value that is not a number');
    if (family === undefined || family.type !== 'histogram') return;
    const suffix = name.slice(family.name.length);
    const raw = histogramIn(family, sample.labels, this.#budget);
    // `exemplar` follows the time, and may have one itself.
    const [times = '', ...exemplars] = splitRest(sample.rest);
    const timeMs = this.#readTimes(times, raw);
    if (timeMs !== undefined) raw.timestampMs = Math.max(timeMs, raw.timestampMs ?? timeMs);
    this.#budget.takeElements(EXEMPLAR_COST * exemplars.length);
    for (const text of exemplars) addExemplar(raw, text, timeMs);
    if (suffix === '' && isComposite) readComposite(sample.value, raw);
    else readPart(raw, suffix, sample);
  }

  /** The family of a sample, by its name; `undefined` when it belongs to no declared one. */
  #familyOfSample(name: string): TextFamily | undefined {
    const current = this.#current;
    if (current?.type === 'histogram' && name.startsWith(current.name)) {
      if (SUFFIXES.has(name.slice(current.name.length))) return current;
    }
    const declared = this.#families.get(name);
    if (declared !== undefined && !this.#isCreated(declared)) return declared;
    for (const suffix of SUFFIXES) {
      if (!name.endsWith(suffix)) continue;
      const family = this.#families.get(name.slice(0, name.length - suffix.length));
      if (family?.type === 'histogram') return family;
    }
    return declared;
  }

  /** The client for Python exposes creation times in the old text format as gauges of their own: `x_created`. */
  #isCreated({ name, type }: TextFamily): boolean {
    return (
      type === 'other' &&
      name.endsWith('_created') &&
      this.#families.get(name.slice(0, -'_created'.length))?.type === 'histogram'
    );
  }

  /** Reads the time of a sample, and the start of a histogram. */
  #readTimes(text: string, raw: RawHistogram): number | undefined {
    let timeMs: number | undefined;
    for (const word of text === '' ? [] : text.split(/[ \t]+/)) {
      const isStart = word.startsWith('st@');
      const time = readNumber(isStart ? word.slice('st@'.length) : word);
      if (time === undefined || !Number.isFinite(time)) throw notSample('has a time that is not a number');
      const ms = this.#isOpenMetrics ? time * 1000 : time;
      if (isStart) raw.createdMs = ms;
      else timeMs = ms;
    }
    return timeMs;
  }
}

function histogramIn(family: TextFamily, text: string, budget: Budget): RawHistogram {
  const known = family.byText.get(text);
  if (known !== undefined) return known;
  if (text.length > LONGEST_LABELS) throw notSample(`has labels of more than ${LONGEST_LABELS} characters`);
  const labels = readLabels(text);
  budget.takeElements(HISTOGRAM_COST + LABEL_COST * Object.keys(labels).length);
  const key = canonicalText(labels);
  let raw = family.byLabels.get(key);
  if (raw === undefined) {
    raw = newRawHistogram(labels);
    family.byLabels.set(key, raw);
    family.histograms.push(raw);
  }
  family.byText.set(text, raw);
  return raw;
}

/** Takes one sample of a histogram. */
function readPart(raw: RawHistogram, suffix: string, { value, le }: SampleLine): void {
  const number = readNumber(value)!;
  if (suffix === '_bucket') {
    const bound = le === undefined ? undefined : readNumber(le);
    if (le !== undefined && bound === undefined) throw notSample('has a bound le that is not a number');
    raw.bounds.push(bound ?? Number.NaN);
    raw.cumulative.push(number);
  } else if (suffix === '_sum') {
    if (raw.sum !== undefined) raw.repeated = 'its sum';
    raw.sum = number;
  } else if (suffix === '_count') {
    if (raw.count !== undefined) raw.repeated = 'its count';
    raw.count = number;
  } else if (suffix === '_created') raw.createdMs = number * 1000;
}

/** The times of a sample, and its exemplars without their opening braces: ` # {…} value time` each. */
function splitRest(rest: string): string[] {
  const [times = '', ...exemplars] = ` ${rest}`.split(' # {');
  return [times.trim(), ...exemplars];
}

/** Exemplars are not worth an answer: those that cannot be read are left out. */
function addExemplar(raw: RawHistogram, text: string, sampleMs: number | undefined): void {
  const end = text.lastIndexOf('}');
  const labels = text.slice(0, Math.max(end, 0));
  const [valueText = '', timeText] = text
    .slice(end + 1)
    .trim()
    .split(' ');
  if (end < 0 || labels.length > LONGEST_LABELS) return;
  const value = readNumber(valueText);
  const timeMs = timeText === undefined ? sampleMs : (readNumber(timeText) ?? Number.NaN) * 1000;
  if (value === undefined || timeMs === undefined || !Number.isFinite(timeMs)) return;
  try {
    raw.exemplars.push({ value, timeMs, attributes: readLabels(labels) } satisfies Exemplar);
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
  }
}
