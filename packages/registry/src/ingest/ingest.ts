import {
  flag,
  number,
  type OptionRules,
  oneOf,
  optional,
  readOptions,
  withDefault,
} from '@hdrscope/core/internal';
import { clock, systemClock } from '../clock.ts';
import { joinedError } from '../problems.ts';
import type { Registry } from '../registry.ts';
import { assertRegistry } from '../registry.ts';
import { Intake } from './intake.ts';
import { INTAKE_RULES, type Ingestion, type IngestOptions, type ReadableSource } from './source.ts';

/**
 * Brings the counts of a source into a registry. All sources except remote registries come in by this function.
 *
 * A source with `read` is read whenever the registry is gathered, one read at a time. Readings that come by
 * themselves go to `take`. The new values of a reading are added to its series; restarts, resets, repeated readings
 * and late ones add no value twice.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it.
 * @example
 * ```ts
 * import { countedIn, explicitLayout } from '@hdrscope/core';
 * import { createRegistry, ingest } from '@hdrscope/registry';
 *
 * const layout = explicitLayout([0.1, 0.5]);
 * const family = { name: 'job.duration', unit: 's' };
 * let counts = [7, 2, 0]; // cumulative, and counted elsewhere
 * const read = () => [{ key: 'job', family, attributes: {}, counted: countedIn(layout, counts) }];
 *
 * const registry = createRegistry();
 * const jobs = ingest(registry, { name: 'jobs', read });
 * await registry.gather();
 * counts = [1, 0, 0]; // the job was restarted
 * const [gathered] = (await registry.gather()).families;
 * gathered!.series[0]!.histogram.totalCount; //=> 10
 * [jobs.health.resets, gathered!.boundaries]; //=> [1, [0.1, 0.5]]
 * await jobs.close();
 * ```
 */
export function ingest(registry: Registry, source: ReadableSource, options: IngestOptions = {}): Ingestion {
  assertRegistry(registry);
  const settings = readOptions(options, INGEST);
  const intake = new Intake(registry, settings);
  const { observer, timeoutMs = Number.POSITIVE_INFINITY, sourceName: name = source.name } = settings;
  let running: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    try {
      const beganMs = settings.clock.monotonicMs();
      const problems = intake.take(await source.read!(), beganMs);
      if (problems.length > 0) throw joinedError(problems);
      observer?.succeeded?.();
    } catch (error) {
      intake.tally.readErrors++;
      observer?.failed?.(error);
      throw error;
    }
  };
  // One read at a time: an answer that overtakes another one would look like a counter that began anew.
  const collect = (): Promise<void> => {
    running ??= read().finally(() => {
      running = undefined;
    });
    return running;
  };
  const remove = source.read && registry.add({ name, collect }, { maxTimeoutMs: timeoutMs });
  return {
    get health() {
      return intake.health();
    },
    memory: intake.memory,
    take: (readings) => intake.take(readings),
    async close() {
      remove?.();
      await running?.catch(() => {});
      await source.close?.();
    },
  };
}

const INGEST = {
  name: 'ingest',
  rules: {
    ...INTAKE_RULES,
    resets: withDefault(oneOf<'together' | 'apart' | 'never'>(['together', 'apart', 'never']), 'together'),
    isWhole: withDefault(flag, false),
    clock: withDefault(clock, systemClock),
    maxStreams: optional(number({ from: 1, to: Number.POSITIVE_INFINITY })),
    forgetAfterMs: optional(number({ above: 0, to: Number.POSITIVE_INFINITY })),
    epochs: optional(oneOf<'in turn' | 'side by side'>(['in turn', 'side by side'])),
  } satisfies OptionRules<IngestOptions>,
  call: "ingest(registry, source, { since: 'now' })",
};
