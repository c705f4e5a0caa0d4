import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectDefaultMetrics, render } from '@hdrscope/prometheus';
import { lackOfFile, lackOfPeer, testUnless } from '@hdrscope/testing';
import { PROM_CLIENTS, type PromClient } from '@hdrscope/testing/prom-clients';
import { workspaceRoot } from '../lib/workspace.js';

const GUIDE = join(workspaceRoot, 'docs/guides/replace-prom-client.md');

/** Where ours has another metric, or none. */
const IN_PLACE: Readonly<Record<string, string>> = {
  nodejs_eventloop_lag_seconds:
    'each wait is in `nodejs_eventloop_delay_seconds`; theirs has the one at the scrape',
  nodejs_eventloop_lag_mean: '`histogram_avg` of `nodejs_eventloop_delay_seconds`',
  nodejs_eventloop_lag_stddev: '`histogram_stddev` of `nodejs_eventloop_delay_seconds`',
  nodejs_eventloop_lag_:
    '`histogram_quantile` of `nodejs_eventloop_delay_seconds`, for any time and all processes',
  nodejs_active_resources_total: 'the sum of `nodejs_active_resources`',
  nodejs_active_: '`nodejs_active_resources`; theirs calls a private function of Node.js',
  nodejs_gc_duration_seconds: '`v8js_gc_duration_seconds` by `v8js_gc_type`',
  nodejs_eventloop_utilization_: 'rates of `nodejs_eventloop_time_seconds_total`',
};

/** By name: the type, and the labels of the series. */
type Described = Map<string, string>;

function describeMetric(type: string, labels: Iterable<string>): string {
  const names = [...labels].map((label) => `\`${label}\``).join(', ');
  return names === '' ? type : `${type} by ${names}`;
}

function theirMetrics({ Registry, collectDefaultMetrics: collect }: PromClient): Described {
  const register = new Registry();
  collect({ register });
  // Samples show no labels before there are values, and the types of the client have no names of labels.
  const metrics = register.getMetricsAsArray() as unknown as readonly {
    readonly name: string;
    readonly type: string;
    readonly labelNames: readonly string[];
  }[];
  return new Map(metrics.map(({ name, type, labelNames }) => [name, describeMetric(type, labelNames)]));
}

async function ourMetrics(): Promise<Described> {
  const metrics = collectDefaultMetrics();
  // Without a resource, their metric would have no series.
  const resource = setTimeout(() => {}, 60_000);
  const text = new TextDecoder().decode(render(await metrics.families({}), 'text'));
  metrics.close();
  clearTimeout(resource);
  const found: Described = new Map();
  for (const [, name = '', type = ''] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    const labels = new RegExp(`^${name}\\{(.*)\\}`, 'm').exec(text)?.[1] ?? '';
    const labelNames = [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label!);
    found.set(name, describeMetric(type, labelNames));
  }
  return found;
}

/** The version of a client, as its package states it. */
function versionOf(name: string, modules: string): string {
  return JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')).version;
}

async function makeTable(): Promise<string> {
  const theirs = PROM_CLIENTS.map(({ client }) => theirMetrics(client));
  const ours = await ourMetrics();
  const names = new Set([...theirs, ours].flatMap((described) => [...described.keys()]));
  const heads = PROM_CLIENTS.map(({ name, modules }) => `\`${name}\` ${versionOf(name, modules)}`);
  const rows = [...names].map((name) => {
    const inPlace = Object.entries(IN_PLACE).find(([start]) => name.startsWith(start))?.[1];
    const cells = theirs.map((described) => described.get(name) ?? '');
    return [`\`${name}\``, ...cells, ours.get(name) ?? inPlace ?? ''];
  });
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const head = ['metric', ...heads, 'hdrscope'];
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Only Linux has all of them. */
const lackOfLinux = lackOfFile('/proc/self/status');

testUnless(lackOfPeer('prometheus-client'), lackOfLinux)(
  'the guide compares the default metrics of both clients and ours, name by name',
  async () => {
    const [, table] =
      /<!-- default-metrics:begin -->\n([\s\S]*)\n<!-- default-metrics:end -->/.exec(
        readFileSync(GUIDE, 'utf8'),
      ) ?? [];
    expect(table).toBe(await makeTable());
  },
);

testUnless(lackOfLinux)(
  'each default metric of prom-client is one of ours, or the guide names what has its place',
  async () => {
    const ours = await ourMetrics();
    const unnamed = [...theirMetrics(PROM_CLIENTS[0]!.client).keys()].filter(
      (name) => !ours.has(name) && !Object.keys(IN_PLACE).some((start) => name.startsWith(start)),
    );
    expect(unnamed).toEqual([]);
  },
);
