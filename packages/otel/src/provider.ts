import { HdrscopeError } from '@hdrscope/core';
import { fromTicks } from '@hdrscope/core/internal';
import type { Registry } from '@hdrscope/registry';
import {
  diag,
  type Histogram,
  type Meter,
  type MeterProvider,
  type MetricOptions,
  ValueType,
} from '@opentelemetry/api';
import { delegate } from './delegate.ts';
import type { ExemplarFilter } from './exemplar-filter.ts';
import { HdrInstrument, type ViewTarget } from './instrument.ts';
import { type MetricSettings, metricSettings } from './metric-settings.ts';
import { type MetricScope, scopeKey } from './sdk.ts';
import { type CompiledView, familyOptions, type InstrumentIdentity } from './view.ts';

/** The means with which a wrapped provider makes instruments. */
export interface InstrumentFactory {
  readonly views: readonly CompiledView[];
  readonly registry: Registry;
  readonly exemplarFilter: ExemplarFilter;
  /** Keeps the settings with which readers see a family. */
  remember(family: ViewTarget['family'], settings: MetricSettings): void;
}

/** Wraps a provider: its meters make HDR instruments where a view says so, and nothing else changes. */
export function wrapProvider<Wrapped extends MeterProvider>(
  provider: Wrapped,
  factory: InstrumentFactory,
): Wrapped {
  const meters = new WeakMap<Meter, Map<string, Meter>>();
  return delegate<MeterProvider>(provider, {
    getMeter: (...args: Parameters<MeterProvider['getMeter']>) => {
      const meter = provider.getMeter(...args);
      const [name, version, options] = args;
      const scope = { name, version, schemaUrl: options?.schemaUrl };
      // By scope as well: a provider that is shut down returns one meter for all scopes.
      const byScope = meters.get(meter) ?? new Map<string, Meter>();
      meters.set(meter, byScope);
      const wrapped = byScope.get(scopeKey(scope)) ?? wrapMeter(meter, scope, factory);
      byScope.set(scopeKey(scope), wrapped);
      return wrapped;
    },
  }) as Wrapped;
}

const ASYNCHRONOUS = [
  'createObservableCounter',
  'createObservableGauge',
  'createObservableUpDownCounter',
] as const satisfies (keyof Meter)[];

function wrapMeter(meter: Meter, scope: MetricScope, factory: InstrumentFactory): Meter {
  const asynchronous = ASYNCHRONOUS.map((create) => [
    create,
    (name: string, options: MetricOptions = {}) => {
      warnOfAsynchronous(factory.views, { name, unit: options.unit ?? '', scope });
      return meter[create](name, options);
    },
  ]);
  return delegate(meter, {
    ...Object.fromEntries(asynchronous),
    createHistogram: (name: string, options: MetricOptions = {}): Histogram => {
      const { unit = '', valueType = ValueType.DOUBLE } = options;
      const views = factory.views.filter((view) => view.matches({ name, unit, scope }));
      const targets = new Map<ViewTarget['family'], ViewTarget>();
      for (const view of views) {
        const target = targetOf(view, name, scope, options, factory, targets);
        if (target !== undefined) targets.set(target.family, target);
      }
      if (targets.size === 0) return meter.createHistogram(name, options);
      const also = views.some(({ tee }) => tee) ? meter.createHistogram(name, options) : undefined;
      const { exemplarFilter } = factory;
      return new HdrInstrument({ name, valueType, targets: [...targets.values()], also, exemplarFilter });
    },
  });
}

/** Only a view that names the instrument deserves a warning: a wildcard matches other instruments in passing. */
function warnOfAsynchronous(views: readonly CompiledView[], instrument: InstrumentIdentity): void {
  for (const view of views) {
    if (view.instrumentName === undefined || /[*?]/.test(view.instrumentName) || !view.matches(instrument))
      continue;
    diag.warn(
      `the HDR view of ${instrument.name} is ignored: an asynchronous instrument has no distribution`,
    );
  }
}

/** Finds where a view sends an instrument's values. Logs a warning and returns `undefined` when the registry refuses the family. */
function targetOf(
  view: CompiledView,
  instrumentName: string,
  scope: MetricScope,
  options: MetricOptions,
  { registry, remember }: InstrumentFactory,
  earlier: ReadonlyMap<ViewTarget['family'], ViewTarget>,
): ViewTarget | undefined {
  const { unit = '', description = '', valueType, advice } = options;
  try {
    const boundaries = view.boundaries ?? ascending(advice?.explicitBucketBoundaries);
    const { maxSize, maxScale } = view;
    const settings = metricSettings(unit, { valueType, maxSize, maxScale, boundaries });
    const given = familyOptions(view, { name: instrumentName, unit, description, scope });
    const areCounts = valueType === ValueType.INT && unit === '';
    const family = registry.histogram({
      ...(areCounts && { resolution: countResolution(registry.family(given)) }),
      ...given,
      ...(boundaries && { boundaries }),
      // The default boundaries too: whatever readers show is exact.
      thresholds: settings.boundaries,
    });
    // When several views make the same metric, its values count once, and the first view's settings apply.
    if (earlier.has(family)) return undefined;
    remember(family, settings);
    return { family, attributesProcessors: view.attributesProcessors };
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    diag.warn(`${instrumentName} is not counted as an HDR histogram: ${error.message}`);
    return undefined;
  }
}

/** Integers without a unit count in steps of 1, unless an earlier instrument has registered their family with finer steps. */
function countResolution(known: ViewTarget['family'] | undefined): number {
  return known === undefined ? 1 : fromTicks(known.resolution, 1);
}

/** Sorts advised boundaries, and drops those that are not finite or come twice, as the SDK does. */
function ascending(boundaries: readonly number[] | undefined): readonly number[] | undefined {
  return boundaries && [...new Set(boundaries.filter(Number.isFinite))].sort((a, b) => a - b);
}
