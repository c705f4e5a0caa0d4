import { isExponentialLayout } from '@hdrscope/core/internal';
import type { Finding } from '@hdrscope/ebpf';
import { asObject, Budget, formatCount, listNames, parseJson } from '@hdrscope/kit';
import { apiUrl, requestAnswer } from '@hdrscope/prometheus/internal';
import { countText } from '../../format.ts';
import { amiss, type Cures, failed, well } from './finding.ts';
import type { ExaminedTarget } from './target.ts';

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 64 * 2 ** 20;
const MOST_ELEMENTS = 2_000_000;
const MOST_NAMED = 3;

/** A target as Prometheus describes it. */
interface ScrapedTarget {
  readonly url: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly isUp: boolean;
  readonly error: string;
}

type Ask = (path: string, query?: string) => Promise<unknown>;

/** Asks a Prometheus what it scrapes, and what it has stored of some targets. Source: https://prometheus.io/docs/prometheus/latest/querying/api/ */
export async function examinePrometheus(
  url: URL,
  targets: readonly ExaminedTarget[],
  signal: AbortSignal,
): Promise<Finding[]> {
  const ask = askerOf(url, signal);
  try {
    const version = textIn(await ask('status/buildinfo'), 'version');
    const answers = well('answers', `Prometheus ${version || 'of an unknown version'}`);
    const flags = asObject(await ask('status/flags'), 'the flags');
    const scraped = readTargets(await ask('targets'));
    const findings = [answers, ...findNativeFlag(version, flags), ...findDown(scraped)];
    // One after another: the server has other work.
    const ofTargets: (readonly Finding[])[] = [];
    const isHere = LOOPBACK.test(url.hostname);
    for (const target of targets) ofTargets.push(await findTarget(target, scraped, { isHere, version, ask }));
    return [...findings, ...ofTargets.flat()];
  } catch (error) {
    signal.throwIfAborted();
    return [failed('answers', error, CURES)];
  }
}

const CURES: Cures = [
  [
    /status 40[13]/,
    'give it a user and a password, as in --prometheus https://USER:PASSWORD@host; Grafana takes api_key and a token',
  ],
  [/./, 'name the address of a Prometheus, as in --prometheus http://localhost:9090'],
];

function askerOf(base: URL, signal: AbortSignal): Ask {
  return async (path, query) => {
    const url = apiUrl(base, path);
    const { bytes } = await requestAnswer({
      ...{ url, tls: {}, timeoutMs: TIMEOUT_MS, maxBytes: MOST_BYTES, signal },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      // Many names make a long query, which no URL takes.
      ...(query !== undefined && { body: new TextEncoder().encode(`${new URLSearchParams({ query })}`) }),
      failure: `${url.host} cannot be asked`,
    });
    const what = 'the answer of Prometheus';
    const budget = new Budget(what, { elements: MOST_ELEMENTS, depth: 20 });
    return asObject(parseJson(new TextDecoder().decode(bytes), what, budget), what).data;
  };
}

function textIn(value: unknown, key: string): string {
  const text = asObject(value, 'the answer of Prometheus')[key];
  return typeof text === 'string' ? text : '';
}

function readTargets(data: unknown): ScrapedTarget[] {
  const { activeTargets } = asObject(data, 'the targets');
  if (!Array.isArray(activeTargets)) return [];
  return activeTargets.map((one) => ({
    url: textIn(one, 'scrapeUrl'),
    labels: asObject(asObject(one, 'a target').labels, 'labels') as Readonly<Record<string, string>>,
    isUp: textIn(one, 'health') === 'up',
    error: textIn(one, 'lastError'),
  }));
}

/** From this version on, the configuration of a scrape asks for native histograms, and no flag. */
const [MAJOR, MINOR] = [3, 8];

/** A version that is unknown is taken for a new one. */
function isConfigured(version: string): boolean {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined) return true;
  return Number(major) > MAJOR || (Number(major) === MAJOR && Number(minor) >= MINOR);
}

const FLAG = '--enable-feature=native-histograms';
const SETTING = 'scrape_native_histograms: true';

function findNativeFlag(version: string, flags: Readonly<Record<string, unknown>>): Finding[] {
  if (isConfigured(version)) return [];
  const what = 'native flag';
  const features = String(flags['enable-feature'] ?? '');
  if (features.split(',').includes('native-histograms')) return [well(what, FLAG)];
  return [amiss(what, 'it asks nobody for native histograms', `start it with ${FLAG}`)];
}

function findDown(scraped: readonly ScrapedTarget[]): Finding[] {
  const down = scraped.filter(({ isUp }) => !isUp);
  const what = 'targets';
  if (down.length === 0) return [well(what, `${countText(scraped.length, 'target')}, all up`)];
  const named = down.map(({ url, error }) =>
    error === '' ? `${url} was not asked yet` : `${url}: ${error}`,
  );
  const detail = `${formatCount(down.length)} of ${countText(scraped.length, 'target')} not up: ${listNames(named, MOST_NAMED, '; ')}`;
  return [amiss(what, detail, 'hdrscope doctor URL says what such a target lacks')];
}

/** A Prometheus that is asked. */
interface Asked {
  /** Whether it runs on this machine, whose names it shares then. */
  readonly isHere: boolean;
  readonly version: string;
  readonly ask: Ask;
}

/** Whether a target is scraped, and its histograms are there with native buckets. */
async function findTarget(
  { url, families }: ExaminedTarget,
  scraped: readonly ScrapedTarget[],
  { isHere, version, ask }: Asked,
): Promise<Finding[]> {
  const what = `scrapes ${url.host}`;
  const found = scraped.find((one) => isSameTarget(one.url, url, isHere));
  if (found === undefined) {
    const cure = `add it to scrape_configs: static_configs: [{ targets: ['${url.host}'] }]${url.pathname === '/metrics' ? '' : `, metrics_path: ${url.pathname}`}`;
    return [amiss(what, 'no target has this address', cure)];
  }
  if (!found.isUp) return [amiss(what, found.error === '' ? 'not yet' : found.error)];
  const scrapes = well(what, `as ${describeLabels(found.labels)}`);
  const names = (families ?? [])
    .filter(({ histograms }) => histograms.some(({ counted: { layout } }) => isExponentialLayout(layout)))
    .map(({ name }) => name);
  if (names.length === 0) return [scrapes];
  const selected = { job: found.labels.job ?? '', instance: found.labels.instance ?? '' };
  const native = await storedNames(names, selected, ask);
  const lacking = names.filter((name) => !native.has(name));
  const stored = `stored of ${url.host}`;
  if (lacking.length === 0) {
    return [scrapes, well(stored, countText(names.length, 'native histogram'))];
  }
  const buckets = await storedNames(
    lacking.map((name) => `${name}_bucket`),
    selected,
    ask,
  );
  const classic = lacking.filter((name) => buckets.has(`${name}_bucket`));
  if (classic.length === 0) {
    const cure =
      'wait for the next scrape; a job may also drop it, or give it other labels: metric_relabel_configs';
    return [scrapes, amiss(stored, `${listNames(lacking, MOST_NAMED)}: nothing yet`, cure)];
  }
  const detail = `${listNames(classic, MOST_NAMED)}: classic buckets alone`;
  const cure = isConfigured(version)
    ? `set ${SETTING} in global or in the job ${JSON.stringify(selected.job)}${version === '' ? `; before Prometheus 3.8, start it with ${FLAG}` : ''}`
    : `start Prometheus with ${FLAG}`;
  return [scrapes, amiss(stored, detail, cure)];
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Whether two addresses are of one target. The loopback of another machine is not that of this one, whose loopback has several names. */
export function isSameTarget(scraped: string, { hostname, port, pathname }: URL, isHere: boolean): boolean {
  if (!URL.canParse(scraped)) return false;
  const other = new URL(scraped);
  const areLoopback = [hostname, other.hostname].map((name) => LOOPBACK.test(name));
  const isHost = areLoopback.some(Boolean)
    ? isHere && areLoopback.every(Boolean)
    : other.hostname === hostname;
  return isHost && other.port === port && other.pathname === pathname;
}

function describeLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
}

/** Which of some names have series. The names are written as in PromQL. */
async function storedNames(
  names: readonly string[],
  { job, instance }: { readonly job: string; readonly instance: string },
  ask: Ask,
): Promise<ReadonlySet<string>> {
  const pattern = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const matchers = [`__name__=~${JSON.stringify(pattern)}`, `job=${JSON.stringify(job)}`];
  const query = `count by (__name__) ({${matchers.join()},instance=${JSON.stringify(instance)}})`;
  const { result } = asObject(await ask('query', query), 'the answer of Prometheus');
  if (!Array.isArray(result)) return new Set();
  return new Set(result.map((one) => textIn(asObject(one, 'a result').metric, '__name__')));
}
