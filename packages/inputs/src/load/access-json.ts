import { readLines, refuseLine, type TextBytes } from '../bytes.ts';
import { fieldOf, parsedJson } from '../numbers/number-texts.ts';
import type { AccessRole } from './access-format.ts';
import {
  ACCESS_FAILURE,
  LogClock,
  RequestLabels,
  readDuration,
  readStatus,
  roundedMs,
} from './access-log.ts';
import {
  isRequest,
  type ReadRequestsOptions,
  type RequestFacts,
  type RequestReader,
  type RequestSink,
} from './load.ts';

// Access logs that are an object of JSON for each request.

/** The access logs in JSON. */
export type AccessJsonForm = 'nginx json' | 'envoy json' | 'caddy json' | 'traefik json';

/** The fields of a log. Of several, the first that is there is taken. */
interface JsonLog extends Pick<RequestFacts, 'tool' | 'errorMs' | 'stepMs'> {
  readonly mark: RegExp;
  /** How many of the unit of durations are a millisecond. */
  readonly perMs: number;
  readonly fields: Readonly<Partial<Record<AccessRole, readonly string[]>>>;
}

const LOGS: Readonly<Record<AccessJsonForm, JsonLog>> = {
  // Fields are named as somebody likes. Three decimals show the $request_time of nginx.
  'nginx json': {
    tool: 'nginx',
    errorMs: { lower: 1, upper: 1 },
    stepMs: 1,
    mark: /^\s*\{[^\n]{0,20000}"request_time"\s*:\s*"?\d{1,10}\.\d{3}"?\s*[,}]/,
    perMs: 0.001,
    fields: {
      duration: ['request_time'],
      time: ['time_iso8601', 'time_local', 'msec', 'time', 'timestamp', '@timestamp'],
      request: ['request'],
      method: ['request_method', 'method'],
      path: ['request_uri', 'uri', 'path'],
      status: ['status'],
      upstream: ['upstream_addr', 'upstream'],
    },
  },
  // Source: Envoy and Istio, which name the fields of JSON so.
  'envoy json': {
    tool: 'Envoy',
    errorMs: { lower: 0, upper: 1 },
    stepMs: 1,
    mark: /^\s*\{(?=[^\n]{0,20000}"response_flags"\s*:)(?=[^\n]{0,20000}"start_time"\s*:)[^\n]{0,20000}"duration"\s*:\s*"?\d{1,15}"?\s*[,}]/,
    perMs: 1,
    fields: {
      duration: ['duration'],
      time: ['start_time'],
      method: ['method'],
      path: ['path'],
      status: ['response_code'],
      upstream: ['upstream_host'],
    },
  },
  // Source: Caddy, `caddyhttp/logging`: seconds with decimals.
  'caddy json': {
    tool: 'Caddy',
    mark: /^\s*\{(?=[^\n]{0,20000}"logger"\s*:\s*"http\.log\.access)[^\n]{0,20000}"duration"\s*:\s*\d{1,10}(?:\.\d{1,20})?(?:e-\d{1,2})?\s*[,}]/,
    perMs: 0.001,
    fields: {
      duration: ['duration'],
      time: ['ts'],
      method: ['request.method'],
      path: ['request.uri'],
      status: ['status'],
    },
  },
  // Source: Traefik, `accesslog`: nanoseconds.
  'traefik json': {
    tool: 'Traefik',
    mark: /^\s*\{(?=[^\n]{0,20000}"DownstreamStatus"\s*:)[^\n]{0,20000}"Duration"\s*:\s*\d{1,19}\s*[,}]/,
    perMs: 1e6,
    fields: {
      duration: ['Duration'],
      time: ['StartUTC', 'time'],
      method: ['RequestMethod'],
      path: ['RequestPath'],
      status: ['DownstreamStatus'],
      upstream: ['ServiceAddr', 'ServiceName'],
    },
  },
};

/** The readers of these logs. */
export const ACCESS_JSON: Readonly<Record<AccessJsonForm, RequestReader>> = Object.fromEntries(
  Object.entries(LOGS).map(([form, log]) => {
    const { tool, errorMs, stepMs } = log;
    const unstated = `the log of ${tool} has no status`;
    const reader: RequestReader = {
      mark: log.mark,
      facts: {
        tool,
        failure: ACCESS_FAILURE,
        unstated,
        ...(errorMs && { errorMs }),
        ...(stepMs && { stepMs }),
      },
      read: (bytes, options, sink) => readJsonLog(log, bytes, options, sink),
    };
    return [form, reader];
  }),
) as Record<AccessJsonForm, RequestReader>;

function readJsonLog(
  { perMs, fields }: JsonLog,
  bytes: TextBytes,
  options: ReadRequestsOptions,
  sink: RequestSink,
): Promise<void> {
  const { name = 'the text', onBadLine = refuseLine, labels = [] } = options;
  const request = new RequestLabels(options);
  const clock = new LogClock();
  let document: unknown;
  let isFirst = true;
  // The lines of a log have the same fields.
  const found: Partial<Record<AccessRole, string>> = {};
  const findPart = (role: AccessRole): unknown => {
    const known = found[role];
    const value = known === undefined ? undefined : fieldOf(document, known);
    if (value !== undefined) return value;
    const names = fields[role] ?? [];
    for (const field of names) {
      const other = fieldOf(document, field);
      if (other === undefined) continue;
      found[role] = field;
      return other;
    }
    return undefined;
  };
  const part = (role: AccessRole): string => textIn(findPart(role)) ?? '';
  const other = (label: string): string | undefined => textIn(fieldOf(document, label));
  request.settleFor(sink);
  return readLines(bytes, options, (line, lineNumber) => {
    document = parsedJson(line);
    const duration = findPart('duration');
    const durationMs =
      typeof duration === 'number' ? roundedMs(duration, perMs) : readDuration(textIn(duration) ?? '', perMs);
    const time = part('time');
    const atSec = time === '' ? 0 : clock.read(time);
    const status = part('status');
    const code = status === '' ? 0 : readStatus(status);
    if (!isRequest(durationMs, atSec) || code < 0) {
      onBadLine({
        lineNumber,
        message: `${name}: line ${lineNumber} must be JSON with the duration of a request`,
      });
      return;
    }
    if (isFirst)
      request.assertKnown([
        'method',
        'route',
        'path',
        'status',
        'upstream',
        ...Object.keys(document as object),
      ]);
    isFirst = false;
    sink.onRequest(durationMs, atSec, labels.length === 0 ? undefined : request.read(part, other));
    if (status !== '') sink.onOutcome?.(code >= 500, atSec);
  });
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
