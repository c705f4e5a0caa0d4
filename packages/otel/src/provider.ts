import { HdrscopeError } from '@hdrscope/core';
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
import { HdrInstrument } from './instrument.ts';
import type { MetricScope } from './sdk.ts';
import { type Stream, type StreamSettings, streamSettings } from './stream.ts';
import type { CompiledView } from './view.ts';

/** What instruments are made with. */
export interface InstrumentFactory {
  readonly views: readonly CompiledView[];
  readonly registry: Registry;
  /** Remembers how a family is to be shown. */
  remember(family: Stream['family'], settings: StreamSettings): void;
}

/** A provider whose meters make HDR instruments where a view says so. It is `provider` in every other respect. */
export function wrapProvider<Wrapped extends MeterProvider>(
  provider: Wrapped,
  factory: InstrumentFactory,
): Wrapped {
  const meters = new WeakMap<Meter, Meter>();
  return delegate<MeterProvider>(provider, {
    getMeter: (...args: Parameters<MeterProvider['getMeter']>) => {
      const meter = provider.getMeter(...args);
      const [name, version, options] = args;
      const wrapped =
        meters.get(meter) ?? wrapMeter(meter, { name, version, schemaUrl: options?.schemaUrl }, factory);
      meters.set(meter, wrapped);
      return wrapped;
    },
  }) as Wrapped;
}

function wrapMeter(meter: Meter, scope: MetricScope, factory: InstrumentFactory): Meter {
  return delegate(meter, {
    createHistogram: (name: string, options: MetricOptions = {}): Histogram => {
      const { unit = '', valueType = ValueType.DOUBLE } = options;
      const views = factory.views.filter((view) => view.matches({ name, unit, scope }));
      const streams = views.flatMap((view) => streamOf(view, name, scope, options, factory) ?? []);
      return streams.length > 0
        ? new HdrInstrument(name, valueType, streams)
        : meter.createHistogram(name, options);
    },
  });
}

/** Where a view sends an instrument's values; `undefined`, with a warning, where it cannot. */
function streamOf(
  view: CompiledView,
  instrumentName: string,
  scope: MetricScope,
  options: MetricOptions,
  { registry, remember }: InstrumentFactory,
): Stream | undefined {
  const { unit = '', description = '', valueType, advice } = options;
  const { significantDigits, resolution, aggregationCardinalityLimit: cardinalityLimit } = view;
  try {
    const family = registry.histogram({
      name: view.name ?? instrumentName,
      unit,
      description: view.description ?? description,
      scope: {
        name: scope.name,
        ...(scope.version !== undefined && { version: scope.version }),
        ...(scope.schemaUrl !== undefined && { schemaUrl: scope.schemaUrl }),
      },
      ...(significantDigits !== undefined && { significantDigits }),
      ...(resolution !== undefined && { resolution }),
      ...(cardinalityLimit !== undefined && { cardinalityLimit }),
    });
    const boundaries = view.boundaries ?? advice?.explicitBucketBoundaries;
    remember(
      family,
      streamSettings(unit, { valueType, maxSize: view.maxSize, maxScale: view.maxScale, boundaries }),
    );
    return { family, attributesProcessors: view.attributesProcessors ?? [] };
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    diag.warn(`${instrumentName} is not counted as an HDR histogram: ${error.message}`);
    return undefined;
  }
}
