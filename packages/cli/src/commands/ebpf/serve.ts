import { HdrscopeError } from '@hdrscope/core';
import {
  type Frame,
  type IngestKernelOptions,
  ingestKernel,
  type KernelIngestion,
  type KernelLayout,
} from '@hdrscope/ebpf';
import { type FollowedMap, hasSameSlots, kernelMetricName } from '@hdrscope/ebpf/internal';
import type { MetricFamily } from '@hdrscope/prometheus';
import { type CountedUnit, createRegistry, type Registry } from '@hdrscope/registry';
import { SHARED_GATHER_MS } from '@hdrscope/registry/internal';
import { type Io, UsageError } from '../../command.ts';
import {
  defineCommand,
  defineOptions,
  type OptionDefinition,
  type OptionsOf,
  parseValue,
  toFlag,
} from '../../define-command.ts';
import { unitOption } from '../../options.ts';
import { addressOptions, GUARD, guardOf, serveMetrics } from '../../serving.ts';
import { configuredOperands, withConfig } from './exporter-config.ts';
import { followMap } from './follow.ts';
import {
  isProgram,
  type Kernel,
  MAP_ARGUMENT_HELP,
  MAP_OPTIONS,
  type MapOptions,
  PROGRAM_ARGUMENT_HELP,
  THIS_KERNEL,
} from './map.ts';

const DESCRIPTION = `Serves the counts of maps to Prometheus, at /metrics, until Ctrl-C.

Each scrape reads the maps. A metric never falls, even when counters are reset or maps are replaced.
The bounds of classic buckets are the bounds of the slots in the map. A map that is not there yet is
served when it comes: hdrscope_ebpf_map_up and hdrscope_ebpf_map_problem show which maps cannot be read.

With --config, the metrics are those of ebpf_exporter's page. Its maps are found by their names, or as pins in a
folder that stands for all of them.

The options of each of several maps are behind it, after commas. The keys are those of the agent:
  layout=LAYOUT          the slots of the map, as for --layout
  shape=STRUCTS, sum=…   its types and its sum, as for --shape and --sum
  unit=UNIT              the unit of the values, which ends the name of the metric
  metric=NAME            the name of the metric, else that of the map
  description=TEXT       its HELP, else the map, its programs, slots and unit
  attributes.NAME=TEXT   a label
  perCpu=true            each CPU as separate series
  since=now              leaves out what was counted before`;

/** Options of each map: on the command line, or behind the map. */
const SERVED_MAP_OPTIONS = defineOptions({
  ...MAP_OPTIONS,
  unit: unitOption(
    'unit of the values; times are served in seconds, sizes in bytes',
    'none, the values as they are',
  ),
  perCpu: { help: 'serves each CPU as separate series' },
});

export const command = defineCommand({
  path: 'hdrscope ebpf serve',
  description: DESCRIPTION,
  examples: [
    'hdrscope ebpf serve /sys/fs/bpf/queue_hist --layout queue-depth --port 9435',
    'hdrscope ebpf serve name:latency_hist --unit ns --layout log-linear-8',
    'hdrscope ebpf serve --config biolatency.yaml',
    'hdrscope ebpf serve id:42 --host 0.0.0.0 --token-file /etc/hdrscope/token',
    'hdrscope ebpf serve /sys/fs/bpf/queue_hist,layout=queue-depth name:wait,layout=bcc,unit=us',
    'hdrscope ebpf serve program:runqueue/cgroup program:blockio program:tcprtt',
  ],
  operands: {
    '[map...]': `${MAP_ARGUMENT_HELP}; or ${PROGRAM_ARGUMENT_HELP}; each with options of its own behind it, as in X,unit=ns,metric=wait`,
  },
  options: { ...addressOptions(9435), ...SERVED_MAP_OPTIONS, ...GUARD },
  async run({ options: given, operands }, io, kernel: Kernel = THIS_KERNEL) {
    const options = await withConfig(given);
    const maps = servedMaps(operands, options);
    const guard = await guardOf(options, io);
    const registry = createRegistry();
    const claims = new MetricClaims();
    const served: Served[] = [];
    try {
      for (const map of maps) served.push(await serveMap(map, registry, claims, io, kernel));
      await registry.gather();
      // The states are those of this scrape: its gather is shared.
      const mapMetrics = async () => {
        await registry.gather({ maxAgeMs: SHARED_GATHER_MS });
        return mapFamilies(served);
      };
      const { port, host } = options;
      const serving = { ...guard, port, host, sources: [mapMetrics] };
      return await serveMetrics(registry, serving, io);
    } finally {
      await Promise.all(served.map(({ histograms }) => histograms.close()));
    }
  },
});

/** @throws UsageError when an option of one map is stated for several maps. */
function servedMaps(given: readonly string[], options: ServedMapOptions): ServedMap[] {
  const { perCpu, bpftool, config } = options;
  const operands = config === undefined ? given : configuredOperands(given, config);
  if (operands.length === 0) throw new UsageError("missing required argument 'map'");
  const common: Record<string, unknown> = { perCpu, bpftool, config };
  for (const [name, option] of BEHIND_MAPS) {
    // A layout or a unit holds for no second map.
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (option.value === undefined || value === undefined) continue;
    if (operands.length > 1) {
      throw new UsageError(
        `${toFlag(name)} is for one map, and there are ${operands.length}: state it behind the maps it is for, as in ${operands[0]},${name}=…`,
      );
    }
    common[name] = value;
  }
  return operands.map((operand) => parseServedMap(operand, common));
}

/** A map in a registry, and how it is doing. */
interface Served {
  readonly state: FollowedMap;
  readonly histograms: KernelIngestion;
}

/** @throws UsageError, HdrscopeError when the command line does not say how the map is served, or it never comes. */
async function serveMap(
  map: ServedMap,
  registry: Registry,
  claims: MetricClaims,
  io: Io,
  kernel: Kernel,
): Promise<Served> {
  const { argument, options } = map;
  const state = followMap(argument, options, io, kernel);
  let generation = '';
  const read = async (): Promise<Frame> => {
    const frame = await state.read();
    assertUnit(map, frame);
    claims.claim(map, frame);
    ({ generation } = frame);
    return frame;
  };
  try {
    await read();
  } catch (error) {
    if (isProgram(argument) || !mayChange(error, map, state)) {
      await state.close();
      throw error;
    }
    await state.noteFailure(error);
  }
  const observer = {
    succeeded: () => void state.noteRead(generation, 'its counts are added').catch(() => {}),
    failed: (error: unknown) => void state.noteFailure(error).catch(() => {}),
  };
  const source = { name: state.name, read, close: () => state.close() };
  return { state, histograms: ingestKernel(registry, source, { ...histogramsOptions(map), observer }) };
}

/**
 * Whether another read may succeed: the system has refused this one. All other errors ask a question to the person. A name of a
 * configuration that several maps have is a problem of this map alone.
 */
function mayChange(error: unknown, { options: { config } }: ServedMap, state: FollowedMap): boolean {
  if (!(error instanceof HdrscopeError)) return false;
  const { errno, ids } = error.details;
  return (errno !== undefined && !state.isOver(error)) || (ids !== undefined && config !== undefined);
}

/** @throws UsageError for numbers of tasks in nanoseconds, unless the command line has the layout too. */
function assertUnit(
  { argument, options: { unit = 'none', layout } }: ServedMap,
  { histograms }: Frame,
): void {
  const isDepth = histograms.some((histogram) => histogram.layout.name === 'queue-depth');
  if (!isDepth || unit === 'none' || layout !== undefined) return;
  throw new UsageError(
    `${argument} looks like a histogram of numbers of tasks (queue-depth), which are not ${unit}: add its layout, or leave out the unit`,
  );
}

interface ServedMapOptions extends MapOptions, Omit<OptionsOf<typeof BEHIND_MAP_OPTIONS>, keyof MapOptions> {}

export interface ServedMap {
  /** The map, as `openMap` takes it. */
  readonly argument: string;
  readonly options: ServedMapOptions;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Options behind a map. `config` holds for all maps. */
const { config: _, ...OPTIONS_OF_ONE_MAP } = SERVED_MAP_OPTIONS;
const BEHIND_MAP_OPTIONS = defineOptions({
  ...OPTIONS_OF_ONE_MAP,
  metric: { value: '<name>', help: '' },
  description: { value: '<text>', help: '' },
  since: { value: '<when>', help: '', choices: ['beginning', 'now'] },
});
const BEHIND_MAPS: ReadonlyMap<string, OptionDefinition> = new Map(Object.entries(BEHIND_MAP_OPTIONS));

/**
 * Parses `MAP` or `MAP,key=value,…`. The keys are those of a map in the configuration of the agent: `layout`, `unit`, `metric`,
 * `description`, `perCpu`, `since`, `attributes.NAME`. A comma without a key behind it belongs to the value, as in `layout=0,1,4`.
 *
 * @param common Options of all maps. Those of the operand come before them.
 * @throws UsageError
 */
export function parseServedMap(operand: string, common: ServedMapOptions): ServedMap {
  const [argument = '', ...parts] = operand.split(/,(?=[A-Za-z][\w.-]*=)/);
  const attributes: Record<string, string> = {};
  const given: Record<string, unknown> = {};
  const stated = new Set<string>();
  for (const part of parts) {
    const [key, value] = [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)];
    if (stated.has(key)) throw new UsageError(`${argument}: ${key} must be stated once`);
    stated.add(key);
    const attribute = /^attributes\.(.+)$/.exec(key)?.[1];
    if (attribute === undefined) given[key] = optionOf(argument, key, value);
    else attributes[attribute] = value;
  }
  return { argument, options: { ...common, ...given }, attributes };
}

function optionOf(argument: string, key: string, value: string): unknown {
  const option = BEHIND_MAPS.get(key);
  if (option === undefined) {
    const keys = [...BEHIND_MAPS.keys()].join(', ');
    throw new UsageError(`${argument}: the options of a map are ${keys} and attributes.NAME, got '${key}'`);
  }
  if (value === '') throw new UsageError(`${argument}: ${key} must have a value`);
  if (option.value === undefined) {
    if (value === 'true' || value === 'false') return value === 'true';
    throw new UsageError(`${argument}: ${key} must be true or false, got '${value}'`);
  }
  try {
    return parseValue(key, option, value);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${argument}: ${error.message}`);
  }
}

function histogramsOptions({ argument, options, attributes }: ServedMap): IngestKernelOptions {
  const { unit, perCpu = false, metric, description, since, config } = options;
  const stated = {
    ...(metric !== undefined && { name: metric }),
    ...(description !== undefined && { description }),
  };
  if (config !== undefined && unit !== undefined && unit !== 'none') {
    throw new UsageError(`${argument}: unit and --config exclude each other: the configuration has the unit`);
  }
  if (config === undefined) {
    return { ...(unit !== undefined && { kernelUnit: unit }), perCpu, since, attributes, ...stated };
  }
  const families = config.histograms.map(({ name, family }) => [name, { ...family, ...stated }]);
  return { perCpu, since, attributes, families: Object.fromEntries(families) };
}

function metricOf({ options: { metric, config, unit = 'none' } }: ServedMap, histogram: string): string {
  const configured = config?.histograms.find(({ name }) => name === histogram);
  return metric ?? configured?.family.name ?? kernelMetricName(histogram, unit);
}

const LONGEST_REASON = 300;

/** How the served maps are doing, as metrics: whether each could be read by this scrape, why not, and what programs missed. */
function mapFamilies(served: readonly Served[]): MetricFamily[] {
  const states = served.map(({ state }) => state);
  const programs = served.filter(({ state }) => isProgram(state.argument));
  const up = states.map((state) => metric({ map: state.argument }, state.problem === undefined ? 1 : 0));
  const problems = states.flatMap(({ argument: map, problem }) =>
    problem === undefined ? [] : [metric({ map, reason: problem.slice(0, LONGEST_REASON) }, 1)],
  );
  return [
    gauge('hdrscope_ebpf_map_up', 'Whether the last read of an eBPF map succeeded', up),
    ...(problems.length === 0
      ? []
      : [gauge('hdrscope_ebpf_map_problem', 'Why an eBPF map cannot be read', problems)]),
    ...(programs.length === 0 ? [] : [missedFamily(programs)]),
    ...uncertainFamily(served),
  ];
}

/** Nothing before the first of them, because most maps have counters of 64 bits. */
function uncertainFamily(served: readonly Served[]): MetricFamily[] {
  const help =
    'Falls of counters of 32 bits that passed 2^32 - 1 or were set to 0, whose new counts are left out since nobody knows which';
  const some = served.filter(({ histograms }) => histograms.health.uncertain > 0);
  const metrics = some.map(({ state, histograms }) =>
    metric({ map: state.argument }, histograms.health.uncertain),
  );
  return some.length === 0 ? [] : [{ ...gauge('hdrscope_ebpf_uncertain', help, metrics), type: 'counter' }];
}

function missedFamily(programs: readonly Served[]): MetricFamily {
  const help = 'Values that a program could not measure, because their beginning was not seen';
  const metrics = programs.map(({ state, histograms }) =>
    metric({ map: state.argument }, histograms.health.missed),
  );
  return { ...gauge('hdrscope_ebpf_missed', help, metrics), type: 'counter' };
}

function gauge(name: string, help: string, metrics: MetricFamily['metrics']): MetricFamily {
  return { name, help, unit: '', type: 'gauge', metrics };
}

function metric(labels: Readonly<Record<string, string>>, value: number): MetricFamily['metrics'][number] {
  return { labels: Object.entries(labels), timestampMs: undefined, value: { kind: 'number', value } };
}

/** The slots and the unit that all maps of a metric have, and the map of each set of attributes. */
interface Claims {
  layout: KernelLayout;
  unit: CountedUnit | undefined;
  /** By the attributes, as JSON. */
  readonly maps: Map<string, ServedMap>;
}

/** Which map has which metric. Counts of two maps in one series would be those of neither. */
export class MetricClaims {
  readonly #claims = new Map<string, Claims>();

  /** @throws UsageError when another map has the metric, with the same attributes or with other slots. */
  claim(map: ServedMap, { histograms }: Frame): void {
    // The keys of a map are many histograms with one name and one layout.
    const layouts = new Map<string, KernelLayout>();
    for (const { name, layout } of histograms) {
      if (layouts.get(name) === layout) continue;
      layouts.set(name, layout);
      this.#claim(metricOf(map, name), map, layout);
    }
  }

  #claim(metric: string, map: ServedMap, layout: KernelLayout): void {
    const { unit } = map.options;
    const mine = textOf(map.attributes);
    const claims = this.#claims.get(metric) ?? { layout, unit, maps: new Map<string, ServedMap>() };
    const same = claims.maps.get(mine);
    if (same !== undefined && same !== map) {
      throw new UsageError(
        `${bothOf(same, map, metric)}: add metric=NAME or attributes.NAME=TEXT to one of them, as in ${map.argument},metric=${metric}2`,
      );
    }
    const other = [...claims.maps.values()].find((one) => one !== map);
    if (other !== undefined && (claims.unit !== unit || !hasSameSlots(claims.layout, layout))) {
      throw new UsageError(
        `${bothOf(other, map, metric)}, with other slots or another unit: add metric=NAME to one of them`,
      );
    }
    // A map that comes back may have other slots.
    Object.assign(claims, { layout, unit });
    claims.maps.set(mine, map);
    this.#claims.set(metric, claims);
  }
}

function bothOf(a: ServedMap, b: ServedMap, metric: string): string {
  return `${a.argument} and ${b.argument} are both the metric ${metric}`;
}

function textOf(attributes: ServedMap['attributes']): string {
  return JSON.stringify(Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1)));
}
