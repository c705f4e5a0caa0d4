// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are variables of Grafana.
import { readFileSync } from 'node:fs';
import { hdrscope } from '../support/fake-io.ts';
import { useFolder } from '../support/logs.ts';

const folder = useFolder();

const RULES = `# Rules of the shop.
groups:
  - name: shop   # one group
    rules:
      - record: job:rpc_seconds_bucket:rate5m
        expr: sum by (le, job) (rate(rpc_seconds_bucket[5m]))
      - alert: Slow
        # at night, too
        expr: |
          histogram_quantile(
            0.99,  # the slowest
            sum by (le) (job:rpc_seconds_bucket:rate5m{job="shop"})
          ) > 0.5
      - alert: SlowFolded
        expr: >-
          histogram_quantile(0.99,
            sum by (le, job) (rate(rpc_seconds_bucket{job="shop"}[5m])))
          > 0.5
      - record: within
        expr: "sum(rate(rpc_seconds_bucket{le=\\"0.25\\"}[5m])) / sum(rate(rpc_seconds_count[5m]))"
      - record: mean
        expr: 'sum(rate(rpc_seconds_sum{a="b"}[5m])) by (job) / sum(rate(rpc_seconds_count{a="b"}[5m])) by (job)'
      - alert: Le
        expr: sum by (le) (rate(rpc_seconds_bucket[5m])) > 5
`;

const NATIVE_RULES = RULES.replace('record: job:rpc_seconds_bucket', 'record: job:rpc_seconds')
  .replace('sum by (le, job) (rate(rpc_seconds_bucket[5m]))', 'sum by (job) (rate(rpc_seconds[5m]))')
  .replace('sum by (le) (job:rpc_seconds_bucket:', 'sum(job:rpc_seconds:')
  .replace('sum by (le, job) (rate(rpc_seconds_bucket{', 'sum by (job) (rate(rpc_seconds{')
  .replace(/"sum\(rate\(rpc.*"/, '"histogram_fraction(-Inf, 0.25, sum(rate(rpc_seconds[5m])))"')
  .replace(/'sum\(rate\(rpc.*'/, `'histogram_avg(sum(rate(rpc_seconds{a="b"}[5m])) by (job))'`);

/** A dashboard with tabs, escapes and a row. */
const DASHBOARD = `{
\t"panels": [
\t\t{"type": "row", "panels": [
\t\t\t{"type": "heatmap", "title": "Heat", "targets": [{"expr": "sum(increase(rpc_seconds_bucket{job=~\\"$job\\"}[$__interval])) by (le)"}]}
\t\t]},
\t\t{"type": "timeseries", "title": "P99", "targets": [
\t\t\t{"expr": "histogram_quantile(0.99, sum(rate(rpc_seconds_bucket{job=~\\"\\u0024job\\"}[$__rate_interval])) by (le)) \\u003e 0"},
\t\t\t{"expr": "sum(rate({app=\\"a_bucket\\"}[5m]))", "datasource": {"type": "loki"}}]}
\t],
\t"annotations": {"list": [{"name": "slow", "expr": "histogram_quantile(0.5, rpc_seconds_bucket) > 1"}]},
\t"templating": {"list": [
\t\t{"name": "job", "type": "query", "query": {"query": "label_values(rpc_seconds_bucket{le=\\"+Inf\\"}, job)", "refId": "A"}},
\t\t{"name": "top", "query": "query_result(topk(5, sum by (job) (rate(rpc_seconds_count[5m]))))"},
\t\t{"name": "le", "query": "label_values(rpc_seconds_bucket, le)"}]}
}
`;

const NATIVE_DASHBOARD = DASHBOARD.replace(
  'rpc_seconds_bucket{job=~\\"$job\\"}[$__interval])) by (le)',
  'rpc_seconds{job=~\\"$job\\"}[$__interval]))',
)
  .replace('rpc_seconds_bucket{job=~\\"\\u0024job\\"}', 'rpc_seconds{job=~\\"\\u0024job\\"}')
  .replace('[$__rate_interval])) by (le))', '[$__rate_interval])))')
  .replace('(0.5, rpc_seconds_bucket)', '(0.5, rpc_seconds)')
  .replace('rpc_seconds_bucket{le=\\"+Inf\\"}', 'rpc_seconds')
  .replace(
    'sum by (job) (rate(rpc_seconds_count[5m]))',
    'histogram_count(sum by (job) (rate(rpc_seconds[5m])))',
  );

describe('hdrscope migrate', () => {
  test('rewrites queries of rules in place, and keeps comments and layout', async () => {
    const path = folder.write('rules.yaml', RULES);
    const { exitCode, stdout, stderr } = await hdrscope(['migrate', path, '--write']);
    expect(readFileSync(path, 'utf8')).toBe(NATIVE_RULES);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`${path}:24: alert Le: stays: `);
    expect(stderr).toContain('hdrscope: 5 queries rewritten in place, 1 stays\n');
  });

  test('rewrites strings of a dashboard, and keeps all other bytes', async () => {
    const path = folder.write('dashboard.json', DASHBOARD);
    const { exitCode, stderr } = await hdrscope(['migrate', path, '--write']);
    expect(readFileSync(path, 'utf8')).toBe(NATIVE_DASHBOARD);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toBeDefined();
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`${path}:14: variable le: stays: it lists the bounds of buckets`);
  });

  test.each([
    ['"histogram_quantile(0.9, \\x78_bucket)"', 'its text has escapes or comments that would change'],
    [
      '>-\n          histogram_quantile(0.9,\n          x_bucket) # why',
      'its text has escapes or comments that would change',
    ],
    ['\'sum(rate(x_bucket{le="0.5", a="it\'\'s"}[5m])) / sum(rate(x_count{a="it\'\'s"}[5m]))\'', undefined],
    ['"sum(rate(x_count{a=\\"b\\"}[5m]))\\n+ 1"', undefined],
  ])('takes the text of a scalar as YAML does: %s', async (scalar, reason) => {
    const path = folder.write(
      'scalar.yaml',
      `groups:\n  - rules:\n      - record: a\n        expr: ${scalar}\n`,
    );
    const { exitCode, stderr, stdout } = await hdrscope(['migrate', path, '--histogram', 'x']);
    if (reason !== undefined) expect([exitCode, stderr]).toEqual([1, expect.stringContaining(reason)]);
    else expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^\+ .*(a=\\"b\\"|it''s)/m)]);
  });

  test('prints a diff, and changes nothing', async () => {
    const path = folder.write(
      'one.yaml',
      'groups: [{rules: [{record: a, expr: "histogram_quantile(0.9, x_bucket)"}]}]\n',
    );
    const before = readFileSync(path, 'utf8');
    const { exitCode, stdout } = await hdrscope(['migrate', path]);
    expect([exitCode, readFileSync(path, 'utf8')]).toEqual([0, before]);
    const name = path.replace(/^\/+/, '');
    expect(stdout).toBe(
      `--- a/${name}\n+++ b/${name}\n@@ -1,1 +1,1 @@\n-${before}+${before.replace('x_bucket', 'x')}`,
    );
  });

  test('reads objectives of sloth, and names the native indicator of Pyrra', async () => {
    const sloth = folder.write(
      'sloth.yaml',
      `version: prometheus/v1
slos:
  - sli:
      events:
        error_query: sum(rate(x_count[{{.window}}])) - sum(rate(x_bucket{le="0.5"}[{{.window}}]))
        total_query: sum(rate(x_count[{{.window}}]))
`,
    );
    const { exitCode, stdout } = await hdrscope(['migrate', sloth]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      '+        error_query: histogram_count(sum(rate(x[{{.window}}]))) - (histogram_fraction(-Inf, 0.5, sum(rate(x[{{.window}}])))',
    );
    expect(stdout).toContain('+        total_query: histogram_count(sum(rate(x[{{.window}}])))\n');
    const pyrra = folder.write(
      'pyrra.yaml',
      `spec: {indicator: {latency: {success: {metric: 'x_bucket{le="0.5"}'}, total: {metric: x_count}}}}\n`,
    );
    const { exitCode: refused, stderr } = await hdrscope(['migrate', pyrra]);
    expect(refused).toBe(1);
    expect(stderr).toContain('latencyNative');
  });

  test('prints the rewriting of a query, or why it stays', async () => {
    const query = 'sum(rate(x_bucket{le="0.3"}[5m])) / sum(rate(x_count[5m]))';
    expect(await hdrscope(['migrate', '--query', query])).toMatchObject({
      exitCode: 0,
      stdout: 'histogram_fraction(-Inf, 0.3, sum(rate(x[5m])))\n',
      stderr: expect.stringContaining('0.3 lies inside a native bucket'),
    });
    expect(await hdrscope(['migrate', '--query', 'count(x_bucket)'])).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringContaining('aggregates buckets by count'),
    });
    expect(
      await hdrscope(['migrate', '--query', 'rate(x_sum[5m]) / rate(x_count[5m])', '--histogram', 'x']),
    ).toMatchObject({
      stdout: 'histogram_avg(rate(x[5m]))\n',
    });
  });

  test.each([
    [[], 'name files or folders with queries or programs'],
    [['a.yaml', '--query', 'up'], '--query is a query instead of files'],
    [['--query', 'up', '--write'], '--write changes files'],
    [['a.yaml', '--since', '1h'], '--since and --until go with --prometheus'],
    [['a.yaml', '--since', '1h', '--generate'], '--since and --until go with --prometheus'],
    [
      ['a.yaml', '--generate', '--prometheus', 'http://localhost:9090'],
      '--generate starts a Prometheus of its own',
    ],
    [['a.yaml', '--schema', '9'], '--schema must be an integer from -4 to 8'],
    [['a.yaml', '--seed', '1'], '--prometheus-program and --seed go with --generate'],
    [
      ['a.yaml', '--prometheus', 'http://localhost:9090', '--prometheus-program', 'prometheus'],
      '--prometheus-program and --seed go with --generate',
    ],
    [['a.yaml', '--generate', '--seed', '-1'], '--seed must be an integer of at least 0'],
  ])('%j is a wrong command line', async (args, message) => {
    const { exitCode, stderr } = await hdrscope(['migrate', ...args]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test.each([
    ['broken.yaml', 'groups: [', 'must be YAML or JSON: line 1'],
    ['deep.yaml', '['.repeat(1000), 'must have at most 60 levels'],
    ['other.yaml', 'a: 1', 'has no queries: name rule files'],
  ])('refuses %s with a sentence', async (name, text, message) => {
    const { exitCode, stderr } = await hdrscope(['migrate', folder.write(name, text)]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(stderr).not.toContain('This should not happen');
  });
});
