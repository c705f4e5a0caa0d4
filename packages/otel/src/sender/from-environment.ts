import { assertFollows, object } from '@hdrscope/core/internal';
import { LONGEST_TIMER_MS } from '@hdrscope/kit';
import { quoted, type SenderTlsFiles } from '@hdrscope/kit/delivery';
import { type EnvironmentVariables, processEnvironment, variable } from '../environment.ts';
import type { OtlpSenderOptions } from './options.ts';

/** The settings of OTLP in an environment. */
export interface OtlpEnvironment {
  /** Options of `sendOtlp`. Those that no variable sets are left out, except `url` and `protocol`. */
  readonly options: Pick<OtlpSenderOptions, 'url' | 'protocol'> &
    Pick<OtlpSenderOptions, 'headers' | 'tls' | 'compression' | 'timeoutMs' | 'temporality' | 'histograms'>;
  /** A sentence for each variable that is ignored, without its value where that may be secret. */
  readonly warnings: readonly string[];
}

const PREFIX = 'OTEL_EXPORTER_OTLP_';
const METRICS_PREFIX = `${PREFIX}METRICS_`;

/**
 * Reads OpenTelemetry's variables for OTLP: `OTEL_EXPORTER_OTLP_METRICS_…` first, else `OTEL_EXPORTER_OTLP_…`. They are `ENDPOINT`,
 * `PROTOCOL`, `HEADERS`, `TIMEOUT`, `COMPRESSION`, `CERTIFICATE`, `CLIENT_CERTIFICATE`, `CLIENT_KEY`, `INSECURE`, and for metrics
 * only `TEMPORALITY_PREFERENCE` and `DEFAULT_HISTOGRAM_AGGREGATION`.
 *
 * A value that is not allowed counts as unset, as the
 * [specification](https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/) has it, and `warnings` names it.
 * The endpoint and the protocol have [defaults](https://opentelemetry.io/docs/specs/otel/protocol/exporter/): `http/protobuf` to
 * `http://localhost:4318/v1/metrics`, and `grpc` to `http://localhost:4317`. Files are read when requests are sent.
 *
 * @param environment The variables by name. @default those of the process
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the argument is of another type.
 * @example
 * ```ts
 * import { otlpOptionsFromEnvironment } from '@hdrscope/otel/sender';
 *
 * const { options, warnings } = otlpOptionsFromEnvironment({
 *   OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector:4318',
 *   OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc',
 *   OTEL_EXPORTER_OTLP_TIMEOUT: 'soon',
 * });
 * options; //=> { url: 'https://collector:4318/v1/metrics', protocol: 'http/protobuf', headers: { authorization: 'Bearer abc' } }
 * warnings; //=> ['OTEL_EXPORTER_OTLP_TIMEOUT must be a number of milliseconds, got soon: it is ignored']
 * ```
 */
export function otlpOptionsFromEnvironment(
  environment: EnvironmentVariables = processEnvironment(),
): OtlpEnvironment {
  assertFollows('the environment', object<EnvironmentVariables>(), environment);
  const variables = new Variables(environment);
  const protocol = variables.word('PROTOCOL', PROTOCOLS) ?? 'http/protobuf';
  const url = protocol === 'grpc' ? grpcUrlIn(variables) : httpUrlIn(variables);
  const headers = headersIn(variables);
  const tls = tlsFilesIn(variables);
  const compression = variables.word('COMPRESSION', COMPRESSIONS);
  const timeoutMs = variables.first('TIMEOUT', 'a number of milliseconds', asTimeoutMs);
  const temporality = variables.word('TEMPORALITY_PREFERENCE', TEMPORALITIES);
  const histograms = variables.word('DEFAULT_HISTOGRAM_AGGREGATION', AGGREGATIONS);
  variables.warnOfUnknown();
  const options = {
    url,
    protocol,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(tls).length > 0 && { tls }),
    ...(compression !== undefined && { compression }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(temporality !== undefined && { temporality }),
    ...(histograms !== undefined && { histograms }),
  };
  return { options, warnings: variables.warnings };
}

const PROTOCOLS = { grpc: 'grpc', 'http/protobuf': 'http/protobuf', 'http/json': 'http/json' } as const;
const COMPRESSIONS = { gzip: 'gzip', none: 'none' } as const;
/** The temporality of histograms for each preference. */
const TEMPORALITIES = { cumulative: 'cumulative', delta: 'delta', lowmemory: 'delta' } as const;
const AGGREGATIONS = {
  explicit_bucket_histogram: 'explicit',
  base2_exponential_bucket_histogram: 'exponential',
} as const;

const METRICS_ONLY: readonly string[] = ['TEMPORALITY_PREFERENCE', 'DEFAULT_HISTOGRAM_AGGREGATION'];
/** The end of each variable that is read. */
const SETTINGS = [
  ...['ENDPOINT', 'PROTOCOL', 'HEADERS', 'TIMEOUT', 'COMPRESSION', 'INSECURE'],
  ...['CERTIFICATE', 'CLIENT_CERTIFICATE', 'CLIENT_KEY'],
];
const KNOWN: ReadonlySet<string> = new Set([
  ...SETTINGS.flatMap((setting) => [`${PREFIX}${setting}`, `${METRICS_PREFIX}${setting}`]),
  ...METRICS_ONLY.map((setting) => `${METRICS_PREFIX}${setting}`),
]);

/** The variables of one environment, and what is wrong with them. */
class Variables {
  readonly warnings: string[] = [];
  readonly #environment: EnvironmentVariables;

  constructor(environment: EnvironmentVariables) {
    this.#environment = environment;
  }

  /** The names and texts of a setting: that of metrics first. */
  *texts(setting: string): Generator<readonly [name: string, text: string]> {
    const prefixes = METRICS_ONLY.includes(setting) ? [METRICS_PREFIX] : [METRICS_PREFIX, PREFIX];
    for (const prefix of prefixes) {
      const text = variable(this.#environment, `${prefix}${setting}`);
      if (text !== undefined) yield [`${prefix}${setting}`, text];
    }
  }

  /**
   * The value of a setting. A text that is not allowed counts as unset.
   *
   * @param isSecret Whether a warning leaves out the text.
   */
  first<Value>(
    setting: string,
    expected: string,
    parse: (text: string, name: string) => Value | undefined,
    isSecret = false,
  ): Value | undefined {
    for (const [name, text] of this.texts(setting)) {
      const value = parse(text, name);
      if (value !== undefined) return value;
      this.ignore(name, `must be ${expected}, got ${isSecret ? 'another text' : quoted(text)}`);
    }
    return undefined;
  }

  /** The meaning of a word. Case does not matter. */
  word<Value extends string>(setting: string, words: Readonly<Record<string, Value>>): Value | undefined {
    return this.first(setting, Object.keys(words).join(' or '), (text) => {
      const word = text.toLowerCase();
      return Object.hasOwn(words, word) ? words[word] : undefined;
    });
  }

  ignore(name: string, why: string): void {
    this.warnings.push(`${name} ${why}: it is ignored`);
  }

  /** Names the variables of OTLP, those of other signals apart, that nothing reads. */
  warnOfUnknown(): void {
    for (const name of Object.keys(this.#environment)) {
      const isOurs =
        name.startsWith(PREFIX) && !/^OTEL_EXPORTER_OTLP_(TRACES|LOGS|PROFILES|SPAN)_/.test(name);
      if (isOurs && !KNOWN.has(name)) this.ignore(name, 'is not known');
    }
  }
}

const HTTP_URL = 'a URL such as http://localhost:4318';
const GRPC_URL = 'a URL such as http://localhost:4317, or a host and a port';

/** https://opentelemetry.io/docs/specs/otel/protocol/exporter/#endpoint-urls-for-otlphttp */
function httpUrlIn(variables: Variables): string {
  const parse = (text: string, name: string): string | undefined => {
    if (!isHttpUrl(text)) return undefined;
    if (name.startsWith(METRICS_PREFIX)) return text;
    const url = new URL(text);
    url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/metrics`;
    return url.href;
  };
  return variables.first('ENDPOINT', HTTP_URL, parse, true) ?? 'http://localhost:4318/v1/metrics';
}

/** An endpoint without a scheme is secure, unless a variable says otherwise. */
function grpcUrlIn(variables: Variables): string {
  const isInsecure = variables.word('INSECURE', { true: 'true', false: 'false' }) === 'true';
  const parse = (text: string): string | undefined => {
    const url = /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i.test(text)
      ? `${isInsecure ? 'http' : 'https'}://${text}`
      : text;
    return isHttpUrl(url) ? url : undefined;
  };
  return variables.first('ENDPOINT', GRPC_URL, parse, true) ?? 'http://localhost:4317';
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** `name=value` pairs in percent encoding. Those of metrics replace the others, one by one, as in the SDK. */
function headersIn(variables: Variables): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, text] of [...variables.texts('HEADERS')].reverse()) {
    for (const pair of text.split(',').filter((one) => one.trim() !== '')) {
      const header = headerOf(pair);
      if (header !== undefined) headers[header[0]] = header[1];
      else variables.ignore(name, 'has a pair that is not name=value in percent encoding');
    }
  }
  return headers;
}

function headerOf(pair: string): [name: string, value: string] | undefined {
  const at = pair.indexOf('=');
  try {
    const name = decodeURIComponent(pair.slice(0, Math.max(0, at)).trim()).toLowerCase();
    const value = decodeURIComponent(pair.slice(at + 1).trim());
    return isHeader(name, value) ? [name, value] : undefined;
  } catch {
    return undefined;
  }
}

/** Whether Node.js takes a header: https://www.rfc-editor.org/rfc/rfc9110#name-fields */
function isHeader(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

function tlsFilesIn(variables: Variables): SenderTlsFiles {
  const fileIn = (setting: string) => [...variables.texts(setting)][0];
  const ca = fileIn('CERTIFICATE');
  const cert = fileIn('CLIENT_CERTIFICATE');
  const key = fileIn('CLIENT_KEY');
  if (cert !== undefined && key === undefined) variables.ignore(cert[0], 'needs CLIENT_KEY beside it');
  if (key !== undefined && cert === undefined) variables.ignore(key[0], 'needs CLIENT_CERTIFICATE beside it');
  return {
    ...(ca !== undefined && { caFile: ca[1] }),
    ...(cert !== undefined && key !== undefined && { certFile: cert[1], keyFile: key[1] }),
  };
}

/** A timeout of 0 is no limit. */
function asTimeoutMs(text: string): number | undefined {
  if (!/^\d{1,10}$/.test(text)) return undefined;
  return Number(text) === 0 ? LONGEST_TIMER_MS : Math.min(Number(text), LONGEST_TIMER_MS);
}
