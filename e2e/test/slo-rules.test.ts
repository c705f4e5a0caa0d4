import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { servePrometheus } from '@hdrscope/prometheus';
import { createRegistry } from '@hdrscope/registry';
import { describeWithPeers, programOf } from '@hdrscope/testing';
import { stopPeers, waitFor } from './support/peer-process.ts';
import { type Prometheus, startPrometheus } from './support/prometheus.ts';
import { sloRules } from './support/slo-rules.ts';

const METRIC = 'shop_request_duration_seconds';

/** How the command learns of each form of a histogram. */
const FORMS = {
  native: [],
  custom: ['--histogram', 'custom', '--bounds', '100ms,250ms,500ms'],
  classic: ['--histogram', 'classic', '--bounds', '100ms,250ms,500ms'],
} as const;
type Form = keyof typeof FORMS;
const FORM_NAMES = Object.keys(FORMS) as Form[];

/** The rules that the command prints for a threshold of 250 ms, and for a name. */
function rulesFor(form: Form, ...more: string[]): string {
  return sloRules('--metric', METRIC, '--threshold', '250ms', '--name', form, ...FORMS[form], ...more);
}

describeWithPeers(['promtool-3'])('rules of an objective, checked and tested by promtool', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-slo-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  function promtool(...args: string[]): string {
    const ran = spawnSync(programOf('promtool-3'), args, { cwd: folder, encoding: 'utf8' });
    return `${ran.stdout}${ran.stderr}exit code ${ran.status}`;
  }

  const CHECKED: readonly (readonly [what: string, form: Form, args: readonly string[]])[] = [
    ['a native histogram', 'native', ['--objective', '99.9%']],
    ['a threshold within a bucket', 'native', ['--objective', '99.9%', '--threshold', '300ms']],
    ['a histogram with custom bounds', 'custom', ['--objective', '99.9%', '--window', '28d']],
    ['a classic histogram', 'classic', ['--objective', '99%', '--by', 'job,http_route']],
    [
      'labels and matchers',
      'classic',
      ['--objective', '50%', '--match', 'job=~"a|b\\\\.c"', '--label', 'team=a: "b"'],
    ],
    [
      'names in UTF-8',
      'native',
      ['--objective', '99%', '--metric', 'größe.request', '--unit', 's', '--by', 'http.route'],
    ],
    ['a name with quotes', 'native', ['--objective', '99%', '--name', 'a "b" {{c}} {{ .x \\ \n: # é']],
    ['a label like an action of a template', 'native', ['--objective', '99%', '--by', '{{x}},job']],
    ['the shortest window', 'classic', ['--objective', '99.99%', '--window', '2h24m']],
  ];

  test.each(CHECKED)('promtool has nothing against rules for %s', (_what, form, args) => {
    writeFileSync(join(folder, 'rules.yaml'), rulesFor(form, ...args));
    expect(promtool('check', 'rules', '--lint=all', '--lint-fatal', 'rules.yaml')).toMatch(
      /^Checking rules\.yaml\n {2}SUCCESS: \d+ rules found\n\nexit code 0$/,
    );
  });

  /** Minutes of traffic of 1000 requests, so many of which take 0.4 s instead of 0.09 s. */
  const PHASES = [
    { minutes: 240, slow: 0 },
    { minutes: 60, slow: 20 },
    { minutes: 60, slow: 0 },
  ];

  /** The samples of a series in promtool's notation: each phase begins where the one before it ended. */
  function valuesOf(textOf: (fast: number, slow: number) => string): string {
    let [fast, slow] = [0, 0];
    const phases = PHASES.map((phase) => {
      const start = textOf(fast + 1000 - phase.slow, slow + phase.slow);
      fast += phase.minutes * (1000 - phase.slow);
      slow += phase.minutes * phase.slow;
      return `${start}+${textOf(1000 - phase.slow, phase.slow)}x${phase.minutes - 1}`;
    });
    return [textOf(0, 0), ...phases].join(' ');
  }

  const histogramOf = (layout: string) => (fast: number, slow: number) =>
    `{{count:${fast + slow} sum:${0.09 * fast + 0.4 * slow} ${layout} buckets:[${fast} 0 ${slow}]}}`;
  const all = (fast: number, slow: number): string => String(fast + slow);
  const onlyFast = (fast: number, _slow: number): string => String(fast);
  const SERIES: Readonly<Record<Form, Readonly<Record<string, string>>>> = {
    // The buckets of schema 0 end at powers of 2, as the threshold does.
    native: { [METRIC]: valuesOf(histogramOf('schema:0 offset:-3')) },
    custom: { [METRIC]: valuesOf(histogramOf('schema:-53 custom_values:[0.1 0.25 0.5]')) },
    classic: {
      [`${METRIC}_bucket{le="0.1"}`]: valuesOf(onlyFast),
      [`${METRIC}_bucket{le="0.25"}`]: valuesOf(onlyFast),
      [`${METRIC}_bucket{le="0.5"}`]: valuesOf(all),
      [`${METRIC}_bucket{le="+Inf"}`]: valuesOf(all),
      [`${METRIC}_count`]: valuesOf(all),
    },
  };

  test('the error of a threshold within a bucket is at most the recorded share of the bucket', () => {
    writeFileSync(
      join(folder, 'rules.yaml'),
      rulesFor('native', '--objective', '99%', '--threshold', '300ms'),
    );
    // Half of the values are in the bucket of the threshold: somewhere from none to all of them are above it.
    const minute = '{{schema:3 count:1000 sum:250 offset:-18 buckets:[500 0 0 0 0 500]}}';
    const sample = (value: number) => [{ labels: '{slo="native", window="1h"}', value }];
    const unit = {
      rule_files: ['rules.yaml'],
      evaluation_interval: '1m',
      tests: [
        {
          interval: '1m',
          input_series: [{ series: METRIC, values: `${minute}+${minute}x120` }],
          promql_expr_test: [
            { expr: 'slo:threshold_bucket:ratio + 0', eval_time: '2h', exp_samples: sample(0.5) },
            {
              expr: 'slo:error_ratio:rate{window="1h"} < 0.5 > bool 0',
              eval_time: '2h',
              exp_samples: sample(1),
            },
          ],
        },
      ],
    };
    writeFileSync(join(folder, 'unit.json'), JSON.stringify(unit));
    expect(promtool('test', 'rules', 'unit.json')).toContain('SUCCESS\n\nexit code 0');
  });

  const firing = (minutes: number, ...alerts: (readonly [severity: string, window: string])[]) => ({
    eval_time: `${minutes}m`,
    expr: 'count by (severity, window) (ALERTS{alertname="SloErrorBudgetBurn",alertstate="firing"})',
    exp_samples: alerts.map(([severity, window]) => ({
      labels: `{severity="${severity}", window="${window}"}`,
      value: 1,
    })),
  });

  test.each(FORM_NAMES)('alerts of a %s histogram fire and end at the minutes of the workbook', (form) => {
    writeFileSync(join(folder, 'rules.yaml'), rulesFor(form, '--objective', '99.9%'));
    const series = Object.entries(SERIES[form]).map(([name, values]) => ({ series: name, values }));
    const ratio = (minutes: number, window: string, value: number) => ({
      eval_time: `${minutes}m`,
      expr: `round(slo:error_ratio:rate{window="${window}"}, 1e-12)`,
      exp_samples: [{ labels: `{slo="${form}", window="${window}"}`, value }],
    });
    const unit = {
      rule_files: ['rules.yaml'],
      evaluation_interval: '1m',
      tests: [
        {
          interval: '1m',
          input_series: series,
          promql_expr_test: [
            // Prometheus leaves out the sample at the beginning of a window: an hour of samples has 59 minutes of requests.
            ratio(240, '1h', 0),
            ratio(270, '5m', 0.02),
            ratio(270, '1h', 0.010_169_491_525),
            firing(250),
            // 300 of 255,000 requests are 1.18 times the budget.
            firing(255, ['ticket', '3d']),
            // 840 of 282,000 requests are 2.98 times the budget, and 840 of 59,000 are 14.2 times as many.
            firing(282, ['ticket', '3d']),
            // 860 of 283,000 are 3.04 times the budget, and 860 of 59,000 are 14.6 times as many.
            firing(283, ['page', '1h'], ['ticket', '1d'], ['ticket', '3d']),
            // 60 of the latest 4,000 are 15 times the budget, 40 are 10 times as many.
            firing(301, ['page', '1h'], ['ticket', '1d'], ['ticket', '3d']),
            firing(302, ['ticket', '1d'], ['ticket', '3d']),
          ],
        },
      ],
    };
    writeFileSync(join(folder, 'unit.json'), JSON.stringify(unit));
    expect(promtool('test', 'rules', 'unit.json')).toContain('SUCCESS\n\nexit code 0');
  });
});

describeWithPeers(['prometheus-3'])('rules of an objective in a real Prometheus', () => {
  let prometheus: Prometheus;
  let service: { stop(): Promise<void> };
  let slow = 0;

  beforeAll(async () => {
    const registry = createRegistry();
    const series = registry
      .histogram({ name: 'shop.request.duration', unit: 's', thresholds: [0.25] })
      .with({});
    // All values of a turn are recorded at once, so each scrape sees whole turns.
    const timer = setInterval(() => {
      for (let n = 0; n < 20; n++) series.record(n < slow ? 0.4 : 0.09);
    }, 20);
    const server = await servePrometheus(registry, {
      host: '127.0.0.1',
      port: 0,
      classicBoundaries: [0.1, 0.25, 0.5],
    });
    service = {
      async stop() {
        clearInterval(timer);
        await server.close();
      },
    };
    // The fastest alert looks at a minute and at 5 seconds.
    const rules = FORM_NAMES.map((form) =>
      rulesFor(form, '--objective', '99%', '--window', '12h', '--by', 'job', '--match', `job="${form}"`),
    );
    prometheus = await startPrometheus('prometheus-3', [`127.0.0.1:${server.port}`], {
      rules,
      jobs: [
        { job_name: 'native' },
        { job_name: 'custom', scrape_native_histograms: false, convert_classic_histograms_to_nhcb: true },
        { job_name: 'classic', scrape_native_histograms: false },
      ],
    });
  });

  afterAll(async () => {
    await service.stop();
    await stopPeers();
  });

  /** The summaries of the pages of a minute that fire. */
  async function pages(): Promise<readonly string[]> {
    const response = await fetch(`${prometheus.url}/api/v1/alerts`);
    const { data } = (await response.json()) as {
      data: {
        alerts: readonly {
          state: string;
          labels: Readonly<Record<string, string>>;
          annotations: { summary: string };
        }[];
      };
    };
    return data.alerts
      .filter(
        ({ state, labels }) => state === 'firing' && labels.severity === 'page' && labels.window === '1m',
      )
      .map(({ annotations }) => annotations.summary)
      .sort();
  }

  /** The ratios of all forms in the shortest window. */
  async function ratios(): Promise<Readonly<Record<string, number>>> {
    const samples = await prometheus.queryNow('slo:error_ratio:rate{window="5s"}');
    return Object.fromEntries(samples.map(({ labels, value }) => [labels.slo, value!]));
  }

  const everyForm = (ratio: number) =>
    Object.fromEntries(FORM_NAMES.map((form) => [form, expect.closeTo(ratio, 9)]));

  test('no alert fires while all requests are fast, and the ratios of all forms are 0', async () => {
    const measured = await waitFor(
      async () => {
        const found = await ratios();
        return Object.keys(found).length === 3 && Object.values(found).every(Number.isFinite) && found;
      },
      { what: 'ratios' },
    );
    expect(measured).toEqual(everyForm(0));
    await sleep(2000);
    expect(await pages()).toEqual([]);
  }, 120_000);

  test('pages fire while half of the requests are slow, at the exact ratio, and end when all are fast', async () => {
    slow = 10;
    await waitFor(async () => (await pages()).length === 3, { what: 'pages of all forms' });
    expect(await pages()).toEqual(
      ['classic', 'custom', 'native'].map(
        (form) =>
          `${form} (job=${form}): the error budget of 12h burns more than 14.4 times as fast as allowed`,
      ),
    );
    const measured = await waitFor(
      async () => {
        const found = await ratios();
        return Object.values(found).every((ratio) => ratio > 0.499_999) && found;
      },
      { what: 'a window of slow requests' },
    );
    expect(measured).toEqual(everyForm(0.5));
    slow = 0;
    await waitFor(async () => (await pages()).length === 0, { what: 'the end of the pages' });
  }, 240_000);

  test('the budget is recorded', async () => {
    expect(await prometheus.queryNumber('slo:error_budget:ratio{slo="native"}')).toBe(0.01);
  });
});
