import { assertFollows, assertOptions, custom, flag, type OptionsOwner } from '@hdrscope/core/internal';
import { recogniseText, type TextKind } from '@hdrscope/interval-log/parser';
import { isEncoded } from './encoded.ts';
import { type LoadForm, recogniseLoad } from './load/load-form.ts';
import { recogniseReport } from './load/report.ts';
import { isValue, readTable } from './numbers/number-texts.ts';
import { recogniseSketch, type SketchForm } from './sketches/recognise-sketch.ts';

/**
 * The form of an input, by its content and not by its name:
 *
 * - `'log'`, `'percentiles'` and the other kinds of text of `@hdrscope/interval-log`.
 * - `'k6 points'`, `'k6 table'`, `'vegeta lines'`, `'vegeta table'`, `'oha table'`, `'hey table'`, `'ab table'`, `'jmeter table'`,
 *   `'gatling log'`: every request of a load test, which `readRequests` reads.
 * - `'nginx log'`, `'envoy log'`, `'nginx json'`, `'envoy json'`, `'caddy json'`, `'traefik json'`: access logs with the durations of requests,
 *   which `readRequests` reads. `'access log'` is a form that only a person can state.
 * - `'fio json'`, `'fio histograms'`, `'locust json'`: counts over slots of a tool, which `readCounts` reads.
 * - `'k6 summary'`, `'oha summary'`, `'autocannon'`, `'locust table'`, `'artillery report'`, `'wrk report'`,
 *   `'hey report'`: a few percentiles of a load test, which `readLoadSummary` reads.
 * - `'ddsketch'`, `'elasticsearch'`, `'envoy'`, `'vmrange'`: sketches, which `@hdrscope/inputs/sketches` reads.
 * - `'prometheus'`, `'prometheus-protobuf'`, `'otlp'`: histograms for Prometheus, in text or protobuf, and in JSON of OTLP.
 * - `'encoded'`: histograms in Base64, without anything else, which `readEncoded` reads.
 * - `'recorded'`: figures with their encoded histograms in JSON, which `readFigures` reads.
 * - `'numbers'`: one number per line, perhaps with a unit, which `countNumbers` counts.
 * - `'table'`: columns with titles or numbers, of which `countNumbers` counts one.
 * - `'report'`: what a load generator prints for people.
 * - `'figures'`: figures in JSON, without the counts that they were made of.
 * - `'json'`: other JSON, or a dump of Ceph, even in XML.
 * - `'picture'`; `'binary'`: a program, an archive, and everything else that is not text.
 */
export type InputForm =
  | TextKind
  | LoadForm
  | SketchForm
  | 'encoded'
  | 'numbers'
  | 'recorded'
  | 'json'
  | 'figures'
  | 'table'
  | 'report'
  | 'picture'
  | 'binary';

// Slots have the counts.
const FIGURES = /"percentiles"\s*:\s*\[\s*\{\s*"percentile"(?![\s\S]*"slots"\s*:)/;
const RECORDED = /"encoded"\s*:\s*"D?HIST/;
/** An interval with a histogram of doubles. */
const DOUBLE_LOG = /^[^#\n].*[ ,]DHIST[A-Za-z0-9+/]/m;
/** The beginning of a log whose first interval comes later. */
const BEGUN_LOG = /^(?:#\[Histogram log format|"StartTimestamp",)/m;
/** The titles of `ab -e`. */
const SERVED = /^Percentage served,Time in ms\r?\n/;
/** The titles of `hdrscope log convert --format csv`, whose rows have histograms as a log has. */
const CONVERTED = /^start_s,end_s,tag,count,/;
// What is left of the first bytes of PNG, JPEG, GIF, WebP and PDF when they are read as text; SVG is text.
const PICTURE =
  /^(?:\ufffdPNG|\ufffd{3}|GIF8|RIFF[\s\S]{4,8}WEBP|%PDF|\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)?<svg\b)/;
// The first number may have this many header lines above it.
const HEADER_LINES = 1;

/** How much of an input is known. */
export interface RecogniseInputOptions {
  /** Whether the beginning is the whole input. @default false */
  readonly isWhole?: boolean;
}

/**
 * Recognises an input by its beginning, of some 64 KiB.
 *
 * @param beginning The text, or its bytes in UTF-8, without compression.
 * @returns `undefined` when more of the input is needed, or it is a text of no known form.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `beginning` is neither a text nor bytes.
 * @example
 * ```ts
 * import { recogniseInput } from '@hdrscope/inputs';
 *
 * recogniseInput('# ms\n12\n0.5\n'); //=> 'numbers'
 * recogniseInput('route,ms\n/a,1\n/b,2\n'); //=> 'table'
 * recogniseInput('metric_name,timestamp,metric_value\n'); //=> 'k6 table'
 * recogniseInput(new TextEncoder().encode('12')); //=> undefined
 * recogniseInput('12', { isWhole: true }); //=> 'numbers'
 * ```
 */
export function recogniseInput(
  beginning: string | Uint8Array,
  options: RecogniseInputOptions = {},
): InputForm | undefined {
  assertOptions(options, RECOGNISE_INPUT);
  assertFollows('the beginning', textOrBytes, beginning);
  const { isWhole = false } = options;
  const text = typeof beginning === 'string' ? beginning : new TextDecoder().decode(beginning);
  const load = recogniseLoad(text);
  if (load !== undefined) return load;
  const sketch = recogniseSketch(text);
  if (sketch !== undefined) return sketch;
  if (PICTURE.test(text)) return 'picture';
  if (text.includes('\0')) return 'binary';
  if (/^\s*[[{]/.test(text)) return jsonForm(text);
  if (isEncoded(text)) return 'encoded';
  if (CONVERTED.test(text)) return 'table';
  if (DOUBLE_LOG.test(text)) return 'log';
  const known = recogniseText(text);
  if (known !== undefined) return known;
  if (SERVED.test(text)) return 'percentiles without counts';
  if (BEGUN_LOG.test(text)) return 'log';
  if (recogniseReport(text) !== undefined) return 'report';
  // A dump of Ceph may have lines of other text around it, and be XML.
  if (/"axes"\s*:|<perfcounter_collection>/.test(text)) return 'json';
  const lines = isWhole ? `${text}\n` : text;
  if (hasNumber(lines)) return 'numbers';
  return isTable(lines) ? 'table' : undefined;
}

function jsonForm(beginning: string): 'recorded' | 'figures' | 'json' {
  if (RECORDED.test(beginning)) return 'recorded';
  return FIGURES.test(beginning) ? 'figures' : 'json';
}

const TABLE_LINES = 2;

function isTable(text: string): boolean {
  const lines = text.slice(0, text.lastIndexOf('\n') + 1);
  return lines.split('\n').length > TABLE_LINES && readTable(lines) !== undefined;
}

function hasNumber(text: string): boolean {
  let at = 0;
  let others = 0;
  while (at < text.length && others <= HEADER_LINES) {
    const end = text.indexOf('\n', at) + 1;
    if (end === 0) return false;
    const line = text.slice(at, end);
    if (isValue(line.trim().replace(/^-/, ''))) return true;
    if (!/^\s*(?:#|$)/.test(line)) others++;
    at = end;
  }
  return false;
}

const textOrBytes = custom<string | Uint8Array>(
  'a text or its bytes',
  (value) => typeof value === 'string' || value instanceof Uint8Array,
);

const RECOGNISE_INPUT: OptionsOwner<RecogniseInputOptions> = {
  name: 'recogniseInput',
  names: { isWhole: flag },
  call: 'recogniseInput(beginning, { isWhole: true })',
};
