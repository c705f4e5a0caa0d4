import { isExponentialLayout } from '@hdrscope/core/internal';
import type { Finding } from '@hdrscope/ebpf';
import { formatCount, listNames } from '@hdrscope/kit';
import {
  fetchExposition,
  readExposition,
  type ScrapedFamily,
  type ScrapedHistograms,
} from '@hdrscope/prometheus/scraper';
import { countText } from '../../format.ts';
import { amiss, type Cures, failed, well } from './finding.ts';

const TIMEOUT_MS = 10_000;
const MOST_NAMED = 3;

/** A service or an exporter that was asked for its metrics. */
export interface ExaminedTarget {
  readonly url: URL;
  readonly findings: readonly Finding[];
  /** Its families of histograms; `undefined` when it has not answered. */
  readonly families: readonly ScrapedFamily[] | undefined;
}

/** Asks a target for its metrics as Prometheus does, and looks for what keeps percentiles from being exact, or from being there. */
export async function examineTarget(url: URL, signal: AbortSignal): Promise<ExaminedTarget> {
  let format: string;
  let scraped: ScrapedHistograms;
  let own: string;
  try {
    const asked = { url: url.href, timeoutMs: TIMEOUT_MS, signal };
    const answer = await fetchExposition(asked);
    format = answer.format;
    scraped = readExposition(answer.bytes, answer.format);
    // Counters are read as text.
    const text = await fetchExposition({ ...asked, headers: { accept: 'text/plain;version=0.0.4' } });
    own = text.format === 'text' ? new TextDecoder().decode(text.bytes) : '';
  } catch (error) {
    signal.throwIfAborted();
    return { url, findings: [failed('answers', error, CURES)], families: undefined };
  }
  const { families, refusals } = scraped;
  const series = families.reduce((sum, { histograms }) => sum + histograms.length, 0);
  const answers = well(
    'answers',
    `${format}: ${countText(families.length, 'histogram')} with ${formatCount(series)} series`,
  );
  if (families.length === 0) return { url, findings: [answers, NO_HISTOGRAMS], families };
  return {
    ...{ url, families },
    findings: [
      answers,
      findNative(format, families),
      findLimit(families),
      ...findRejected(own),
      ...findRoutes(families),
      ...findRefusals(refusals),
    ],
  };
}

const NO_HISTOGRAMS = amiss(
  'histograms',
  'no histogram has a value',
  'a histogram appears with its first value: use the service once. Otherwise start it with --import @hdrscope/otel/register, before other imports',
);

/** What helps when a target does not answer, by the reason. */
const CURES: Cures = [
  [
    /ECONNREFUSED|refused/,
    'start the service, or name its port: OTEL_METRICS_EXPORTER=prometheus serves metrics at 9464',
  ],
  [/status 401/, 'name a user and a password in the URL; the token of a server of hdrscope is the password'],
  [/status 403/, 'let the server answer to this name: allowedHosts, or --allow-host of a command'],
  [/status 404/, 'name the path of the metrics, as in http://localhost:9464/metrics'],
  [/not a format of metrics|\bline \d/, 'name the path of the metrics; this one has a page for people'],
];

/** Native buckets come in protobuf and in OpenMetrics 2 only, to those who ask for them. */
function findNative(format: string, families: readonly ScrapedFamily[]): Finding {
  const what = 'native buckets';
  const isNative = ({ histograms }: ScrapedFamily): boolean =>
    histograms.some(({ counted: { layout } }) => isExponentialLayout(layout));
  const classic = families.filter((family) => !isNative(family)).map(({ name }) => name);
  if (classic.length === 0) return well(what, 'each histogram has them, for those who ask');
  const detail =
    classic.length === families.length
      ? 'each histogram has classic buckets alone'
      : `${listNames(classic, MOST_NAMED)} ${classic.length === 1 ? 'has' : 'have'} classic buckets alone`;
  const cure =
    format === 'protobuf' || format === 'openmetrics2'
      ? "an exporter of hdrscope: leave out buckets: 'classic', and boundaries; client_golang: set NativeHistogramBucketFactor"
      : `protobuf was asked for, and the answer is ${format}: let @hdrscope/otel or @hdrscope/prometheus serve the metrics, or let the proxy hand on the header Accept`;
  return amiss(what, detail, cure);
}

const OVERFLOW_LABEL = 'otel_metric_overflow';

function findLimit(families: readonly ScrapedFamily[]): Finding {
  const what = 'series';
  const full = families
    .filter(({ histograms }) => histograms.some(({ labels }) => Object.hasOwn(labels, OVERFLOW_LABEL)))
    .map(({ name }) => name);
  if (full.length === 0) return well(what, 'no limit of series is reached');
  return amiss(
    what,
    `${listNames(full, MOST_NAMED)} ${full.length === 1 ? 'has' : 'have'} reached the limit of series: further values are in the series ${OVERFLOW_LABEL}`,
    'raise the cardinalityLimit of the view, or keep fewer attributes: allowAttributes',
  );
}

/** Exporters of hdrscope have this counter when there are such values. */
function findRejected(text: string): Finding[] {
  const [line, ...others] = text.matchAll(/^hdrscope_rejected_values_total\{(.*)\} (\d+)/gm);
  if (line === undefined) return [];
  const [, labels, count] = line;
  const more = others.length === 0 ? '' : `, and those of ${formatCount(others.length)} more`;
  const detail = `${formatCount(Number(count))} cannot be counted: ${labels}${more}`;
  return [amiss('values', detail, 'record numbers of at least 0 that are finite')];
}

const REQUESTS = /^http_server_(request_)?duration/;

function findRoutes(families: readonly ScrapedFamily[]): Finding[] {
  return families
    .filter(({ name }) => REQUESTS.test(name))
    .map(({ name, histograms }) => {
      const what = 'routes';
      const has = histograms.some(({ labels }) => Object.hasOwn(labels, 'http_route'));
      if (has) return well(what, `${name} has the label http_route`);
      return amiss(
        what,
        `no series of ${name} has the label http_route`,
        'install the instrumentation of the framework, such as @opentelemetry/instrumentation-express',
      );
    });
}

function findRefusals(refusals: ScrapedHistograms['refusals']): Finding[] {
  const [first, ...others] = refusals.filter(({ reason }) => reason !== 'unsupported');
  if (first === undefined) return [];
  const more = others.length === 0 ? '' : `, and ${formatCount(others.length)} more`;
  const cure = 'its exporter contradicts itself: look for a newer release of it';
  return [amiss('counts', `${first.family} ${first.problem}${more}`, cure)];
}
