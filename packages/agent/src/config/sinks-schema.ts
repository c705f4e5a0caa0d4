import { isLoopback } from '@hdrscope/kit/server';
import { z } from 'zod';
import { server } from './server-schema.ts';
import type { Unnamed } from './sources-schema.ts';
import { HISTORY_PLACES, type SinkConfig } from './types.ts';
import { address, duration, mapping, oneOf, size, text, texts, wholeNumber, yesOrNo } from './values.ts';

const name = text('a name').optional();

const prometheus = mapping({
  type: z.literal('prometheus'),
  name,
  listen: address.prefault('localhost:9464'),
  path: text('a path that begins with a slash')
    .startsWith('/', { error: 'must be a path that begins with a slash' })
    .default('/metrics'),
  buckets: oneOf('native', 'classic', 'both').default('native'),
  unitSuffix: yesOrNo(false),
  processMetrics: yesOrNo(false),
  ...server,
});

const tls = mapping({
  caFile: text('the path of a file in PEM').exactOptional(),
  certFile: text('the path of a file in PEM').exactOptional(),
  keyFile: text('the path of a file in PEM').exactOptional(),
}).prefault({});

const otlp = mapping({
  type: z.literal('otlp'),
  name,
  protocol: oneOf('http/protobuf', 'http/json', 'grpc').default('http/protobuf'),
  url: z
    .url({ protocol: /^https?$/, error: 'must be an address such as http://localhost:4318/v1/metrics' })
    .optional(),
  headers: texts.prefault({}),
  interval: duration.prefault('60s'),
  timeout: duration.prefault('10s'),
  temporality: oneOf('cumulative', 'delta').default('cumulative'),
  histograms: oneOf('exponential', 'explicit').default('exponential'),
  compression: oneOf('gzip', 'none').default('gzip'),
  maxRequestSize: size.prefault('4MiB'),
  giveUpAfter: duration.prefault('1h'),
  tls,
  resource: texts.prefault({}),
})
  .check(checkTimeout)
  .transform(({ url, ...rest }) => ({
    ...rest,
    url: url ?? (rest.protocol === 'grpc' ? 'http://localhost:4317' : 'http://localhost:4318/v1/metrics'),
  }));

const remoteWrite = mapping({
  type: z.literal('remote-write'),
  name,
  url: z
    .url({ protocol: /^https?$/, error: 'must be an address such as http://localhost:9090/api/v1/write' })
    .default('http://localhost:9090/api/v1/write'),
  headers: texts.prefault({}),
  interval: duration.prefault('15s'),
  timeout: duration.prefault('10s'),
  buckets: oneOf('custom', 'native').default('custom'),
  unitSuffix: yesOrNo(false),
  tls,
  labels: texts.prefault({}),
}).check(checkTimeout);

const adminSocket = mapping({
  type: z.literal('admin-socket'),
  name,
  path: text('the path of a socket').refine((path) => Buffer.byteLength(path) <= 107, {
    error: 'must be the path of a socket, at most 107 bytes long',
  }),
});

const intervalLog = mapping({
  type: z.literal('interval-log'),
  name,
  path: text('the path of a log'),
  interval: duration.prefault('10s'),
  aligned: yesOrNo(true),
  fsync: oneOf('never', 'rotation', 'interval').default('rotation'),
  rotation: mapping({
    every: duration.optional(),
    size: size.optional(),
    keep: wholeNumber(0).optional(),
    gzip: yesOrNo(false),
  }).prefault({}),
});

const table = z
  .union([text('a name'), z.array(text('a name')).min(1)], {
    error: 'must be the name of a table, or a list of the parts of a qualified name',
  })
  .default('history');

const tableKeys = {
  user: text('a name').exactOptional(),
  password: z.string({ error: 'must be a text' }).exactOptional(),
  table,
  create: yesOrNo(false),
  timeout: duration.prefault('10s'),
};

const clickhouse = mapping({
  url: z
    .url({ protocol: /^https?$/, error: 'must be an address such as http://localhost:8123' })
    .default('http://localhost:8123'),
  ...tableKeys,
  ttlDays: wholeNumber(1).exactOptional(),
  tls,
});

const postgres = mapping({
  url: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be an address such as postgres://localhost/metrics' })
    .default('postgres://localhost'),
  ...tableKeys,
});

const history = mapping({
  type: z.literal('history'),
  name,
  folder: text('the path of a folder').exactOptional(),
  clickhouse: clickhouse.exactOptional(),
  postgres: postgres.exactOptional(),
  interval: duration.prefault('1m'),
  batch: duration.exactOptional(),
  maxWaitingSize: size.prefault('64MiB'),
  producer: text('a readable name').optional(),
}).check(({ value, issues }) => {
  const places = HISTORY_PLACES.filter((place) => value[place] !== undefined);
  if (places.length === 1) return;
  const message = 'must have exactly one of folder, clickhouse and postgres: it says where rows go';
  issues.push({ code: 'custom', message, path: [], input: value });
});

const dashboard = mapping({
  type: z.literal('dashboard'),
  name,
  listen: address.prefault('127.0.0.1:9465'),
  title: text('a title').default('hdrscope'),
  ...server,
}).check(({ value: { listen, token }, issues }) => {
  if (token === undefined && !isLoopback(listen.host)) {
    const message =
      'must be an address of this machine alone, unless there is a token: everybody who reaches the port sees all counts';
    issues.push({ code: 'custom', message, path: ['listen'], input: `${listen.host}:${listen.port}` });
  }
});

const health = mapping({
  type: z.literal('health'),
  name,
  listen: address.prefault('127.0.0.1:9466'),
  ...server,
});

const SINKS = [prometheus, otlp, remoteWrite, adminSocket, intervalLog, history, dashboard, health] as const;

/** An entry of `sinks`. Its name may be missing. */
export const sink: z.ZodType<Unnamed<SinkConfig>, unknown> = z.discriminatedUnion('type', SINKS, {
  error:
    'must be a known type of sink: prometheus, otlp, remote-write, admin-socket, interval-log, history, dashboard or health',
});

function checkTimeout({
  value: { timeout, interval },
  issues,
}: {
  readonly value: { readonly timeout: number; readonly interval: number };
  readonly issues: { push(issue: z.core.$ZodRawIssue): unknown };
}): void {
  if (timeout <= interval) return;
  const message = 'must not be longer than interval';
  issues.push({ code: 'custom', message, path: ['timeout'], input: timeout });
}
