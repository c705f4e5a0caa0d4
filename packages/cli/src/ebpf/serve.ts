import { HdrscopeError } from '@hdrscope/core';
import { type Frame, ingestKernel, type KernelIngestion } from '@hdrscope/ebpf';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { SHARED_GATHER_MS } from '@hdrscope/registry/internal';
import type { Command } from 'commander';
import { type Arguments, createParser } from '../arguments.ts';
import { type Io, UsageError } from '../command.ts';
import { addGuard, type GuardingOptions, guardOf } from '../guard-options.ts';
import { serveMetrics } from '../serve-metrics.ts';
import { hostOption, portOption } from '../shared-options.ts';
import { configuredOperands, exporterConfigOption, type Unread, withConfig } from './exporter-config.ts';
import { type Kernel, THIS_KERNEL } from './kernel.ts';
import { addMapOptions } from './map-argument.ts';
import { mapFamilies } from './map-families.ts';
import { isOver, MapState } from './map-state.ts';
import { MetricClaims } from './metric-claims.ts';
import { patientMap } from './patient-map.ts';
import { isProgram } from './program-argument.ts';
import {
  histogramsOptions,
  optionsOfOneMap,
  parseServedMap,
  SERVED_MAP_HELP,
  type ServedMap,
  type ServedMapOptions,
  servedUnitOption,
} from './served-map.ts';

interface Options extends ServedMapOptions, GuardingOptions {
  readonly port: number;
  readonly host: string;
}

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

/** The arguments of `hdrscope ebpf serve`. */
export function parser(): Command {
  const command = createParser('hdrscope ebpf serve', DESCRIPTION, [
    'hdrscope ebpf serve /sys/fs/bpf/queue_hist --port 9435',
    'hdrscope ebpf serve name:latency_hist --unit ns --layout log-linear-8',
    'hdrscope ebpf serve --config biolatency.yaml',
    'hdrscope ebpf serve id:42 --host 0.0.0.0 --token-file /etc/hdrscope/token',
    'hdrscope ebpf serve /sys/fs/bpf/queue_hist name:latency_hist,unit=ns,metric=wait,attributes.pool=a',
    'hdrscope ebpf serve program:runqueue/cgroup program:blockio program:tcprtt',
  ])
    .argument('[map...]', SERVED_MAP_HELP)
    .addOption(portOption(9435))
    .addOption(hostOption())
    .addOption(servedUnitOption())
    .addOption(exporterConfigOption())
    .option('--per-cpu', 'serves each CPU as separate series');
  return addGuard(addMapOptions(command));
}

/** `hdrscope ebpf serve` */
export async function run(
  { options: given, operands }: Arguments<Unread<Options>>,
  io: Io,
  kernel: Kernel = THIS_KERNEL,
): Promise<number> {
  const options = await withConfig(given);
  const { port, host } = options;
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
    const options = { ...guard, port, host, withUnitSuffix: true, sources: [mapMetrics] };
    return await serveMetrics(registry, options, io);
  } finally {
    await Promise.all(served.map(({ histograms }) => histograms.close()));
  }
}

/** @throws UsageError when an option of one map is stated for several maps. */
function servedMaps(given: readonly string[], options: Options): ServedMap[] {
  const { perCpu, bpftool, config } = options;
  const operands = config === undefined ? given : configuredOperands(given, config);
  if (operands.length === 0) throw new UsageError("missing required argument 'map'");
  const common: Record<string, unknown> = { perCpu, bpftool, config };
  for (const option of optionsOfOneMap()) {
    const name = option.attributeName();
    const value = (options as unknown as Record<string, unknown>)[name];
    if (value === undefined) continue;
    if (operands.length > 1) {
      throw new UsageError(
        `${option.long} is for one map, and there are ${operands.length}: state it behind the maps it is for, as in ${operands[0]},${name}=…`,
      );
    }
    common[name] = value;
  }
  return operands.map((operand) => parseServedMap(operand, common));
}

/** A map in a registry, and how it is doing. */
interface Served {
  readonly state: MapState;
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
  const note = (line: string): Promise<void> => io.stderr.write(`hdrscope: ${line}\n`);
  const state = new MapState(argument, note);
  const patient = patientMap(argument, options, kernel, (line) => io.stderr.write(line));
  let generation = '';
  const read = async (): Promise<Frame> => {
    const frame = await patient.read();
    assertUnit(map, frame);
    claims.claim(map, frame);
    ({ generation } = frame);
    return frame;
  };
  try {
    await read();
  } catch (error) {
    if (isProgram(argument) || !mayChange(error, argument)) {
      await patient.close();
      throw error;
    }
    await state.failed(error);
  }
  const observer = {
    succeeded: () => void state.readAs(generation, 'its counts are added').catch(() => {}),
    failed: (error: unknown) => void state.failed(error).catch(() => {}),
  };
  const source = { ...patient, read };
  return { state, histograms: ingestKernel(registry, source, { ...histogramsOptions(map), observer }) };
}

/** Whether another read may succeed: the system has refused this one. All other errors ask a question to the person. */
function mayChange(error: unknown, argument: string): boolean {
  return error instanceof HdrscopeError && error.details.errno !== undefined && !isOver(error, argument);
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
