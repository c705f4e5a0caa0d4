import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { formatCount, Rounds } from '@hdrscope/kit';
import * as z from '#zod';
import { duration, mapping, size, text, yesOrNo } from '../config/values.ts';
import { type ConfigOf, defineSource, entry, noKernelMaps, type SourcePart } from '../part.ts';
import { metricsUrl, type ScrapeTarget } from '../scrape/target.ts';
import {
  type DutyReport,
  listScrapedPods,
  listTargetFiles,
  listUrls,
  type TargetList,
} from '../scrape/target-lists.ts';
import { TargetLoops } from '../scrape/target-loops.ts';
import { headers, shownUrl, tls } from '../sinks/sending.ts';
import { attributes, cardinalityLimit, dropAttributes, expireAfter, since } from './shared.ts';

const TARGET = 'the URL of a target, such as http://localhost:9100/metrics, without user and password';

const target = z.string({ error: `must be ${TARGET}` }).refine(isTarget, { error: `must be ${TARGET}` });

function isTarget(given: string): boolean {
  if (!URL.canParse(given)) return false;
  const { protocol, username, password } = new URL(given);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

const listOf = (one: z.ZodString, what: string) =>
  z.array(one, { error: `must be a list of ${what}` }).default([]);

const schema = entry(
  'prometheus',
  'Targets of Prometheus: the histograms of exporters and applications, scraped.',
  {
    targets: listOf(target, 'URLs').describe('URLs of targets. Without a path, the path is /metrics.'),
    fileSd: listOf(text('the path of a file'), 'paths').describe(
      "Files with targets and labels in the form of Prometheus' file_sd, in JSON or YAML. * and ? in the last part of a path stand for any characters and for one.",
    ),
    kubernetes: mapping({
      namespaces: listOf(text('the name of a namespace'), 'names').describe(
        'The namespaces of the pods. Default: all.',
      ),
      server: text('the URL of an API server')
        .optional()
        .describe('The API server. Default: that of the cluster that the agent runs in.'),
      tokenFile: text('the path of a file')
        .optional()
        .describe('The file with the token. Default: that of the service account.'),
      caFile: text('the path of a file in PEM')
        .optional()
        .describe('The certificates that the API server may have. Default: those of the cluster.'),
    })
      .optional()
      .describe(
        'Pods with the annotation prometheus.io/scrape: "true"; /port, /path and /scheme beside it say where.',
      ),
    job: text('a name')
      .optional()
      .describe('The attribute job of all series. Default: the name of the source.'),
    interval: duration.prefault('15s').describe('The time between two scrapes of a target.'),
    timeout: duration
      .prefault('10s')
      .describe('How long a scrape may take. One that takes longer than the interval leaves out the next.'),
    refresh: duration
      .prefault('30s')
      .describe('The time between two looks at files and at the list of pods.'),
    metrics: z
      .array(text('the name of a metric'), { error: 'must be a list of names' })
      .optional()
      .describe('Names of the histograms that count, such as "http_*". Default: all.'),
    honorLabels: yesOrNo(false).describe(
      'Whether labels job and instance of a target stay, as those of a Pushgateway should. Otherwise they become exported_job and exported_instance.',
    ),
    since,
    maxSize: size.prefault('64MiB').describe('The largest answer, on the wire and decompressed.'),
    cardinalityLimit,
    expireAfter,
    username: text('a name').optional().describe('The user, for basic authentication.'),
    password: text('a password').optional().describe('The password of the user.'),
    token: text('a token').optional().describe('Sent as "Authorization: Bearer TOKEN".'),
    tokenFile: text('the path of a file')
      .optional()
      .describe('A file with such a token, read at each scrape.'),
    headers,
    tls,
    attributes,
    dropAttributes,
  },
).check(({ value, issues }) => {
  const { targets, fileSd, kubernetes, username, password, token, tokenFile } = value;
  const issue = (key: keyof typeof value, message: string): void => {
    issues.push({ code: 'custom', message, path: [key], input: undefined });
  };
  if (targets.length === 0 && fileSd.length === 0 && kubernetes === undefined) {
    issue('targets', 'must be URLs of targets, unless fileSd or kubernetes names some');
  }
  if (password !== undefined && username === undefined) issue('password', 'must have a username beside it');
  if ([username, token, tokenFile].filter((way) => way !== undefined).length > 1) {
    issue('token', 'must not be set with tokenFile or username: a request has one authorization');
  }
});

type Config = ConfigOf<typeof schema>;

/** Targets of Prometheus. Each is scraped at intervals, and a gather has the counts of its last answer. */
export const prometheus: SourcePart = defineSource({
  schema,
  example: `
# Histograms of exporters and applications, scraped as Prometheus does. "metrics" chooses some.
- name: node
  type: prometheus
  targets: [http://localhost:9100]
  fileSd: [/etc/prometheus/targets/*.json]
  interval: 15s
  metrics: [http_*, grpc_*]
`,
  origin({ targets, fileSd, kubernetes, metrics }) {
    const files = fileSd.map((path) => resolve(path)).sort();
    const id = JSON.stringify([
      targets.map((url) => metricsUrl(url).href).sort(),
      files,
      kubernetes,
      metrics,
    ]);
    return { key: 'targets', what: 'list of targets', id };
  },
  async start(config, context) {
    const { name, targets, interval, timeout, since, metrics, honorLabels, cardinalityLimit, expireAfter } =
      config;
    const { dropAttributes } = context.intake(`prometheus ${name}`);
    const ingestion = {
      since,
      metrics,
      honorLabels,
      cardinalityLimit,
      expireAfterMs: expireAfter,
      dropAttributes,
    };
    const request = async ({ url }: ScrapeTarget, signal: AbortSignal) => ({
      ...{ url, signal, timeoutMs: Math.ceil(timeout), maxBytes: config.maxSize, tls: config.tls },
      headers: { ...config.headers, ...(await authorization(config)) },
    });
    const loops = new TargetLoops({ intervalMs: interval, request, ingestion }, context);
    const ending = new AbortController();
    const lists = makeLists(config, ending.signal);
    const report: DutyReport = {
      recover: (duty) => loops.recover(duty),
      fail(duty, problem) {
        if (!ending.signal.aborted) loops.fail(duty, problem);
      },
    };
    const refresh = async (): Promise<void> => {
      const listed: ScrapeTarget[] = [];
      for (const list of lists) {
        for (const target of await list(report)) listed.push(withAttributes(target, config));
      }
      if (ending.signal.aborted) return;
      await loops.update(listed);
    };
    const rounds = new Rounds<void>();
    rounds.tick(refresh);
    // URLs in the configuration do not change.
    const timer = lists.length > 1 ? setInterval(() => rounds.tick(refresh), config.refresh) : undefined;
    return {
      kernelMaps: noKernelMaps,
      note: describe(config, targets),
      async stop() {
        clearInterval(timer);
        ending.abort();
        await rounds.idle();
        await loops.stop();
      },
    };
  },
});

function makeLists(
  { name, job = name, targets, fileSd, kubernetes, timeout }: Config,
  signal: AbortSignal,
): TargetList[] {
  const lists = [listUrls(targets, job), ...fileSd.map((path) => listTargetFiles(path, job))];
  if (kubernetes === undefined) return lists;
  return [...lists, listScrapedPods({ ...kubernetes, timeoutMs: Math.ceil(timeout), signal }, job)];
}

/** The attributes of the entry come after those that say where a series is from. */
function withAttributes(target: ScrapeTarget, { attributes }: Config): ScrapeTarget {
  return { ...target, attributes: { ...target.attributes, ...attributes } };
}

/** @throws The system's error when the file with the token cannot be read. */
async function authorization({
  username,
  password = '',
  token,
  tokenFile,
}: Config): Promise<Record<string, string>> {
  if (username !== undefined) {
    return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
  }
  const bearer = tokenFile === undefined ? token : (await readFile(tokenFile, 'utf8')).trim();
  return bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
}

function describe({ fileSd, kubernetes }: Config, targets: readonly string[]): string {
  const origins = [
    targets.length === 1
      ? shownUrl(targets[0]!)
      : targets.length > 1
        ? `${formatCount(targets.length)} targets`
        : '',
    ...fileSd,
    kubernetes === undefined ? '' : 'pods of Kubernetes',
  ];
  return origins.filter((origin) => origin !== '').join(', ');
}
