import type { Attributes } from '@opentelemetry/api';
import type { HistogramFormat } from './metric-settings.ts';
import type { AttributesProcessor } from './sdk.ts';
import type { SdkMetric } from './sdk-views.ts';
import type { CompiledView } from './view.ts';

/** An HDR view, together with what the SDK's views say about the same instrument. */
export interface CombinedView extends CompiledView {
  /** The kind of histogram, where a view of the SDK states it. */
  readonly format?: HistogramFormat | undefined;
  readonly hasMinMax: boolean;
}

/** A sentence about an instrument that several views select. */
export type Warn = (problem: string) => void;

/**
 * The metrics of an instrument: one for each HDR view and each metric of the SDK. Where several have one name, they are one
 * metric, with the filters of all of them, and with the settings of the first one.
 */
export function combineViews(
  instrumentName: string,
  views: readonly CompiledView[],
  sdkMetrics: readonly SdkMetric[],
  warn: Warn,
): readonly CombinedView[] {
  const metrics = new Map<string, CombinedView>();
  for (const sdkMetric of sdkMetrics) {
    if (sdkMetric.aggregation.kind === 'drop') continue;
    for (const view of views) {
      const combined = combine(view, sdkMetric, warn);
      // The registry ignores case too.
      const key = (combined.name ?? instrumentName).toLowerCase();
      const earlier = metrics.get(key);
      metrics.set(key, earlier === undefined ? combined : withFiltersOf(earlier, combined));
    }
  }
  return [...metrics.values()];
}

function combine(view: CompiledView, sdkMetric: SdkMetric, warn: Warn): CombinedView {
  const { aggregation } = sdkMetric;
  const histogram = aggregation.kind === 'histogram' ? aggregation : undefined;
  const stated = {
    name: sdkMetric.name,
    description: sdkMetric.description,
    boundaries: histogram?.boundaries,
    maxSize: histogram?.maxSize,
  };
  const replaced = Object.entries(stated).flatMap(([option, ofSdk]) => {
    const own = view[option as keyof typeof stated];
    return own === undefined || ofSdk === undefined || String(own) === String(ofSdk) ? [] : [option];
  });
  if (replaced.length > 0) warn(`the HDR view replaces ${replaced.join(', ')} of a view of the SDK`);
  return {
    ...view,
    ...defined({
      name: view.name ?? stated.name,
      description: view.description ?? stated.description,
      boundaries: view.boundaries ?? stated.boundaries,
      maxSize: view.maxSize ?? stated.maxSize,
      aggregationCardinalityLimit: smallerLimit(view, sdkMetric, warn),
    }),
    attributesProcessors: bothFilters(view, sdkMetric, warn),
    format: histogram?.format,
    hasMinMax: histogram?.hasMinMax ?? true,
  };
}

function defined<Options extends object>(
  options: Options,
): { [Option in keyof Options]?: NonNullable<Options[Option]> } {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as typeof options;
}

function smallerLimit(
  { aggregationCardinalityLimit: own }: CompiledView,
  { aggregationCardinalityLimit: ofSdk }: SdkMetric,
  warn: Warn,
): number | undefined {
  if (own === undefined || ofSdk === undefined || own === ofSdk) return own ?? ofSdk;
  warn(`an HDR view allows ${own} series and a view of the SDK ${ofSdk}: the smaller number applies`);
  return Math.min(own, ofSdk);
}

/** The processors of the SDK's view, then those of the HDR view, which cannot bring back what the former removes. */
function bothFilters(
  { attributesProcessors: own }: CompiledView,
  { attributesProcessors: ofSdk }: SdkMetric,
  warn: Warn,
): readonly AttributesProcessor[] {
  if (own.length === 0 || ofSdk.length === 0) return [...ofSdk, ...own];
  warn('an HDR view and a view of the SDK both filter attributes: what either of them removes is removed');
  const guard: AttributesProcessor = {
    process: (attributes, context) => {
      const left = ofSdk.reduce((kept, one) => one.process(kept, context), { ...attributes });
      return onlyKeysOf(left, attributes);
    },
  };
  return [...ofSdk, ...own, guard];
}

function onlyKeysOf(left: Attributes, attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([key]) => Object.hasOwn(left, key)));
}

function withFiltersOf(metric: CombinedView, other: CombinedView): CombinedView {
  const { attributesProcessors: first } = metric;
  const more = other.attributesProcessors.filter((processor) => !first.includes(processor));
  return { ...metric, attributesProcessors: [...first, ...more] };
}
