import type { Family, Series } from '@hdrscope/registry';
import { type Attributes, type Context, context, diag, type Histogram, ValueType } from '@opentelemetry/api';
import type { BoundHistogram } from './bind.ts';
import { type ExemplarFilter, exemplarContext } from './exemplar-filter.ts';
import type { AttributesProcessor } from './sdk.ts';

const NO_ATTRIBUTES: Attributes = Object.freeze({});

/** Where a view sends the values of an instrument. */
export interface ViewTarget {
  readonly family: Family;
  readonly attributesProcessors: readonly AttributesProcessor[];
}

/** What an instrument is made of. */
export interface InstrumentSetup {
  readonly name: string;
  readonly valueType: ValueType;
  readonly targets: readonly ViewTarget[];
  readonly also?: Histogram | undefined;
  readonly exemplarFilter?: ExemplarFilter;
}

/** What `createHistogram` returns for an instrument that a view selects. Never throws. */
export class HdrInstrument implements Histogram {
  readonly #name: string;
  readonly #isInteger: boolean;
  readonly #targets: readonly ViewTarget[];
  /** The SDK's own instrument, where a view wants it to count too. */
  readonly #also: Histogram | undefined;
  readonly #exemplars: ExemplarFilter;
  /** Where there is nothing to do but to count: most instruments. */
  readonly #plainFamily: Family | undefined;
  #withoutAttributes: Series | undefined;
  #hasWarned = false;

  constructor({ name, valueType, targets, also, exemplarFilter = 'always_off' }: InstrumentSetup) {
    this.#name = name;
    this.#isInteger = valueType === ValueType.INT;
    this.#targets = targets;
    this.#also = also;
    this.#exemplars = exemplarFilter;
    const [target] = targets;
    const isPlain =
      targets.length === 1 && also === undefined && !this.#isInteger && exemplarFilter === 'always_off';
    this.#plainFamily = isPlain && target?.attributesProcessors.length === 0 ? target.family : undefined;
  }

  /** Counts a value, given in the instrument's unit. */
  record(value: number, attributes?: Attributes, recordContext?: Context): void {
    const family = this.#plainFamily;
    if (family === undefined) this.#recordAnywhere(value, attributes ?? NO_ATTRIBUTES, recordContext);
    else if (attributes === undefined) {
      this.#withoutAttributes ??= family.with(NO_ATTRIBUTES);
      if (!this.#withoutAttributes.record(value)) this.#refuse(value);
    } else if (!family.with(attributes).record(value)) this.#refuse(value);
  }

  /** The way to record with the same attributes again and again: looks nothing up, and runs no processor. */
  bind(attributes: Attributes): BoundHistogram {
    const plain = this.#plainFamily?.with(attributes);
    const series = this.#targets.map((target) => target.family.with(this.#kept(target, attributes)));
    return {
      record: plain
        ? (value) => {
            if (!plain.record(value)) this.#refuse(value);
          }
        : (value) => {
            this.#also?.record(value, attributes);
            const counted = this.#counted(value);
            for (const one of series) {
              if (!one.record(counted)) this.#refuse(value);
              else if (this.#exemplars !== 'always_off') this.#offer(one, counted, attributes);
            }
          },
    };
  }

  #recordAnywhere(value: number, attributes: Attributes, recordContext?: Context): void {
    this.#also?.record(value, attributes, recordContext);
    const counted = this.#counted(value);
    for (const target of this.#targets) {
      const series = target.family.with(this.#kept(target, attributes, recordContext));
      if (!series.record(counted)) this.#refuse(value);
      else if (this.#exemplars !== 'always_off') this.#offer(series, counted, attributes, recordContext);
    }
  }

  #counted(value: number): number {
    return this.#isInteger && typeof value === 'number' && value > 0 ? Math.trunc(value) : value;
  }

  /** A processor that fails costs the attributes, not the count; to show them unprocessed could be a leak. */
  #kept({ attributesProcessors }: ViewTarget, given: Attributes, recordContext?: Context): Attributes {
    if (attributesProcessors.length === 0) return given;
    try {
      const active = recordContext ?? context.active();
      return attributesProcessors.reduce((left, processor) => processor.process(left, active), given);
    } catch (error) {
      this.#warn(`counts without attributes, as a processor of them failed: ${String(error)}`);
      return NO_ATTRIBUTES;
    }
  }

  /** Of the attributes those that the series does not have: they are what a view has left out. */
  #offer(series: Series, value: number, attributes: Attributes, recordContext?: Context): void {
    const found = exemplarContext(this.#exemplars, recordContext ?? context.active());
    if (found === undefined) return;
    const left = Object.entries(attributes).filter(([key]) => !Object.hasOwn(series.attributes, key));
    const filtered = Object.fromEntries(left) as Series['attributes'];
    series.offerExemplar({ value, timeMs: Date.now(), attributes: { ...filtered, ...found } });
  }

  #refuse(value: unknown): void {
    // `String` throws at an object without a prototype.
    const given = typeof value === 'object' && value !== null ? 'an object' : String(value);
    this.#warn(`cannot count ${given}: it takes numbers from 0 up, within its resolution`);
  }

  /** The first trouble is news, all after it are details: the snapshot has the number of what was refused. */
  #warn(trouble: string): void {
    const message = `${this.#name} ${trouble}`;
    if (this.#hasWarned) diag.debug(message);
    else diag.warn(message);
    this.#hasWarned = true;
  }
}
