import { isDeepStrictEqual } from 'node:util';
import { importSource } from '../../lib/import-source.js';
import { assertThat } from '../check.js';
import { meaningOf, refusedPlaceOf, refusedText, yamlMaker } from '../yaml.js';

/** @typedef {import('../../lib/random.js').Random} Random */

/** A reference to a variable of the environment. @param {string} name */
const variable = (name) => ['$', '{', name, '}'].join('');

const ENVIRONMENT = { TOKEN: 'canary-7531' };
const SECRET = 'a-token-of-20-letters';
const TEXTS = [
  'a',
  'a.b',
  'rpc.duration',
  'Überlänge',
  "it's",
  '7',
  'true',
  'x: y',
  '- z',
  '# no',
  'a\nb',
  'ünï',
  'e\u{301}',
];
const DURATIONS = ['250ms', '1s', '1.5 s', '1h30m', '24 d', '500000us'];
const LOCAL = ['localhost:0', '127.0.0.1:9464', '[::1]:4318', 'localhost:65535'];
const UNITS = ['none', 'ns', 'us', 'ms', 's', 'bytes'];

/**
 * Some of the keys.
 *
 * @param {Random} random
 * @param {Record<string, any>} keys
 */
function some(random, keys) {
  return Object.fromEntries(Object.entries(keys).filter(() => random.oneIn(3)));
}

/** @param {Random} random */
function texts(random) {
  const count = random.below(4);
  return Object.fromEntries(
    Array.from({ length: count }, () => [random.of(TEXTS), random.of([...TEXTS, 7, 1.5, true])]),
  );
}

/** @param {Random} random */
const metric = (random) => ({
  name: random.of(TEXTS),
  ...some(random, {
    description: random.of(TEXTS),
    unit: random.of(UNITS),
    significantDigits: random.below(6),
  }),
});

/** @param {Random} random */
function server(random) {
  const isRemote = random.oneIn(5);
  return {
    ...some(random, {
      allowedHosts: [random.of(['proxy.example', 'a', 'ünï'])],
      limits: some(random, {
        connections: 1 + random.below(1000),
        connectionsOfAddress: 2 ** 31 - 1,
        requests: 1,
        headersTimeout: random.of(DURATIONS),
        requestTimeout: random.of(DURATIONS),
        answerTimeout: random.of(DURATIONS),
        idleTimeout: random.of(DURATIONS),
      }),
      tls: { certFile: random.of(TEXTS), keyFile: random.of(TEXTS) },
    }),
    ...(isRemote || random.oneIn(3) ? { token: random.of([SECRET, 'x'.repeat(16)]) } : {}),
    ...(isRemote
      ? { listen: random.of(['0.0.0.0:9464', 'node-7.example:80', '[::]:0']) }
      : some(random, { listen: random.of(LOCAL) })),
  };
}

/** @type {readonly ((random: Random, at: number) => Record<string, any>)[]} */
const SOURCES = [
  (random, at) => ({
    type: 'interval-log',
    path: `${at}.hlog`,
    ...some(random, {
      since: random.of(['beginning', 'now']),
      poll: random.of(DURATIONS),
      metric: metric(random),
    }),
  }),
  (random) => ({ type: 'stdin', metric: metric(random) }),
  (random, at) => ({
    type: 'ceph',
    socket: `/run/${at}.asok`,
    ...some(random, {
      timeout: random.of(DURATIONS),
      since: random.of(['beginning', 'now']),
      units: { [random.of(TEXTS)]: random.of(UNITS) },
      classes: { axis: random.of(TEXTS), bounds: [1, 2.5, 1e9] },
    }),
  }),
  (random, at) => ({
    type: 'ebpf-map',
    map: random.of([`/sys/fs/bpf/${at}`, `id:${at + 1}`, `name:m${at}`]),
    layout: random.of(['bcc', 'libbpf-tools:27', '0,1,4,8', '-5,0,9', 'bpftrace-hist:3']),
    ...some(random, {
      unit: random.of(UNITS),
      metric: random.of(TEXTS),
      perCpu: true,
      bpftool: random.oneIn(2),
    }),
  }),
  (random, at) => ({
    type: 'ebpf-exporter',
    config: `/etc/ebpf_exporter/${at}.yaml`,
    ...some(random, { pins: '/run/bpf', prefix: random.of(TEXTS), perCpu: true, bpftool: true }),
  }),
  (random) => ({
    type: 'bpftrace',
    ...(random.oneIn(2) ? { file: 'a.bt' } : { script: 'BEGIN {\n  @a = hist(1); // "x"\n}' }),
    ...some(random, {
      program: 'bpftrace',
      keys: { '@a': ['x', random.of(TEXTS)] },
      printEvery: '1s',
      timeout: '15s',
    }),
  }),
  (random) => ({
    type: 'otlp',
    ...server(random),
    ...some(random, { allowRemote: random.oneIn(2), protocol: random.of(['http', 'grpc']) }),
  }),
];

/** @param {Random} random @param {number} at */
const queue = (random, at) => ({
  folder: random.of([`/var/lib/hdrscope/${at}`, `queue ${at}`, `../ünï-${at}`]),
  ...some(random, { maxSize: random.of(['1B', '64 KiB', '1.5GiB']) }),
});

/**
 * Sinks with a queue that must be refused, each with the key that is wrong.
 *
 * @type {readonly ((random: Random) => [place: string, wrong: Record<string, any>])[]}
 */
const WRONG_QUEUES = [
  (random) => ['queue', { queue: random.of([null, 7, true, '', 'folder', [], [{ folder: 'a' }]]) }],
  (random) => ['queue.folder', { queue: { folder: random.of([null, 7, true, '', ['a'], {}]) } }],
  () => ['queue.folder', { queue: { maxSize: '64MiB' } }],
  (random) => [
    'queue.maxSize',
    {
      queue: {
        folder: 'a',
        maxSize: random.of([null, 0, 7, '', '0B', '-1B', '64', '1e3B', '5 XiB', ['1B'], {}]),
      },
    },
  ],
  (random) => {
    const unknown = random.of(['maxBytes', 'size', 'Folder', 'path']);
    return [`queue.${unknown}`, { queue: { folder: 'a', [unknown]: 'b' } }];
  },
  (random) => ['temporality', { queue: queue(random, 0), temporality: 'cumulative' }],
  // Left out, it is cumulative.
  (random) => ['temporality', { queue: queue(random, 0), temporality: undefined }],
];

const STRATEGIES = ['UnderscoreEscapingWithSuffixes', 'UnderscoreEscapingWithoutUnits', 'NoTranslation'];

/** @type {readonly ((random: Random, at: number) => Record<string, any>)[]} */
const SINKS = [
  (random) => ({
    type: 'prometheus',
    ...server(random),
    ...some(random, {
      path: '/m',
      buckets: random.of(['native', 'classic', 'both']),
      translationStrategy: random.of(STRATEGIES),
      processMetrics: false,
    }),
  }),
  (random, at) => ({
    type: 'otlp',
    ...some(random, {
      protocol: random.of(['http/protobuf', 'http/json', 'grpc']),
      url: random.of(['http://localhost:4318/v1/metrics', 'https://user:word@collector.example']),
      headers: { a: random.of([variable('TOKEN'), variable('TOKEN:-x'), 'Bearer x', 7]) },
      interval: random.of(['10s', '60s', '1h']),
      timeout: random.of(['1s', '10s']),
      temporality: random.of(['cumulative', 'delta']),
      histograms: random.of(['exponential', 'explicit']),
      compression: random.of(['gzip', 'none']),
      maxRequestSize: random.of(['1B', '64 KiB', '4MiB']),
      giveUpAfter: random.of(DURATIONS),
      tls: some(random, { caFile: 'ca.pem', certFile: 'c.pem', keyFile: 'k.pem' }),
      resource: texts(random),
    }),
    ...(random.oneIn(3) ? { temporality: 'delta', queue: queue(random, at) } : {}),
  }),
  (random) => ({
    type: 'remote-write',
    ...some(random, {
      url: random.of(['http://localhost:9090/api/v1/write', 'https://user:word@mimir.example/api/v1/push']),
      headers: { 'X-Scope-OrgID': random.of([variable('TOKEN'), 'a', 7]) },
      interval: random.of(['15s', '1h']),
      timeout: random.of(['1s', '10s']),
      buckets: random.of(['custom', 'native']),
      translationStrategy: random.of(STRATEGIES),
      tls: some(random, { caFile: 'ca.pem', certFile: 'c.pem', keyFile: 'k.pem' }),
      labels: texts(random),
    }),
  }),
  (_random, at) => ({ type: 'admin-socket', path: `/run/hdrscope-${at}.asok` }),
  (random, at) => ({
    type: 'interval-log',
    path: `out-${at}.hlog`,
    ...some(random, {
      interval: random.of(DURATIONS),
      aligned: random.oneIn(2),
      fsync: random.of(['never', 'rotation', 'interval']),
      rotation: some(random, { every: '1h', size: '1.5 GiB', keep: random.below(9), gzip: true }),
    }),
  }),
  (random) => ({ type: 'dashboard', ...server(random), ...some(random, { title: random.of(TEXTS) }) }),
  (random) => ({ type: 'health', ...server(random) }),
];

/** A right configuration. @param {Random} random */
function configuration(random) {
  const shared = texts(random);
  let hasStdin = false;
  const sources = Array.from({ length: random.below(5) }, (_, at) => {
    const made = random.of(SOURCES)(random, at);
    const one = made.type === 'stdin' && hasStdin ? { type: 'otlp' } : made;
    hasStdin ||= one.type === 'stdin';
    const attributes =
      one.type === 'otlp' || random.oneIn(2) ? {} : { attributes: random.oneIn(2) ? shared : texts(random) };
    return { ...one, ...attributes, name: `${random.of(TEXTS)} ${at}` };
  });
  const sinks = Array.from({ length: 1 + random.below(4) }, (_, at) => ({
    ...random.of(SINKS)(random, at),
    name: `${random.of(TEXTS)} ${at}`,
  }));
  return { ...some(random, { shutdownTimeout: random.of(DURATIONS) }), sources, sinks };
}

/** A right configuration but for the queue of a sink. @param {Random} random */
function wrongQueue(random) {
  const right = configuration(random);
  const [place, wrong] = random.of(WRONG_QUEUES)(random);
  const sink = { type: 'otlp', name: 'wrong', temporality: 'delta', ...wrong };
  return refusedText(`sinks[${right.sinks.length}].${place}`, { ...right, sinks: [...right.sinks, sink] });
}

/** @returns {Promise<import('../engine.js').Target>} */
export async function agentYaml() {
  const { parseConfig } = await importSource('agent/src/index.ts');
  const { CONFIG_TEMPLATE } = await importSource('agent/src/internal.ts');
  const { HdrscopeError } = await importSource('core/src/index.ts');
  const seeds = [
    'sources: []\nsinks: [{ type: prometheus, listen: "localhost:0" }]\n',
    'shutdownTimeout: 10s\nsources:\n  - type: stdin\n    metric: { name: a, unit: ms }\n  - { type: otlp, listen: localhost:4318 }\nsinks:\n  - type: otlp\n    url: http://localhost:4318\n    headers: { a: "VARIABLE" }\n    interval: 1m30s\n'.replace(
      'VARIABLE',
      variable('TOKEN:-x'),
    ),
    'sources:\n  - &a\n    type: interval-log\n    path: x.hlog\n    metric: { name: a, unit: ns }\n  - <<: *a\n    name: b\nsinks:\n  - { type: dashboard, listen: 127.0.0.1:0, token: "VARIABLE" }\n'.replace(
      'VARIABLE',
      variable('TOKEN'),
    ),
    CONFIG_TEMPLATE,
  ];
  const words = [
    'sources:',
    'sinks:',
    '- ',
    '  ',
    '${',
    variable('TOKEN'),
    ':-',
    '}',
    '$$',
    '&a ',
    '*a',
    '<<: *a',
    '[',
    '{',
    '!!js/function ',
    '!!binary ',
    '|\n',
    '---\n',
    '? ',
    '"',
  ];
  const makeYaml = yamlMaker(configuration, seeds, words);
  return {
    form: 'text',
    seeds,
    words,
    mostMs: 1500,
    mostMb: 256,
    make: (random, make) => (random.oneIn(8) ? wrongQueue(random) : makeYaml(random, make)),
    run(text) {
      const { config, issues } = parseConfig(text, { environment: ENVIRONMENT });
      assertThat(
        (config === undefined) === issues.length > 0,
        () => 'it has a configuration and issues, or neither',
      );
      for (const { line, column, message } of issues) {
        assertThat(line >= 1 && column >= 1, () => `line ${line}, column ${column}: ${message}`);
        assertThat(!message.includes(ENVIRONMENT.TOKEN), () => `a message has a secret: ${message}`);
        assertThat(!/call stack|is not a function|Cannot read/.test(message), () => message);
      }
      const place = refusedPlaceOf(text);
      if (place !== undefined) {
        const messages = issues.map((/** @type {any} */ { message }) => message);
        assertThat(messages.length === 1, () => `it has not one issue: ${messages.join('; ')}`);
        assertThat(messages[0].startsWith(`${place} `), () => `${place} is not named: ${messages[0]}`);
      }
      const json = meaningOf(text);
      if (json !== undefined) {
        const refused = () =>
          `it is right, and refused: ${issues.map((/** @type {any} */ one) => one.message).join('; ')}`;
        assertThat(config !== undefined, refused);
        const meant = parseConfig(json, { environment: ENVIRONMENT }).config;
        assertThat(isDeepStrictEqual(config, meant), () => 'it means something else in JSON');
      }
      if (config === undefined) throw new HdrscopeError('ERR_INVALID_OPTION', issues[0].message);
    },
  };
}
