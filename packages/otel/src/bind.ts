import { assertFollows, custom } from '@hdrscope/core/internal';
import type { Attributes, Context, Counter, Gauge, Histogram, UpDownCounter } from '@opentelemetry/api';

// Names and behaviour are those of https://opentelemetry.io/docs/specs/otel/metrics/api/#bind, which is in development.

/** A histogram that is bound to a set of attributes. */
export interface BoundHistogram {
  /**
   * Counts a value, given in the instrument's unit. Never throws.
   *
   * @param context Where exemplars find their span. @default the active context
   */
  record(value: number, context?: Context): void;
}

/** A gauge that is bound to a set of attributes. */
export type BoundGauge = BoundHistogram;

/** A counter that is bound to a set of attributes. */
export interface BoundCounter {
  /** Adds a value, in the unit of the instrument. A `Counter` ignores values below 0, as OpenTelemetry's do. */
  add(value: number, context?: Context): void;
}

/** An up-down counter that is bound to a set of attributes. */
export type BoundUpDownCounter = BoundCounter;

/** An instrument with the method `bind`, as each HDR instrument is. */
export interface BindableHistogram extends Histogram {
  /** Returns this instrument, bound to a copy of the attributes. @default no attributes */
  bind(attributes?: Attributes): BoundHistogram;
}

/**
 * Binds an instrument to a set of attributes, for hot paths. Each call is `instrument.bind(attributes)` where the instrument
 * has that method. An HDR instrument runs the processors of its views and looks its series up once, here, so a limit of series
 * decides here too. Other instruments, those of the SDK among them, receive a copy of the attributes with each record.
 *
 * There is nothing to unbind: a bound instrument that nobody holds is garbage, and its series stays.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the argument is of another type.
 * @example
 * ```ts
 * import { bind, createHdr } from '@hdrscope/otel';
 * import { MeterProvider } from '@opentelemetry/sdk-metrics';
 *
 * const hdr = createHdr({ views: [{ instrumentName: '*' }] });
 * const meter = hdr.wrapProvider(new MeterProvider()).getMeter('shop');
 * const reads = bind(meter.createHistogram('db.client.operation.duration', { unit: 's' }), { 'db.operation.name': 'read' });
 * reads.record(0.002);
 *
 * const [family] = (await hdr.registry.gather()).families;
 * family!.series[0]!.histogram.totalCount; //=> 1
 * ```
 */
export function bind(instrument: Histogram | Gauge, attributes?: Attributes): BoundHistogram;
/**
 * Binds a counter, so that `add` needs no attributes. Works as for a histogram above.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the argument is of another type.
 */
export function bind(instrument: Counter | UpDownCounter, attributes?: Attributes): BoundCounter;
export function bind(
  instrument: Histogram | Gauge | Counter | UpDownCounter,
  attributes: Attributes = {},
): BoundHistogram | BoundCounter {
  assertFollows('the instrument', instrumentRule, instrument);
  if (isBindable(instrument)) return instrument.bind(attributes);
  const kept = { ...attributes };
  return 'add' in instrument
    ? { add: (value, context) => instrument.add(value, kept, context) }
    : { record: (value, context) => instrument.record(value, kept, context) };
}

function isBindable<Instrument extends object>(
  instrument: Instrument,
): instrument is Instrument & { bind(attributes: Attributes): BoundHistogram & BoundCounter } {
  return typeof (instrument as { readonly bind?: unknown }).bind === 'function';
}

const instrumentRule = custom<Histogram | Gauge | Counter | UpDownCounter>('an instrument', (value) => {
  const { add, record } = value as Partial<Counter & Histogram>;
  return typeof (add ?? record) === 'function';
});
