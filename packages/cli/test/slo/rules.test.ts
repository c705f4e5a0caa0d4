import { readFileSync } from 'node:fs';
import { hdrscope } from '../support/fake-io.ts';
import { useFolder } from '../support/logs.ts';

const folder = useFolder();
const METRIC = 'http_request_duration_seconds';

/** Runs the command with the options that every call needs, unless they are given. */
const rules = (given: readonly string[], stdin = '') => {
  const usual = ['--metric', METRIC, '--threshold', '250ms', '--objective', '99.9%'];
  const missing = usual.flatMap((word, at) =>
    at % 2 === 0 && !given.includes(word) ? [word, usual[at + 1]!] : [],
  );
  return hdrscope(['slo', 'rules', ...missing, ...given], { stdin });
};

async function printed(given: readonly string[], stdin = ''): Promise<string> {
  const { exitCode, stdout, stderr } = await rules(given, stdin);
  expect([exitCode, stderr]).toEqual([0, '']);
  return stdout;
}

/** The expressions of all rules, each in one line. */
function expressions(yaml: string): string[] {
  return [...yaml.matchAll(/expr: \|-\n((?: {10}.*\n)+)/g)].map(([, text = '']) =>
    text.trim().replaceAll(/\s+/g, ' '),
  );
}

test('the alerts of 30 days are those of the workbook', async () => {
  const alerts = expressions(await printed([])).filter((expression) => expression.startsWith('slo:'));
  const condition = (long: string, short: string, ratio: number) =>
    [long, short]
      .map((window) => `slo:error_ratio:rate{slo="${METRIC} 250ms",window="${window}"} > ${ratio}`)
      .join(' and ignoring (window) ');
  expect(alerts).toEqual([
    condition('1h', '5m', 0.0144),
    condition('6h', '30m', 0.006),
    condition('1d', '2h', 0.003),
    condition('3d', '6h', 0.001),
  ]);
});

test.each([
  ['30d', ['1h', '5m'], ['3d', '6h']],
  ['28d', ['56m', '4m40s'], ['2d19h12m', '5h36m']],
  ['7d', ['14m', '1m10s'], ['16h48m', '1h24m']],
  ['2h24m', ['12s', '1s'], ['14m24s', '1m12s']],
])('the windows of %s are the same parts of it', async (window, first, last) => {
  const yaml = await printed(['--window', window]);
  const found = [...yaml.matchAll(/window: (\S+)\n {10}short_window: (\S+)/g)].map(([, ...both]) =>
    both.map((text) => JSON.parse(text!)),
  );
  expect([found[0], found.at(-1), found.length]).toEqual([first, last, 4]);
});

test.each(['31d', '90d', '3h', '11h', '17d3h', '100d', '123456.789s'])(
  'the rules of %s have windows of different lengths',
  async (window) => {
    const yaml = await printed(['--window', window]);
    const recorded = yaml.split('      - ').filter((rule) => rule.startsWith('record: slo:error_ratio:rate'));
    const windows = recorded.map((rule) => /window: (.*)/.exec(rule)![1]);
    expect(new Set(windows).size).toBe(windows.length);
    expect(windows.length).toBeGreaterThanOrEqual(7);
  },
);

test('an alert that no ratio of errors makes fire is left out, and the comment says so', async () => {
  const yaml = await printed(['--objective', '90%']);
  expect(yaml.match(/- alert:/g)).toHaveLength(3);
  expect(yaml).toContain(
    '# There is no page for 1h: with a budget of 10 %, a rate of 14.4 is more than all values.\n',
  );
});

test('a rule records the share of the values in the buckets around a threshold, which are named', async () => {
  const yaml = await printed(['--threshold', '300ms']);
  expect(yaml).toContain('a ratio is that of some threshold from 0.2726269331663144 to 0.3535533905932738.');
  expect(expressions(yaml)).toContain(
    `histogram_fraction(0.2726269331663144, 0.3535533905932738, sum(rate(${METRIC}[1h])))`,
  );
  // A power of two is a bound in every schema from 0 on, so values next to it may be in two buckets.
  const atBound = await printed(['--threshold', '250ms']);
  expect(atBound).toContain(
    'a ratio is that of some threshold from 0.2292510108011678 to 0.2726269331663144.',
  );
  for (const yaml of [atBound, await printed(['--threshold', '300ms'])]) {
    expect(yaml).toMatch(
      /^# For exact ratios .* state thresholds: \[0\.\d+\] in the view or the family, and use the form counter\.$/m,
    );
  }
});

test('a ratio of the form counter compares the counter of the threshold with the count of the histogram', async () => {
  const yaml = await printed(['--histogram', 'counter', '--by', 'job', '--match', 'x="y"']);
  expect(expressions(yaml)[1]).toBe(
    `1 - sum by (job) (rate(${METRIC}_within_total{x="y",threshold="0.25"}[5m])) / histogram_count(sum by (job) (rate(${METRIC}{x="y"}[5m])))`,
  );
  expect(yaml).toContain('The ratios are exact');
  expect(yaml).not.toContain('threshold_bucket');
});

test('a native ratio is that of all series, and of each value of a label with --by', async () => {
  expect(expressions(await printed([]))[1]).toBe(
    `1 - histogram_fraction(-Inf, 0.25, sum(rate(${METRIC}[5m])))`,
  );
  expect(
    expressions(await printed(['--by', 'job, http.route', '--match', 'job=~"a|b"', '--match', 'x!="y"']))[1],
  ).toBe(
    `1 - histogram_fraction(-Inf, 0.25, sum by (job, "http.route") (rate(${METRIC}{job=~"a|b",x!="y"}[5m])))`,
  );
});

test('--by may be repeated', async () => {
  expect(expressions(await printed(['--by', 'job', '--by', 'route,job']))[1]).toContain(
    'sum by (job, route) (',
  );
});

describe('explicit bounds', () => {
  const BOUNDS = ['--bounds', '0.1, 250ms,1s'];

  test('a classic ratio compares the bucket of the threshold with the count', async () => {
    expect(expressions(await printed(['--histogram', 'classic', ...BOUNDS]))[1]).toBe(
      `1 - sum(rate(${METRIC}_bucket{le="0.25"}[5m])) / sum(rate(${METRIC}_count[5m]))`,
    );
  });

  test('the bound of a whole number is found in all its forms', async () => {
    const yaml = await printed(['--histogram', 'classic', '--threshold', '1s', ...BOUNDS]);
    expect(expressions(yaml)[1]).toContain(String.raw`_bucket{le=~"1|1\\.0"}`);
  });

  test.each([
    ['between two of them', '300ms', '0.3 s: the nearest ones are 0.25 s and 1 s'],
    ['below all of them', '50ms', '0.05 s: the nearest one is 0.1 s'],
    ['above all of them', '2s', '2 s: the nearest one is 1 s'],
  ])('a threshold %s is refused', async (_what, threshold, message) => {
    for (const form of ['classic', 'custom']) {
      const ran = await rules(['--histogram', form, '--threshold', threshold, ...BOUNDS]);
      expect(ran).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: `hdrscope: --threshold must be a bound of ${METRIC}, which knows no more about its values, got ${message}\n`,
      });
    }
  });

  const SCRAPE = `# TYPE other histogram
other_bucket{le="7"} 1
# TYPE ${METRIC} histogram
${METRIC}_bucket{path="a,le=\\"9\\"",le="0.25"} 1
${METRIC}_bucket{path="b",le="1.0"} 1
${METRIC}_bucket{le="1e+03",path="b"} 1
${METRIC}_bucket{path="b",le="+Inf"} 1
${METRIC}_count{path="b"} 1
{"größe.request_bucket",le="0.5"} 1
`;

  test('are read from a scrape', async () => {
    const path = folder.write('metrics.txt', SCRAPE);
    for (const threshold of ['250ms', '1s', '1000s']) {
      await printed(['--histogram', 'classic', '--threshold', threshold, '--scrape', path]);
      await printed(['--histogram', 'custom', '--threshold', threshold, '--scrape', '-'], SCRAPE);
    }
    const other = await rules(['--histogram', 'classic', '--threshold', '9s', '--scrape', path]);
    expect(other.stderr).toContain('the nearest ones are 1 s and 1000 s');
    const utf8 = ['--metric', 'größe.request', '--unit', 's', '--threshold', '500ms', '--scrape', path];
    expect(expressions(await printed(['--histogram', 'classic', ...utf8]))[1]).toContain(
      'rate({"größe.request_bucket",le="0.5"}[5m])',
    );
  });

  test('a scrape without the histogram is refused, with the histograms that it has', async () => {
    const path = folder.write('metrics.txt', SCRAPE);
    const ran = await rules(['--histogram', 'classic', '--metric', 'x_seconds', '--scrape', path]);
    expect([ran.exitCode, ran.stderr]).toEqual([
      1,
      `hdrscope: ${path} has no classic buckets of x_seconds: it has those of other, ${METRIC}, größe.request\n`,
    ]);
    const absent = await rules(['--histogram', 'classic', '--scrape', folder.pathOf('absent.txt')]);
    expect([absent.exitCode, absent.stderr]).toEqual([1, expect.stringContaining('no such file: ')]);
  });
});

test.each([
  ['http_request_duration_seconds', '250ms', 0.25],
  ['http_request_duration_milliseconds', '250ms', 250],
  ['http_response_size_bytes', '64KiB', 65_536],
  ['queue_depth', '32', 32],
])('the unit of %s is that of its name', async (metric, threshold, value) => {
  const yaml = await printed(['--metric', metric, '--threshold', threshold]);
  expect(expressions(yaml)[1]).toContain(`histogram_fraction(-Inf, ${value},`);
});

test.each([
  [['--threshold', '0'], '--threshold must be a value above 0, as in 250ms, got'],
  [['--threshold', '64KiB'], '--threshold must be a value above 0, as in 250ms, got'],
  [['--metric', 'latency', '--threshold', '1s'], '(--unit states the unit of the histogram), got'],
  [['--objective', '99.9'], '--objective must be a percentage above 0 and below 100, as in 99.9%, got'],
  [['--objective', '100%'], '--objective must be a percentage above 0 and below 100, as in 99.9%, got'],
  [['--objective', '0%'], '--objective must be a percentage above 0 and below 100, as in 99.9%, got'],
  [['--window', '1h'], '--window must be a duration of at least 2h24m, got'],
  [['--schema', '9'], '--schema must be an integer from -4 to 8, got'],
  [['--by', 'job,le'], '--by must be names of labels, as in job,route, and not le, slo, severity,'],
  [['--by', 'a"b'], '--by must be names of labels'],
  [['--match', 'job=api'], `--match must be a matcher of PromQL, as in job="api", got`],
  [['--match', 'a="b"} or up{c="d"'], '--match must be a matcher of PromQL'],
  [
    ['--label', 'severity=page'],
    '--label must be a name and a value, as in team=web, and not slo, severity,',
  ],
  [['--match', String.raw`a="\d"`], '--match must be a matcher of PromQL'],
  [['--histogram', 'classic'], '--histogram custom and classic need either --bounds or --scrape'],
  [['--bounds', '1,2'], '--bounds and --scrape need --histogram custom or classic'],
  [['--metric', ''], '--metric is required'],
])('refuses %j', async (args, message) => {
  const { exitCode, stdout, stderr } = await rules(args);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
});

test('hostile names stay within their texts', async () => {
  const name = 'a"}\n- alert: x\u001b[31m # \\ {{ .Labels }}';
  const yaml = await printed(['--name', name, '--label', 'team=a: "b"']);
  expect(yaml).not.toMatch(/^- alert/m);
  expect(yaml).not.toContain('\u001b');
  expect(yaml).toContain(`slo: ${JSON.stringify(name)}`);
  // Labels and annotations of alerts are templates.
  expect(yaml).toContain(`slo: ${JSON.stringify(name.replace('{{', '{{ "{{" }}'))}`);
});

test('a label of --by that looks like an action of a template is text', async () => {
  const yaml = await printed(['--by', '{{x}}']);
  const group = '{{ "{{" }}x}}={{ index $labels "{{x}}" }}';
  expect(yaml).toContain(JSON.stringify(`(${group})`).slice(1, -1));
});

test('-o writes a file', async () => {
  const path = folder.pathOf('slo.yaml');
  await rules(['-o', path]);
  expect(readFileSync(path, 'utf8')).toBe(await printed([]));
});
