import { type OptionRules, object, readOptions, withDefault } from '@hdrscope/core/internal';
import {
  type IngestHealth,
  type Ingestion,
  type IntakeOptions,
  ingest,
  type Reading,
  type Registry,
} from '@hdrscope/registry';
import { assertRegistry, INTAKE_RULES } from '@hdrscope/registry/internal';
import { KERNEL_FAMILY, KERNEL_FAMILY_RULES, type KernelFamilyOptions, KernelReadings } from './families.ts';
import { KERNEL_COUNTERS } from './increases.ts';
import type { KernelSource } from './source/source.ts';

/** How kernel histograms become families of a registry. `families` replaces options for histograms of some names. */
export interface IngestKernelOptions extends KernelFamilyOptions, IntakeOptions {
  /** Attributes of every series. They take precedence over attributes of the histograms. @default no attributes */
  readonly attributes?: KernelFamilyOptions['attributes'];
  /** Options for histograms of one name, by name. @default the same options for all names */
  readonly families?: Readonly<Record<string, KernelFamilyOptions>>;
}

/** Counts of unusual events while reading, so far. Each CPU counts for itself. */
export interface KernelHealth extends IngestHealth {
  /** Number of generations: 1 while the same map or run is read. */
  readonly generations: number;
  /** Number of values that programs of this package could not measure. Other programs do not count them. */
  readonly missed: number;
}

/** Kernel histograms in a registry. */
export interface KernelIngestion extends Ingestion {
  /** The counters at this moment. */
  readonly health: KernelHealth;
}

/**
 * Adds a source of kernel histograms to a registry, which reads it at each gather. The increases of slots are added as
 * counts, not as single events. Series never fall, whatever happens to the maps. A source that cannot be read appears in
 * the errors of the snapshot, and its earlier counts stay.
 *
 * A slot counts at its middle. By default a family has the resolution and digits at which every kernel slot has HDR slots
 * of its own. So explicit buckets at the bounds of kernel slots are exact, and these are the default for Prometheus and
 * OTLP. This holds for log2 and log-linear slots up to 2^53 − 1, for queue depths, and for slots of single integers up to
 * 262,143. Exponential buckets take a whole slot by its middle. The sum is the sum of the program, or else the sum of the
 * middles. Minimum and maximum are middles too.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is not allowed. The registry checks the ranges of
 *   numbers for a family when its first histogram arrives, and their errors appear in the snapshot.
 * @example
 * ```ts
 * import { ingestKernel, queueDepthLayout } from '@hdrscope/ebpf';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const counts = Float64Array.of(1200, 980, 1400, 800, 400, 30, 10, 1);
 * const source = {
 *   name: 'the run queues',
 *   read: () => ({
 *     generation: 'map 7',
 *     cpuCount: 1,
 *     counterBits: 64 as const,
 *     histograms: [{ name: 'queue_hist', attributes: {}, layout: queueDepthLayout(), counts, sums: undefined }],
 *   }),
 *   close() {},
 * };
 * const registry = createRegistry();
 * const kernel = ingestKernel(registry, source, { name: 'runqueue.depth', unit: '{thread}' });
 *
 * const [family] = (await registry.gather()).families;
 * family!.boundaries; //=> [0, 1, 4, 8, 16, 32, 64]
 * family!.series[0]!.histogram.totalCount; //=> 4821
 * const { generations, values, open } = kernel.health;
 * [generations, values, open]; //=> [1, 4821, 1]
 * await kernel.close();
 * ```
 */
export function ingestKernel(
  registry: Registry,
  source: KernelSource,
  options: IngestKernelOptions = {},
): KernelIngestion {
  assertRegistry(registry);
  const settings = readOptions(options, INGEST_KERNEL);
  const {
    families: byName,
    since,
    timeoutMs,
    sourceName,
    dropAttributes,
    observer,
    memory,
    ...common
  } = settings;
  for (const family of Object.values(byName)) readOptions(family, KERNEL_FAMILY);
  const readings = new KernelReadings((name) => ({
    ...common,
    ...(Object.hasOwn(byName, name) && byName[name]),
  }));
  let generation: string | undefined;
  let generations = 0;
  let missed = 0;
  const read = async (): Promise<Reading[]> => {
    const frame = await source.read();
    const all = readings.of(frame);
    if (frame.generation !== generation) generations++;
    generation = frame.generation;
    missed = frame.missed ?? 0;
    return all;
  };
  const ingestion = ingest(
    registry,
    { name: source.name, read, close: () => source.close() },
    { ...KERNEL_COUNTERS, isWhole: true, since, timeoutMs, sourceName, dropAttributes, observer, memory },
  );
  return {
    ...ingestion,
    get health() {
      return { ...ingestion.health, generations, missed };
    },
  };
}

const INGEST_KERNEL = {
  name: 'ingestKernel',
  rules: {
    ...INTAKE_RULES,
    ...KERNEL_FAMILY_RULES,
    families: withDefault(object<NonNullable<IngestKernelOptions['families']>>(), {}),
  } satisfies OptionRules<IngestKernelOptions>,
  call: "ingestKernel(registry, source, { name: 'runqueue.depth' })",
};
