import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configJsonSchema, parseConfig, readConfigFile } from '../../src/index.ts';
import { CONFIG_TEMPLATE } from '../../src/internal.ts';

const SINK = 'sinks: [{ type: prometheus }]';

/** The problems of a text, as `LINE:COLUMN: MESSAGE`. */
function problemsOf(text: string, environment: Record<string, string> = {}): string[] {
  const { issues } = parseConfig(text, { environment });
  return issues.map(({ line, column, message }) => `${line}:${column}: ${message}`);
}

test('fills in defaults', () => {
  const { config } = parseConfig(`sources: [{ type: ceph, socket: /a.asok }]\n${SINK}`);
  expect(config).toEqual({
    shutdownTimeout: 10_000,
    sources: [
      {
        type: 'ceph',
        program: 'ceph',
        name: 'ceph',
        socket: '/a.asok',
        timeout: 5000,
        merged: false,
        since: 'beginning',
        units: {},
        attributes: {},
        dropAttributes: {},
      },
    ],
    sinks: [
      {
        type: 'prometheus',
        name: 'prometheus',
        listen: { host: 'localhost', port: 9464 },
        path: '/metrics',
        buckets: 'native',
        translationStrategy: 'UnderscoreEscapingWithSuffixes',
        processMetrics: false,
        allowedHosts: [],
        limits: {},
      },
    ],
  });
});

test('the template is a configuration, and so is each of its examples', () => {
  expect(problemsOf(CONFIG_TEMPLATE)).toEqual([]);
  const everything = CONFIG_TEMPLATE.replace(/^ {2}# (?= *(- |\w+:( |$)))/gm, '  ');
  const { config, issues } = parseConfig(everything, { environment: { OTLP_TOKEN: 'secret' } });
  expect(issues).toEqual([]);
  expect(config!.sources.map(({ type }) => type).sort()).toEqual([
    'bpftrace',
    'ceph',
    'ebpf-exporter',
    'ebpf-map',
    'ebpf-maps',
    'ebpf-program',
    'interval-log',
    'otlp',
    'pipe',
    'prometheus',
    'remote-write',
    'statsd',
    'stdin',
  ]);
  expect(config!.sinks.map(({ type }) => type).sort()).toEqual([
    'admin-socket',
    'dashboard',
    'health',
    'history',
    'history',
    'interval-log',
    'otlp',
    'prometheus',
    'remote-write',
    'textfile',
  ]);
});

test('reports all problems at once, in the order of lines', () => {
  const text = `shutdownTimeout: soon
sources:
  - type: interval-log
    pth: /var/log/a.hlog
  - type: prometeus
  - type: stdin
    metric:
      name: a
      unit: minutes
      significantDigits: 9
sinks:
  - type: prometheus
    listen: 9464
colour: red
`;
  expect(problemsOf(text)).toEqual([
    '1:18: shutdownTimeout must be a duration above 0 and of at most 24 days, such as 500ms, 1.5s or 1h30m (units: ns, us or µs, ms, s, m or min, h, d), got "soon"',
    '3:5: sources[0].path is missing: it must be the path of a log',
    '4:5: sources[0].pth is not a known key: did you mean path?',
    '5:11: sources[1].type must be a known type of source: stdin, pipe, interval-log, ceph, ebpf-map, ebpf-maps, ebpf-exporter, ebpf-program, bpftrace, otlp, prometheus, remote-write or statsd, got "prometeus"',
    '9:13: sources[2].metric.unit must be ns, us, ms, s, bytes, KiB or none, got "minutes"',
    '10:26: sources[2].metric.significantDigits must be an integer from 0 to 5, got 9',
    '13:13: sinks[0].listen must be an address with a port from 0 to 65535, such as 127.0.0.1:9464, localhost:9464 or [::1]:9464, got 9464',
    expect.stringMatching(/^14:1: colour is not a known key: /),
  ]);
});

test.each([
  ['sources: [', 1],
  [`sources: []\nsinks:\n\t- type: a`, 3],
  ['sources: []\nsources: []', 2],
])('reports the line where %j is not YAML', (text, line) => {
  expect(problemsOf(text)[0]).toMatch(new RegExp(`^${line}:\\d+: this is not YAML: `));
});

test.each([
  ['', '1:1: the configuration must be a mapping, got nothing'],
  ['7', '1:1: the configuration must be a mapping, got 7'],
  [`sources: {}\n${SINK}`, '1:10: sources must be a list of sources, got a mapping of '],
  ['sources: []\nsinks: []', '2:8: sinks must be a list of at least one sink, got an empty list'],
  [
    `sources: [{ type: stdin, metric: { name: a } }, { type: stdin, name: b, metric: { name: b } }]\n${SINK}`,
    '1:57: sources[1].type must be the only source of that type: there is one standard input, got "stdin"',
  ],
  [
    `sources: [{ type: ceph, socket: /a }, { type: ceph, socket: /b }]\n${SINK}`,
    '1:39: sources[1].name is missing: it must be the only one of that name, and sources[0] has it',
  ],
  [
    `sources: [{ type: ebpf-map, map: /m, layout: bbc }]\n${SINK}`,
    expect.stringMatching(/^1:46: sources\[0\]\.layout must be a layout: queue-depth, .*, got "bbc"$/),
  ],
  [
    `sources: [{ type: ebpf-map, map: /m, shape: 'value { float f; }' }]\n${SINK}`,
    expect.stringMatching(/^1:45: sources\[0\]\.shape must be a shape: C structs, /),
  ],
  [
    `sources: [{ type: ebpf-map, map: /m, sum: -1 }]\n${SINK}`,
    '1:43: sources[0].sum must be a field of the value, an index, after-last or none, got -1',
  ],
  [
    `sources: [{ type: ebpf-map, map: /m, bpftool: true }]\n${SINK}`,
    '1:11: sources[0].layout is missing: it must be set with bpftool, because finding a layout takes koffi',
  ],
  [
    `sources: [{ type: ebpf-program, program: blockio, by: task }]\n${SINK}`,
    '1:55: sources[0].by must be one of device, all for blockio, got "task"',
  ],
  [
    `sources: [{ type: ebpf-program, program: tcprtt, by: remote, perCpu: true }]\n${SINK}`,
    '1:70: sources[0].perCpu must be false, because counts by remote are those of all CPUs together, got true',
  ],
  [
    `sources: [{ type: ebpf-program, program: runqueue }, { type: ebpf-program, name: b, program: runqueue, by: task }]\n${SINK}`,
    expect.stringMatching(/^1:94: sources\[1\]\.program must be of no other source, /),
  ],
  [
    `sources: [{ type: otlp, listen: '0.0.0.0:4318' }]\n${SINK}`,
    expect.stringMatching(
      /^1:33: sources\[0\]\.listen must be an address of this machine alone, unless allowRemote/,
    ),
  ],
  [
    'sources: []\nsinks: [{ type: dashboard, listen: "[::]:80" }]',
    expect.stringMatching(/^2:36: sinks\[0\]\.listen must be .* unless there is a token/),
  ],
  [
    'sources: [{ type: interval-log, path: /a/b }]\nsinks: [{ type: interval-log, path: /a/./b }]',
    expect.stringMatching(/^2:37: sinks\[0\]\.path must not be a log that is a source/),
  ],
  [
    `sources: [{ type: ceph, socket: /a }, { type: ceph, name: b, socket: /x/../a }]\n${SINK}`,
    '1:70: sources[1].socket must be of no other source, and is that of sources[0]: all would be counted twice, got "/x/../a"',
  ],
  [
    `sources: [{ type: bpftrace }]\n${SINK}`,
    '1:11: sources[0] must have either file or script, got a mapping of type',
  ],
  [
    `sources: [{ type: bpftrace, script: x, maps: { us: {} } }]\n${SINK}`,
    expect.stringMatching(/sources\[0\]\.maps\.us must be a map as the script names it, such as "@us"/),
  ],
  [
    `sources: [{ type: bpftrace, script: x, maps: { '@us': { name: x } } }]\n${SINK}`,
    '1:57: sources[0].maps["@us"].name is not a known key: the keys are metric, description, unit, attributes',
  ],
])('refuses %j', (text, message) => {
  expect(problemsOf(text)).toEqual([message]);
});

test('puts in the values of variables, which may be numbers when they are not quoted', () => {
  const text = `sources: [{ type: ceph, socket: "\${RUN:-/run}/osd.asok", attributes: { a: "\${N}", b: "$\${N}" } }]
sinks:
  - type: interval-log
    path: a
    rotation:
      keep: \${N}
      gzip: \${ON}`;
  const { config, issues } = parseConfig(text, { environment: { N: '3', ON: 'true' } });
  expect(issues).toEqual([]);
  expect(config!.sources[0]).toMatchObject({ socket: '/run/osd.asok', attributes: { a: '3', b: `$\{N}` } });
  expect(config!.sinks[0]).toMatchObject({ rotation: { keep: 3, gzip: true } });
});

test('a variable that is not set is named with its place, and the text of a variable is never YAML', () => {
  expect(problemsOf(`sources: []\nsinks:\n  - type: \${KIND}`)).toEqual([
    expect.stringMatching(/^3:11: the environment variable KIND is not set: .* as in \$\{KIND:-default\}$/),
  ]);
  const { config } = parseConfig(
    `sources: []\nsinks:
  - type: interval-log
    path: \${P}`,
    {
      environment: { P: 'a, fsync: never' },
    },
  );
  expect(config!.sinks[0]).toMatchObject({ path: 'a, fsync: never', fsync: 'rotation' });
});

test('aliases that would grow without bounds are refused', () => {
  const levels = Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}]`);
  expect(problemsOf(['a0: &a0 [x]', ...levels].join('\n'))[0]).toMatch(/the aliases cannot be followed/);
});

test('problems of a file name the file, and a file that is far too long is not read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-config-'));
  try {
    const path = join(folder, 'a.yaml');
    writeFileSync(path, 'sources: []\nsinks: 3\n');
    await expect(readConfigFile(path)).rejects.toMatchObject({
      code: 'ERR_INVALID_OPTION',
      message: `${path}:2:8: sinks must be a list of sinks, got 3`,
    });
    writeFileSync(path, ' '.repeat(2 ** 20 + 1));
    await expect(readConfigFile(path)).rejects.toMatchObject({ code: 'ERR_TOO_LARGE' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('reads the keys of a server', () => {
  const keys = `token: "0123456789abcdef", allowedHosts: [metrics.example], tls: { certFile: a.pem, keyFile: b.pem },
      limits: { connections: 10, requests: 4, headersTimeout: 2s, answerTimeout: 500us, idleTimeout: 1m }`;
  const { config, issues } = parseConfig(`sources: [{ type: otlp, listen: '0.0.0.0:4318', ${keys} }]
sinks: [{ type: prometheus, ${keys} }, { type: dashboard, ${keys} }]`);
  expect(issues).toEqual([]);
  for (const entry of [...config!.sources, ...config!.sinks]) {
    expect(entry).toMatchObject({
      token: '0123456789abcdef',
      allowedHosts: ['metrics.example'],
      tls: { certFile: 'a.pem', keyFile: 'b.pem' },
      limits: { connections: 10, requests: 4, headersMs: 2000, answerMs: 1, idleMs: 60_000 },
    });
  }
  const wrong = 'sources: []\nsinks: [{ type: prometheus, limits: { connections: 0, request: 1s } }]';
  expect(problemsOf(wrong)).toEqual([
    '2:52: sinks[0].limits.connections must be an integer from 1 to 2147483647, got 0',
    '2:55: sinks[0].limits.request is not a known key: did you mean requests?',
  ]);
});

test.each([
  ['', 'http', 4318],
  [', protocol: grpc', 'grpc', 4317],
  [", protocol: grpc, listen: '127.0.0.1:1'", 'grpc', 1],
])('an otlp source listens at the port of its protocol: %p', (keys, protocol, port) => {
  const { config } = parseConfig(`sources: [{ type: otlp${keys} }]\n${SINK}`);
  expect(config!.sources[0]).toMatchObject({ protocol, listen: { host: '127.0.0.1', port } });
});

test('the schema for editors knows every type', () => {
  const text = JSON.stringify(configJsonSchema());
  for (const type of [
    'interval-log',
    'stdin',
    'ceph',
    'ebpf-map',
    'ebpf-exporter',
    'ebpf-program',
    'bpftrace',
    'otlp',
    'prometheus',
    'admin-socket',
  ]) {
    expect(text).toContain(`"const":"${type}"`);
  }
});

test('a program counts by its first key when the configuration names none', () => {
  const { config } = parseConfig(`sources:
  - { type: ebpf-program, name: a, program: runqueue }
  - { type: ebpf-program, name: b, program: blockio }
${SINK}`);
  expect(config!.sources).toMatchObject([
    { program: 'runqueue', by: 'all', maxKeys: 1024, perCpu: false },
    { program: 'blockio', by: 'device' },
  ]);
});
