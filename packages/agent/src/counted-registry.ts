import type { Family, Registry, Series, Source } from '@hdrscope/registry';

/** What is told of a source that fills a registry. */
export interface Told {
  /** So many values were brought, those included that a series rejects. */
  values(count: number): void;
  /** A gather has asked it with success. */
  succeeded(): void;
  failed(error: unknown): void;
}

/**
 * The registry as one source sees it: all that it brings goes to the registry behind it and is tallied, and what it has
 * asked at every gather bears the source's name and tells how that went.
 */
export function countedRegistry(registry: Registry, name: string, told: Told): Registry {
  const families = new WeakMap<Family, Family>();
  const counted = (family: Family): Family => {
    let proxy = families.get(family);
    if (proxy === undefined) {
      proxy = countedFamily(family, told);
      families.set(family, proxy);
    }
    return proxy;
  };
  const view: Registry = {
    histogram: (options) => counted(registry.histogram(options)),
    family: (identity) => {
      const family = registry.family(identity);
      return family && counted(family);
    },
    add: (source, options) => registry.add(observed(source), options),
    gather: (options) => registry.gather(options),
  };
  const observed = (source: Source): Source => ({
    name,
    async collect() {
      try {
        await source.collect(view);
        told.succeeded();
      } catch (error) {
        told.failed(error);
        throw error;
      }
    },
  });
  return view;
}

function countedFamily(family: Family, told: Told): Family {
  const known = new WeakMap<Series, Series>();
  return withOther(family, {
    with(attributes: Parameters<Family['with']>[0]) {
      const series = family.with(attributes);
      let proxy = known.get(series);
      if (proxy === undefined) {
        proxy = countedSeries(series, told);
        known.set(series, proxy);
      }
      return proxy;
    },
  });
}

function countedSeries(series: Series, told: Told): Series {
  return withOther(series, {
    record(value: number) {
      told.values(1);
      return series.record(value);
    },
    add(...[counted, facts]: Parameters<Series['add']>) {
      const added = series.add(counted, facts);
      told.values(counted.counts.total);
      return added;
    },
  });
}

/** An object with some methods of its own. Private fields are found on the object itself only, so `this` stays that. */
function withOther<Target extends object>(target: Target, methods: Partial<Target>): Target {
  return new Proxy(target, {
    get(_, key) {
      if (Object.hasOwn(methods, key)) return methods[key as keyof Target];
      const value = Reflect.get(target, key, target) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
