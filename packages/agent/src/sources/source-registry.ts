import { reasonOf } from '@hdrscope/kit';
import type { Registry } from '@hdrscope/registry';

/**
 * The registry as a source sees it. Snapshots have the errors of a source, and sinks show them: these have no secrets.
 *
 * @param shown Returns a text without secrets.
 */
export function sourceRegistry(registry: Registry, shown: (text: string) => string): Registry {
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
      const collect = async (given: Registry): Promise<void> => {
        try {
          await source.collect(given);
        } catch (error) {
          throw clean(error);
        }
      };
      return registry.add({ name, collect }, options);
    },
  };
}
