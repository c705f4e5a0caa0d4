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
import { ClientRequests, countsInContext } from './client-requests.ts';
import { type CombinedView, combineViews, type Warn } from './combine-views.ts';
import { delegate } from './delegate.ts';
import type { ExemplarFilter } from './exemplar-filter.ts';
import { HdrInstrument, type ViewTarget } from './instrument.ts';
import { type MetricSettings, metricSettings } from './metric-settings.ts';
import { type MetricScope, scopeKey } from './sdk.ts';
import { type SdkViewReader, sdkViewReader } from './sdk-views.ts';
import { type CompiledView, familyOptions, type InstrumentIdentity } from './view.ts';
import type { ViewUse } from './view-use.ts';

/** The means with which a wrapped provider makes instruments. */
export interface InstrumentFactory {
  readonly views: readonly CompiledView[];
  readonly registry: Registry;
  readonly exemplarFilter: ExemplarFilter;
  readonly viewUse: ViewUse;
  /** Keeps the settings with which readers see a family. */
  remember(family: ViewTarget['family'], settings: MetricSettings): void;
}

/** Marks wrapped providers, for other copies of this package too. */
const WRAPPED = Symbol.for('hdrscope.otel.wrapped');

/** Whether a provider was wrapped, by any copy of this package. */
export function isWrapped(provider: MeterProvider): boolean {
  return (provider as { readonly [WRAPPED]?: unknown })[WRAPPED] === true;
}

/** Wraps a provider: its meters make HDR instruments where a view says so, and nothing else changes. */
export function wrapProvider<Wrapped extends MeterProvider>(
  provider: Wrapped,
  factory: InstrumentFactory,
): Wrapped {
  factory.viewUse.start();
  const meters = new WeakMap<Meter, Map<string, Meter>>();
  const targetsOf = targetFinder(factory, sdkViewReader(provider));
  return delegate<MeterProvider & { readonly [WRAPPED]: true }>(provider as never, {
    [WRAPPED]: true,
    getMeter: (...args: Parameters<MeterProvider['getMeter']>) => {
      const meter = provider.getMeter(...args);
      const [name, version, options] = args;
      const scope = { name, version, schemaUrl: options?.schemaUrl };
      // By scope as well: a provider that is shut down returns one meter for all scopes.
      const byScope = meters.get(meter) ?? new Map<string, Meter>();
      meters.set(meter, byScope);
      const wrapped = byScope.get(scopeKey(scope)) ?? wrapMeter(meter, scope, factory, targetsOf);
      byScope.set(scopeKey(scope), wrapped);
      return wrapped;
    },
  }) as unknown as Wrapped;
}

const ASYNCHRONOUS = [
  ['createObservableCounter', 'observable counter'],
  ['createObservableGauge', 'observable gauge'],
  ['createObservableUpDownCounter', 'observable up-down counter'],
] as const satisfies [keyof Meter, string][];

const SYNCHRONOUS = [
  ['createCounter', 'counter'],
  ['createGauge', 'gauge'],
  ['createUpDownCounter', 'up-down counter'],
] as const satisfies [keyof Meter, string][];

function wrapMeter(
  meter: Meter,
  scope: MetricScope,
  { views, exemplarFilter, viewUse }: InstrumentFactory,
  targetsOf: TargetFinder,
): Meter {
  const asynchronous = ASYNCHRONOUS.map(([create, kind]) => [
    create,
    (name: string, options: MetricOptions = {}) => {
      const instrument = { name, unit: options.unit ?? '', scope };
      viewUse.note({ ...instrument, kind });
      warnOfAsynchronous(views, instrument);
      return meter[create](name, options);
    },
  ]);
  const synchronous = SYNCHRONOUS.map(([create, kind]) => [
    create,
    (name: string, options: MetricOptions = {}) => {
      viewUse.note({ name, unit: options.unit ?? '', scope, kind });
      return meter[create](name, options);
    },
  ]);
  return delegate(meter, {
    ...Object.fromEntries([...asynchronous, ...synchronous]),
    createHistogram: (name: string, options: MetricOptions = {}): Histogram => {
      const { unit = '', valueType = ValueType.DOUBLE } = options;
      viewUse.note({ name, unit, scope, kind: 'histogram' });
      const selecting = views.filter((view) => view.matches({ name, unit, scope }));
      const targets = targetsOf(meter, scope, name, options, selecting);
      if (targets.length === 0) return meter.createHistogram(name, options);
      const also = selecting.some(({ tee }) => tee) ? meter.createHistogram(name, options) : undefined;
      const Instrument = countsInContext(name, scope) ? ClientRequests : HdrInstrument;
      return new Instrument({ name, valueType, targets, also, exemplarFilter });
    },
  });
}

/** Finds the targets of an instrument. The list is empty when the instrument is left to the SDK. */
type TargetFinder = (
  meter: Meter,
  scope: MetricScope,
  name: string,
  options: MetricOptions,
  selecting: readonly CompiledView[],
) => readonly ViewTarget[];

function targetFinder(factory: InstrumentFactory, sdkMetricsOf: SdkViewReader): TargetFinder {
  const warned = new Set<string>();
  return (meter, scope, name, options, selecting) => {
    if (selecting.length === 0) return [];
    // An application may make the same instrument many times.
    const warn: Warn = (problem) => {
      const message = `${name}: ${problem}`;
      if (!warned.has(message)) diag.warn(message);
      warned.add(message);
    };
    const { unit = '', description = '', valueType = ValueType.DOUBLE, advice = {} } = options;
    const sdkMetrics = sdkMetricsOf(meter, scope, { name, unit, description, valueType, advice });
    if (sdkMetrics === undefined) {
      warn('stays with the SDK, because a view of the SDK selects it that hdrscope cannot read');
      return [];
    }
    if (sdkMetrics.some(({ aggregation }) => aggregation.kind === 'other')) {
      warn('stays with the SDK, because a view of the SDK gives it an aggregation without buckets');
      return [];
    }
    return combineViews(name, selecting, sdkMetrics, warn).flatMap(
      (view) => targetOf(view, name, scope, options, factory) ?? [],
    );
  };
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
  view: CombinedView,
  instrumentName: string,
  scope: MetricScope,
  options: MetricOptions,
  { registry, remember }: InstrumentFactory,
): ViewTarget | undefined {
  const { unit = '', description = '', valueType, advice } = options;
  try {
    const boundaries = ascending(view.boundaries ?? advice?.explicitBucketBoundaries);
    const { maxSize, maxScale, format, hasMinMax } = view;
    const shown = { valueType, advice, maxSize, maxScale, boundaries, format, hasMinMax };
    const settings = metricSettings(unit, shown);
    const given = familyOptions(view, { name: instrumentName, unit, description, scope });
    const areCounts = valueType === ValueType.INT && unit === '';
    const family = registry.histogram({
      ...(areCounts && { resolution: countResolution(registry.family(given)) }),
      ...given,
      ...(boundaries && { boundaries }),
      // The default boundaries too: whatever readers show is exact.
      otherThresholds: settings.boundaries,
    });
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

/** Sorts boundaries, and drops those that are not finite or come twice, as the SDK does. */
function ascending(boundaries: readonly number[] | undefined): readonly number[] | undefined {
  return boundaries && [...new Set(boundaries.filter(Number.isFinite))].sort((a, b) => a - b);
}
