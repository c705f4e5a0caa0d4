import { reasonOf } from '@hdrscope/kit';
import type { Registry, Source } from '@hdrscope/registry';

/**
 * The registry as a source sees it. Snapshots have the errors of a source, and sinks show them: these have no secrets.
 *
 * @param shown Returns a text without secrets.
 */
export function viewForSource(registry: Registry, shown: (text: string) => string): Registry {
  const clean = (error: unknown): unknown => {
    const reason = reasonOf(error);
    const clear = shown(reason);
    return clear === reason ? error : new Error(clear);
  };
  return {
    histogram: (options) => registry.histogram(options),
    family: (identity) => registry.family(identity),
    emptySnapshot: () => registry.emptySnapshot(),
    gather: (options) => registry.gather(options),
    add(source, options) {
      const { name } = source;
      const collect: Source['collect'] = async (given, limits) => {
        try {
          await source.collect(given, limits);
        } catch (error) {
          throw clean(error);
        }
      };
      return registry.add({ name, collect }, options);
    },
  };
}

/** Watches the gathers of a sink. */
interface GatherWatch {
  readonly sink: string;
  /** Reports a source that has not answered in time. The source itself does not notice. */
  sourceIsLate(source: string, error: unknown): void;
}

/** The registry as a sink sees it. The durations of its gathers are a histogram of the registry itself. */
export function viewForSink(registry: Registry, watch: GatherWatch): Registry {
  const duration = registry
    .histogram({
      name: 'hdrscope.agent.gather.duration',
      unit: 's',
      description: 'How long a sink waited for all sources to be asked and a snapshot to be taken',
    })
    .with({ sink: watch.sink });
  return {
    histogram: (options) => registry.histogram(options),
    family: (identity) => registry.family(identity),
    add: (source, options) => registry.add(source, options),
    emptySnapshot: () => registry.emptySnapshot(),
    async gather(options) {
      const startMs = performance.now();
      const snapshot = await registry.gather(options);
      duration.record((performance.now() - startMs) / 1000);
      for (const { source, error } of snapshot.errors) {
        if (error instanceof Error && error.name === 'TimeoutError') watch.sourceIsLate(source, error);
      }
      return snapshot;
    },
  };
}
