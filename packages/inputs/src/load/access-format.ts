import { HdrscopeError } from '@hdrscope/core';
import { listNames } from '@hdrscope/kit';

// The format of an access log: texts, and variables between them, in the words of nginx, Apache or Envoy.

/** What a variable has of a request. */
export type AccessRole = 'duration' | 'time' | 'request' | 'method' | 'path' | 'status' | 'upstream';

/** A variable of a format. */
interface Variable {
  /** Its name in the words of the server, as in `http_host`, `{Host}i` or `REQ(:AUTHORITY)`. */
  readonly name: string;
  readonly role?: AccessRole;
  /** Of a duration: how many of its unit are a millisecond, and how far the true one may be off, in milliseconds. */
  readonly perMs?: number;
  readonly errorMs?: { readonly lower: number; readonly upper: number };
  /** Of a duration: its step, in milliseconds. */
  readonly stepMs?: number;
}

/** A format of lines, read from left to right. */
export interface LineFormat {
  readonly server: 'nginx' | 'Apache' | 'Envoy';
  /** The text in front of each variable. */
  readonly before: readonly string[];
  readonly variables: readonly Variable[];
  /** The text behind the last one. */
  readonly after: string;
}

// Source: nginx, `ngx_http_log_request_time`: the difference of two times of the event loop, which are whole milliseconds.
const NGINX_DURATION = {
  role: 'duration',
  perMs: 0.001,
  errorMs: { lower: 1, upper: 1 },
  stepMs: 1,
} as const;

const NGINX: Readonly<Record<string, Omit<Variable, 'name'>>> = {
  request_time: NGINX_DURATION,
  time_local: { role: 'time' },
  time_iso8601: { role: 'time' },
  msec: { role: 'time' },
  request: { role: 'request' },
  request_method: { role: 'method' },
  request_uri: { role: 'path' },
  uri: { role: 'path' },
  status: { role: 'status' },
  upstream_addr: { role: 'upstream' },
};

// Source: httpd, `mod_log_config.c`: the difference of two times in microseconds; other units drop the rest.
const MICROSECOND = 0.001;
const APACHE_US = {
  role: 'duration',
  perMs: 1000,
  errorMs: { lower: MICROSECOND, upper: MICROSECOND },
  stepMs: MICROSECOND,
} as const;
const APACHE: Readonly<Record<string, Omit<Variable, 'name'>>> = {
  D: APACHE_US,
  '{us}T': APACHE_US,
  '{ms}T': { role: 'duration', perMs: 1, errorMs: { lower: MICROSECOND, upper: 1 }, stepMs: 1 },
  T: { role: 'duration', perMs: 0.001, errorMs: { lower: MICROSECOND, upper: 1000 }, stepMs: 1000 },
  '{s}T': { role: 'duration', perMs: 0.001, errorMs: { lower: MICROSECOND, upper: 1000 }, stepMs: 1000 },
  t: { role: 'time' },
  r: { role: 'request' },
  m: { role: 'method' },
  U: { role: 'path' },
  s: { role: 'status' },
};

// Source: Envoy, access logging: DURATION is whole milliseconds, and drops the rest.
const ENVOY: Readonly<Record<string, Omit<Variable, 'name'>>> = {
  DURATION: { role: 'duration', perMs: 1, errorMs: { lower: 0, upper: 1 }, stepMs: 1 },
  START_TIME: { role: 'time' },
  'REQ(:METHOD)': { role: 'method' },
  'REQ(:PATH)': { role: 'path' },
  'REQ(X-ENVOY-ORIGINAL-PATH?:PATH)': { role: 'path' },
  RESPONSE_CODE: { role: 'status' },
  UPSTREAM_HOST: { role: 'upstream' },
};

const SERVERS: readonly {
  readonly server: LineFormat['server'];
  /** Recognises a format. */
  readonly mark: RegExp;
  /** Finds each variable; its first group is the name. */
  readonly variable: RegExp;
  readonly known: Readonly<Record<string, Omit<Variable, 'name'>>>;
}[] = [
  { server: 'nginx', mark: /\$/, variable: /\$(?:\{(\w+)\}|(\w+))/g, known: NGINX },
  {
    server: 'Envoy',
    mark: /%[A-Z][A-Z_0-9]+(?:\([^()%]*\))?(?::\d+)?%/,
    variable: /%([A-Z][A-Z_0-9]+(?:\([^()%]*\))?)(?::\d+)?%/g,
    known: ENVOY,
  },
  {
    server: 'Apache',
    mark: /%/,
    variable: /%[!\d,<>]*((?:\{[^{}]*\})?(?:\^[A-Z]{2}|[A-Za-z]))/g,
    known: APACHE,
  },
];

/** A format must not be slow to read. */
const LONGEST_FORMAT = 4096;

/**
 * Parses the format of an access log.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when it is no such format, or has no duration.
 */
export function parseLogFormat(text: string): LineFormat {
  // Apache writes brackets around its time, which has a blank.
  const format = text.replaceAll('%t', '[%t]');
  const found = SERVERS.find(({ mark }) => mark.test(text));
  if (found === undefined || format.length > LONGEST_FORMAT)
    throw wrongFormat('with variables, as in $request_time, %D or %DURATION%', text);
  const { server, variable, known } = found;
  const before: string[] = [];
  const variables: Variable[] = [];
  let at = 0;
  for (const match of format.matchAll(variable)) {
    const name = (match[1] ?? match[2])!;
    before.push(plainText(format.slice(at, match.index), server));
    variables.push({ name, ...(Object.hasOwn(known, name) && known[name]) });
    at = match.index + match[0].length;
  }
  const line: LineFormat = { server, before, variables, after: plainText(format.slice(at), server) };
  const joined = before.findIndex((one, i) => i > 0 && one === '');
  if (joined !== -1)
    throw wrongFormat(
      `with a text between ${variables[joined - 1]!.name} and ${variables[joined]!.name}`,
      text,
    );
  if (durationIn(line) === -1) {
    const names = Object.keys(known).filter((name) => known[name]!.role === 'duration');
    throw wrongFormat(`with the duration of a request: ${listNames(names, 5)}`, text);
  }
  return line;
}

/** A text of a format as lines have it. */
function plainText(text: string, server: LineFormat['server']): string {
  return server === 'Apache'
    ? text.replaceAll('\\"', '"').replaceAll('\\t', '\t').replaceAll('%%', '%')
    : text;
}

/** Which variable has the duration: the one that says most about it. -1 when there is none. */
export function durationIn({ variables }: LineFormat): number {
  let [found, width] = [-1, Number.POSITIVE_INFINITY];
  for (const [at, { role, errorMs }] of variables.entries()) {
    if (role !== 'duration' || errorMs!.lower + errorMs!.upper >= width) continue;
    [found, width] = [at, errorMs!.lower + errorMs!.upper];
  }
  return found;
}

function wrongFormat(allowed: string, text: string): HdrscopeError {
  const shown = text.length > 100 ? `${text.slice(0, 100)}…` : text;
  return new HdrscopeError(
    'ERR_INVALID_OPTION',
    `the format of an access log must be one ${allowed}, got ${JSON.stringify(shown)}`,
  );
}
