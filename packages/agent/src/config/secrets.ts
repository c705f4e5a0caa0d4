import { visible } from '@hdrscope/core/internal';
import { type CheckedConfig, readVariables } from './agent-config.ts';
import type { Path } from './document.ts';

/** Whether no message may show the value at a path of a configuration. */
export function isSecret(path: Path, value: unknown): boolean {
  if (['headers', 'token', 'password'].some((key) => path.includes(key))) return true;
  const isUrl = path.at(-1) === 'url' || path.at(-2) === 'targets';
  return isUrl && (typeof value !== 'string' || /[@?]/.test(value));
}

// Shorter texts are in every sentence.
const SHORTEST = 4;
const HIDDEN = '***';

/** Replaces secrets of configurations in texts that people see. */
export class Mask {
  /** What messages show instead of each secret. */
  readonly #shown = new Map<string, string>();
  /** All secrets, the longest first: one may be a part of another. */
  #secrets: RegExp | undefined;

  /** Hides the secrets of one more configuration. Those of earlier ones stay hidden. */
  add(config: CheckedConfig): void {
    for (const secret of secretsOf(config)) {
      for (const form of formsOf(secret)) this.#shown.set(form, HIDDEN);
    }
    for (const [name, value] of readVariables(config)) {
      for (const form of formsOf(value)) this.#shown.set(form, `\${${name}}`);
    }
    const forms = [...this.#shown.keys()].sort((a, b) => b.length - a.length);
    const escaped = forms.map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    this.#secrets = escaped.length === 0 ? undefined : new RegExp(escaped.join('|'), 'g');
  }

  /** A text without secrets, in which control characters are visible. */
  shown(text: string): string {
    if (this.#secrets === undefined) return visible(text);
    // In one pass, so that what is shown instead of a secret stays whole.
    return visible(text.replaceAll(this.#secrets, (secret) => this.#shown.get(secret)!));
  }
}

// https://opentelemetry.io/docs/specs/otel/protocol/exporter/#configuration-options
const HEADER_VARIABLES = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_METRICS_HEADERS'];

/** Headers that OpenTelemetry's variables add to those of a configuration: `name=value` pairs. */
function headersOfVariables(): string[] {
  const pairs = HEADER_VARIABLES.flatMap((name) => (process.env[name] ?? '').split(','));
  return pairs.map((pair) => pair.slice(pair.indexOf('=') + 1).trim());
}

/** The keys that hold secrets, in an entry or in its table. */
interface WithSecrets {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly password?: string;
  readonly clickhouse?: WithSecrets;
  readonly postgres?: WithSecrets;
}

/** Tokens, headers, passwords, and the users, passwords and keys of URLs. */
function secretsOf(config: CheckedConfig): string[] {
  return [
    ...[...config.sources, ...config.sinks].flatMap((entry) => secretsIn(entry as WithSecrets)),
    ...headersOfVariables(),
  ];
}

function secretsIn({ token, headers = {}, url, password, clickhouse, postgres }: WithSecrets): string[] {
  const named = [token, password].filter((text) => text !== undefined);
  const nested = [clickhouse, postgres].flatMap((table) => (table === undefined ? [] : secretsIn(table)));
  return [...named, ...Object.values(headers), ...userOf(url), ...keysOf(url), ...nested];
}

const KEY_NAME = /pass|key|token|secret|auth|sig|cred|code/i;
// A database or a tenant has a shorter name.
const SHORTEST_KEY = 16;

/** The passwords and keys among the parameters of a URL: by their names, and of HTTP by their length. */
function keysOf(url = ''): string[] {
  const [, query = ''] = /\?([^#]*)/.exec(url) ?? [];
  return query.split('&').flatMap((parameter) => {
    const [, name = '', value = ''] = /^(?:([^=]*)=)?(.*)$/.exec(parameter) ?? [];
    const isLong = /^http/i.test(url) && value.length >= SHORTEST_KEY;
    return value !== '' && (isLong || KEY_NAME.test(name)) ? [value] : [];
  });
}

function userOf(url = ''): string[] {
  const [, user] = /^[a-z]+:\/\/([^/?#]*)@/i.exec(url) ?? [];
  if (user === undefined) return [];
  const colon = user.indexOf(':');
  return colon < 0 ? [user] : [user, user.slice(0, colon), user.slice(colon + 1)];
}

/** The ways in which messages may write a secret. */
function formsOf(secret: string): string[] {
  const plain = [secret, converted(secret, decodeURIComponent)].flatMap((text) => [
    text,
    text.replace(/^(Basic|Bearer) /i, ''),
  ]);
  const forms = plain.flatMap((text) => [
    text,
    text.replaceAll(/\s+/g, ' '),
    visible(text),
    JSON.stringify(text).slice(1, -1),
    converted(text, encodeURIComponent),
  ]);
  return [...new Set(forms)].filter(({ length }) => length >= SHORTEST);
}

/** The text itself when it cannot be converted, as half of a surrogate pair. */
function converted(text: string, convert: (text: string) => string): string {
  try {
    return convert(text);
  } catch {
    return text;
  }
}
