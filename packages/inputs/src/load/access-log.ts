import { HdrscopeError } from '@hdrscope/core';
import { listNames } from '@hdrscope/kit';
import { readLines, refuseLine, type TextBytes } from '../bytes.ts';
import { type AccessRole, durationIn, type LineFormat, parseLogFormat } from './access-format.ts';
import {
  isRequest,
  type ReadRequestsOptions,
  type RequestFacts,
  type RequestReader,
  type RequestSink,
} from './load.ts';
import { Routes } from './routes.ts';

// Access logs of nginx, Apache and Envoy: a line for each request, in a format that the server is configured with.

const NGINX_COMBINED =
  '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"';

/** The two formats that nginx comes with, and a duration behind them. */
const NGINX_FORMATS = [
  `${NGINX_COMBINED} $request_time`,
  `${NGINX_COMBINED} "$http_x_forwarded_for" $request_time`,
];
/** The default format of Envoy, and that of Istio. */
const ENVOY_START =
  '[%START_TIME%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%" %RESPONSE_CODE% %RESPONSE_FLAGS% ';
const ENVOY_END =
  '%BYTES_RECEIVED% %BYTES_SENT% %DURATION% %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% "%REQ(X-FORWARDED-FOR)%" "%REQ(USER-AGENT)%" "%REQ(X-REQUEST-ID)%" "%REQ(:AUTHORITY)%" "%UPSTREAM_HOST%"';
const ENVOY_FORMATS = [
  ENVOY_START + ENVOY_END,
  `${ENVOY_START}%RESPONSE_CODE_DETAILS% %CONNECTION_TERMINATION_DETAILS% "%UPSTREAM_TRANSPORT_FAILURE_REASON%" ${ENVOY_END} %UPSTREAM_CLUSTER% %UPSTREAM_LOCAL_ADDRESS% %DOWNSTREAM_LOCAL_ADDRESS% %DOWNSTREAM_REMOTE_ADDRESS% %REQUESTED_SERVER_NAME% %ROUTE_NAME%`,
];

// Quotes within a value have a backslash in front.
const NGINX_MARK =
  /^\S{1,100} - [^\n"[]{1,200} \[\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}\] "(?:[^"\\\n]|\\.){0,9000}" \d{3} \d{1,19} "(?:[^"\\\n]|\\.){0,9000}" "(?:[^"\\\n]|\\.){0,9000}"(?: "(?:[^"\\\n]|\\.){0,9000}")? \d{1,10}\.\d{3}\r?\n/;
const ENVOY_MARK =
  /^\[\d{4}-\d\d-\d\dT[\d:.]{8,20}Z\] "(?:[^"\\\n]|\\.){0,9000}" \d{1,3} \S{1,100} (?:\S{1,200} \S{1,200} "(?:[^"\\\n]|\\.){0,9000}" )?\d{1,19} \d{1,19} \d{1,12} (?:\d{1,12}|-) "(?:[^"\\\n]|\\.){0,9000}" "(?:[^"\\\n]|\\.){0,9000}" "(?:[^"\\\n]|\\.){0,9000}" "(?:[^"\\\n]|\\.){0,9000}" "(?:[^"\\\n]|\\.){0,9000}"(?: [^\n]{1,2000})?\r?\n/;

/** What an access log counts as a failure. */
export const ACCESS_FAILURE = 'responses with a status of at least 500';

/** The tool of a log whose format is stated, before the format is known. */
const STATED: RequestFacts = {
  tool: 'the server',
  failure: ACCESS_FAILURE,
  unstated: 'the format of the access log has no status',
};

/** The access logs in text. */
export type AccessLogForm = 'nginx log' | 'envoy log' | 'access log';

/** Their readers. `'access log'` is a log whose format the options state. */
export const ACCESS_LOGS: Readonly<Record<AccessLogForm, RequestReader>> = {
  'nginx log': accessReader(NGINX_MARK, NGINX_FORMATS),
  'envoy log': accessReader(ENVOY_MARK, ENVOY_FORMATS),
  // No text is known to be one.
  'access log': accessReader(/[^\s\S]/, []),
};

function accessReader(mark: RegExp, recognised: readonly string[]): RequestReader {
  const formatsFor = ({ logFormat }: ReadRequestsOptions): LineFormat[] =>
    (logFormat === undefined ? recognised : [logFormat]).map(parseLogFormat);
  const factsFor = (options: ReadRequestsOptions): RequestFacts => {
    const [format] = formatsFor(options);
    if (format === undefined) return STATED;
    const { errorMs, stepMs } = format.variables[durationIn(format)]!;
    return { ...STATED, tool: format.server, errorMs: errorMs!, stepMs: stepMs! };
  };
  return {
    mark,
    facts: factsFor({}),
    factsFor,
    read(bytes, options, sink) {
      const formats = formatsFor(options);
      if (formats.length > 0) return readAccessLog(formats, bytes, options, sink);
      const message =
        "the format of the access log must be stated, as in logFormat: '$remote_addr $request_time'";
      throw new HdrscopeError('ERR_INVALID_OPTION', message);
    },
  };
}

function readAccessLog(
  formats: readonly LineFormat[],
  bytes: TextBytes,
  options: ReadRequestsOptions,
  sink: RequestSink,
): Promise<void> {
  const { name = 'the text', onBadLine = refuseLine, labels: wanted = [] } = options;
  let reader: LineReader | undefined;
  // The first line shows which format is meant.
  const readers = formats.map((format) => new LineReader(format, wanted, new RequestLabels(options)));
  return readLines(bytes, options, (line, lineNumber) => {
    if (reader === undefined) {
      reader = readers.length === 1 ? readers[0] : readers.find((one) => one.take(line));
      reader?.settle(sink);
    }
    if (reader?.take(line)) {
      sink.onRequest(reader.durationMs, reader.atSec, wanted.length === 0 ? undefined : reader.labels);
      if (reader.hasStatus) sink.onOutcome?.(reader.isFailed, reader.atSec);
      return;
    }
    onBadLine({
      lineNumber,
      message: `${name}: line ${lineNumber} must be a request in the format of the log`,
    });
  });
}

/** Reads the lines of one format. The fields have the request of the line that was taken last. */
class LineReader {
  durationMs = 0;
  atSec = 0;
  isFailed = false;
  readonly hasStatus: boolean;
  readonly #format: LineFormat;
  readonly #perMs: number;
  readonly #cells: string[];
  /** Which variables are cut out of a line. */
  readonly #isRead: readonly boolean[];
  /** Where each role is in the cells; -1 for a role that no variable has. */
  readonly #places: Readonly<Record<AccessRole, number>>;
  readonly #clock = new LogClock();
  readonly #request: RequestLabels;
  /** The places of variables by their names. */
  readonly #named: ReadonlyMap<string, number>;

  constructor(format: LineFormat, wanted: readonly string[], request: RequestLabels) {
    const { variables } = format;
    const placeOf = (role: AccessRole): number => variables.findIndex((one) => one.role === role);
    const duration = durationIn(format);
    this.#format = format;
    this.#perMs = variables[duration]!.perMs!;
    this.#places = {
      duration,
      time: placeOf('time'),
      request: placeOf('request'),
      method: placeOf('method'),
      path: placeOf('path'),
      status: placeOf('status'),
      upstream: placeOf('upstream'),
    };
    this.hasStatus = this.#places.status !== -1;
    this.#request = request;
    this.#cells = variables.map(() => '');
    const { method, path, request: line, upstream } = this.#places;
    const hasPath = line !== -1 || path !== -1;
    const named = new Map(variables.map(({ name }, at) => [name, at]));
    request.assertKnown([
      ...(method !== -1 || line !== -1 ? ['method'] : []),
      ...(hasPath ? ['route', 'path'] : []),
      ...(this.hasStatus ? ['status'] : []),
      ...(upstream === -1 ? [] : ['upstream']),
      ...named.keys(),
    ]);
    this.#named = named;
    const needed = new Set([duration, this.#places.time, this.#places.status]);
    for (const label of wanted) {
      if (named.has(label)) needed.add(named.get(label)!);
      if (label === 'method' || label === 'route' || label === 'path')
        for (const at of [method, path, line]) needed.add(at);
      if (label === 'upstream') needed.add(upstream);
    }
    this.#isRead = variables.map((_, at) => needed.has(at));
  }

  get labels(): readonly string[] {
    return this.#request.read(this.#part, this.#other);
  }

  readonly #part = (role: AccessRole): string => this.#cells[this.#places[role]] ?? '';
  readonly #other = (label: string): string | undefined => this.#cells[this.#named.get(label) ?? -1];

  /** Gives the sink the last names of routes. */
  settle(sink: RequestSink): void {
    this.#request.settleFor(sink);
  }

  /** Reads a line. @returns whether it has the format */
  take(line: string): boolean {
    if (!this.#cut(line)) return false;
    const { duration, time, status } = this.#places;
    const cells = this.#cells;
    this.durationMs = readDuration(cells[duration]!, this.#perMs);
    this.atSec = time === -1 ? 0 : this.#clock.read(cells[time]!);
    const code = status === -1 ? 0 : readStatus(cells[status]!);
    this.isFailed = code >= 500;
    return isRequest(this.durationMs, this.atSec) && code >= 0;
  }

  #cut(line: string): boolean {
    const { before, after, variables } = this.#format;
    if (!line.startsWith(before[0]!)) return false;
    let at = before[0]!.length;
    const last = variables.length - 1;
    for (let i = 0; i <= last; i++) {
      const next = i === last ? after : before[i + 1]!;
      const end = i === last && after === '' ? line.length : findText(line, next, at);
      if (end === -1) return false;
      if (this.#isRead[i]) this.#cells[i] = line.slice(at, end);
      at = end + next.length;
    }
    return at === line.length;
  }
}

const BACKSLASH = 92;

/** Finds a text in a line. A quote behind a backslash belongs to a value. */
function findText(line: string, text: string, from: number): number {
  for (let at = line.indexOf(text, from); at !== -1; at = line.indexOf(text, at + 1)) {
    if (text[0] !== '"') return at;
    let slashes = 0;
    while (at - 1 - slashes >= from && line.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}

/** A duration in milliseconds; `NaN` for other texts. */
export function readDuration(text: string, perMs: number): number {
  if (!/^\d{1,15}(?:\.\d{1,20})?(?:e-\d{1,2})?$/.test(text)) return Number.NaN;
  return roundedMs(Number(text), perMs);
}

/** A duration in milliseconds, to a nanosecond: 0.003 s are 3 ms, not 3.0000000000000004. */
export function roundedMs(duration: number, perMs: number): number {
  return Math.round((duration / perMs) * 1e6) / 1e6;
}

/** A status; -1 for other texts, and 0 for a request that got none. */
export function readStatus(text: string): number {
  if (text === '-') return 0;
  return /^\d{1,3}$/.test(text) ? Number(text) : -1;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Reads the moments of lines in seconds since 1970. Most lines have that of the line before. */
export class LogClock {
  #text = '';
  #sec = 0;

  /** `NaN` for texts that are no moment. */
  read(text: string): number {
    if (text === this.#text) return this.#sec;
    this.#text = text;
    this.#sec = momentIn(text);
    return this.#sec;
  }
}

function momentIn(text: string): number {
  if (/^\d{1,11}(?:\.\d{1,9})?$/.test(text)) return Number(text);
  const [, day, month = '', year, hour, minute, second, sign, zoneHour, zoneMinute] =
    /^\[?(\d\d)\/(\w{3})\/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)\]?$/.exec(text) ?? [];
  if (day === undefined) return /^\d{4}-/.test(text) ? Date.parse(text) / 1000 : Number.NaN;
  const at = MONTHS.indexOf(month);
  if (at === -1) return Number.NaN;
  const local = Date.UTC(Number(year), at, Number(day), Number(hour), Number(minute), Number(second)) / 1000;
  const zone = (Number(zoneHour) * 60 + Number(zoneMinute)) * 60;
  return sign === '-' ? local + zone : local - zone;
}

// Labels.

/** Stands for a request without the label: a line that is no request of HTTP, or a request that was not sent on. */
const NONE = '-';

/** Finds a part of a request. */
type PartOfRequest = (role: AccessRole) => string;

/** Reads the labels of requests. */
export class RequestLabels {
  readonly #wanted: readonly string[];
  readonly #routes: Routes;
  readonly #values: string[];

  constructor({ labels = [], routes }: ReadRequestsOptions) {
    this.#wanted = labels;
    this.#routes = new Routes(routes);
    this.#values = labels.map(() => '');
  }

  /** @throws HdrscopeError `ERR_INVALID_OPTION` when a wanted label is not among those that requests have. */
  assertKnown(known: readonly string[]): void {
    const missing = this.#wanted.find((label) => !known.includes(label));
    if (missing === undefined) return;
    const labels = [...new Set(known)];
    const message = `the requests have no label ${missing}: there are ${listNames(labels, 30)}`;
    throw new HdrscopeError('ERR_INVALID_OPTION', message, { details: { labels } });
  }

  /**
   * The wanted labels of a request.
   *
   * @param part Its parts, which are empty where it has none.
   * @param other Its other fields, by their names.
   */
  read(part: PartOfRequest, other: (label: string) => string | undefined): readonly string[] {
    for (let at = 0; at < this.#wanted.length; at++) {
      const label = this.#wanted[at]!;
      this.#values[at] = this.#valueOf(label, part) ?? (other(label) || NONE);
    }
    return this.#values;
  }

  /** `undefined` for a label that is another field. */
  #valueOf(label: string, part: PartOfRequest): string | undefined {
    switch (label) {
      case 'status':
      case 'upstream':
        return part(label) || NONE;
      case 'method': {
        const method = part('method') || firstWord(part('request'));
        return /^[A-Z]{1,20}$/.test(method) ? method : NONE;
      }
      case 'path':
        return findPath(part('path') || secondWord(part('request'))) ?? NONE;
      case 'route': {
        const path = findPath(part('path') || secondWord(part('request')));
        return path === undefined ? NONE : this.#routes.name(path, part('status') === '404');
      }
      default:
        return undefined;
    }
  }

  /** Lets the sink ask for the names of routes, which may become part of others after they were read. */
  settleFor(sink: RequestSink): void {
    sink.onLabels?.((labels) =>
      labels.map((value, at) => (this.#wanted[at] === 'route' ? this.#routes.settle(value) : value)),
    );
  }
}

function firstWord(text: string): string {
  const at = text.indexOf(' ');
  return at === -1 ? text : text.slice(0, at);
}

function secondWord(text: string): string {
  const from = text.indexOf(' ') + 1;
  if (from === 0) return '';
  const to = text.indexOf(' ', from);
  return to === -1 ? text.slice(from) : text.slice(from, to);
}

/** The path of a target, without its query; `undefined` when it is no path. */
function findPath(target: string): string | undefined {
  const from = target.startsWith('/') ? 0 : target.indexOf('/', target.indexOf('://') + 3);
  if (from === -1 || (from > 0 && !target.includes('://'))) return target.includes('://') ? '/' : undefined;
  const end = target.search(/[?#]/);
  return end === -1 ? target.slice(from) : target.slice(from, Math.max(from, end));
}
