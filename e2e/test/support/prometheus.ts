import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { programOf } from '@hdrscope/testing';
import { createFolder, freePort, type PeerProcess, startPeer, waitFor } from './peer-process.ts';

/** A running Prometheus. */
export interface Prometheus extends PeerProcess {
  readonly url: string;
  /** The current result of a PromQL expression. It may be empty, also after a scrape that took too long. */
  queryNow(expression: string): Promise<Sample[]>;
  /** Waits until the result of a PromQL expression is not empty, and returns it. */
  query(expression: string): Promise<[Sample, ...Sample[]]>;
  /** For an expression that gives one number. */
  queryNumber(expression: string): Promise<number>;
}

/** One series of a result: a number or a histogram. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value?: number;
  readonly histogram?: PromHistogram;
}

/** A native histogram as the HTTP API shows it. */
export interface PromHistogram {
  readonly count: number;
  readonly sum: number;
  /** The buckets that are not empty, ascending. */
  readonly buckets: readonly { readonly lower: number; readonly upper: number; readonly count: number }[];
}

/** A series in the HTTP API: https://prometheus.io/docs/prometheus/latest/querying/api/#native-histograms */
interface ApiSample {
  readonly metric: Record<string, string>;
  readonly value?: [time: number, value: string];
  readonly histogram?: [
    time: number,
    value: {
      readonly count: string;
      readonly sum: string;
      readonly buckets?: [rule: number, lower: string, upper: string, count: string][];
    },
  ];
}

/** The options with which each version scrapes native histograms. No version does so by default. */
const VERSIONS = {
  'prometheus-2': { args: ['--enable-feature=native-histograms'], scrape: {} },
  'prometheus-3': { args: [], scrape: { scrape_native_histograms: true } },
};

interface PrometheusOptions {
  /** Whether native histograms are scraped. @default true */
  readonly isNative?: boolean;
  readonly isOtlpReceiver?: boolean;
  /** The settings of the receiver of OTLP, in Prometheus' own words. @default its defaults */
  readonly otlp?: Readonly<Record<string, unknown>>;
  /** What each job sets besides the targets, in Prometheus' own words. @default one job called `test` */
  readonly jobs?: readonly ({ readonly job_name: string } & Readonly<Record<string, unknown>>)[];
  /** Where it writes what it scrapes, in Prometheus' own words. @default nowhere */
  readonly remoteWrite?: readonly Readonly<Record<string, unknown>>[];
  /** Texts of files with rules, which are evaluated twice a second. @default no rules */
  readonly rules?: readonly string[];
  /** More arguments of the command line. @default no more */
  readonly args?: readonly string[];
}

/** Starts a Prometheus that scrapes targets twice a second. Each target is a host and a port. */
export async function startPrometheus(
  name: keyof typeof VERSIONS,
  targets: readonly string[],
  {
    isNative = true,
    isOtlpReceiver = false,
    otlp,
    jobs = [{ job_name: 'test' }],
    remoteWrite = [],
    rules = [],
    args: moreArgs = [],
  }: PrometheusOptions = {},
): Promise<Prometheus> {
  const folder = await createFolder();
  const { args, scrape } = isNative ? VERSIONS[name] : { args: [], scrape: {} };
  const config = {
    // The longest allowed timeout, because the machine may be busy.
    global: { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '500ms' },
    ...(otlp && { otlp }),
    remote_write: remoteWrite,
    rule_files: rules.map((_, at) => `rules-${at}.yaml`),
    scrape_configs: jobs.map((job) => ({
      honor_labels: true,
      static_configs: [{ targets }],
      ...scrape,
      ...job,
    })),
  };
  for (const [at, text] of rules.entries()) await writeFile(join(folder, `rules-${at}.yaml`), text);
  await writeFile(join(folder, 'prometheus.json'), JSON.stringify(config));
  const url = `http://127.0.0.1:${await freePort()}`;
  const peer = await startPeer(
    programOf(name),
    [
      `--config.file=${join(folder, 'prometheus.json')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${new URL(url).host}`,
      ...args,
      ...moreArgs,
      ...(isOtlpReceiver ? ['--web.enable-otlp-receiver'] : []),
    ],
    { folder, isReady: () => isReady(url) },
  );
  const queryNow = async (expression: string): Promise<Sample[]> => {
    const response = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expression })}`);
    const answer = (await response.json()) as { status: string; data: { result: ApiSample[] } };
    if (answer.status !== 'success') throw new Error(`${expression}: ${JSON.stringify(answer)}`);
    return answer.data.result.map(toSample);
  };
  const query = (expression: string): Promise<[Sample, ...Sample[]]> =>
    waitFor(
      async () => {
        const [first, ...more] = await queryNow(expression);
        return first !== undefined && [first, ...more];
      },
      { what: expression },
    );
  return {
    ...peer,
    url,
    queryNow,
    query,
    async queryNumber(expression) {
      const samples = await query(expression);
      if (samples.length > 1)
        throw new Error(`the result of ${expression} has ${samples.length} series, not 1`);
      return samples[0].value ?? Number.NaN;
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/-/ready`)).ok;
  } catch {
    return false;
  }
}

function toSample({ metric: labels, value, histogram }: ApiSample): Sample {
  if (value !== undefined) return { labels, value: Number(value[1]) };
  const { count, sum, buckets = [] } = histogram![1];
  return {
    labels,
    histogram: {
      count: Number(count),
      sum: Number(sum),
      buckets: buckets.map(([, lower, upper, inBucket]) => ({
        lower: toNumber(lower),
        upper: toNumber(upper),
        count: Number(inBucket),
      })),
    },
  };
}

function toNumber(text: string): number {
  return Number(text.replace('Inf', 'Infinity'));
}
