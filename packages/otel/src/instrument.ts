import type { Family, Series } from '@hdrscope/registry';
import { type Attributes, type Context, context, diag, type Histogram, ValueType } from '@opentelemetry/api';
import type { BindableHistogram, BoundHistogram } from './bind.ts';
import { type ExemplarFilter, exemplarContext } from './exemplar-filter.ts';
import type { AttributesProcessor } from './sdk.ts';

const NO_ATTRIBUTES: Attributes = /* @__PURE__ */ Object.freeze({});

/** Where a view sends the values of an instrument. */
export interface ViewTarget {
  readonly family: Family;
  readonly attributesProcessors: readonly AttributesProcessor[];
}

/** The parts of an instrument. */
export interface InstrumentSetup {
  readonly name: string;
  readonly valueType: ValueType;
  readonly targets: readonly ViewTarget[];
  /** The SDK's own instrument, when a view has `tee`. */
  readonly also?: Histogram | undefined;
  readonly exemplarFilter?: ExemplarFilter;
}

/** The instrument that `createHistogram` returns when a view selects it. No method throws. */
export class HdrInstrument implements BindableHistogram {
  readonly #name: string;
  readonly #isInteger: boolean;
  readonly #targets: readonly ViewTarget[];
  readonly #also: Histogram | undefined;
  readonly #exemplars: ExemplarFilter;
  /** The family of an instrument that has nothing to do but count, as most have. */
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

  /** Counts a value in the instrument's unit. */
  record(value: number, attributes?: Attributes, recordContext?: Context): void {
    const family = this.#plainFamily;
    if (family === undefined) this.#recordAnywhere(value, attributes ?? NO_ATTRIBUTES, recordContext);
    else if (attributes === undefined) {
      this.#withoutAttributes ??= family.with(NO_ATTRIBUTES);
      if (!this.#withoutAttributes.record(value)) this.#refuse(value);
    } else if (!family.with(attributes).record(value)) this.#refuse(value);
  }

  /** Looks the series up and runs the processors once, for many records with the same attributes. */
  bind(given: Attributes = NO_ATTRIBUTES): BoundHistogram {
    const plain = this.#plainFamily?.with(given);
    if (plain !== undefined) {
      return {
        record: (value) => {
          if (!plain.record(value)) this.#refuse(value);
        },
      };
    }
    const attributes = { ...given };
    const series = this.#targets.map((target) => target.family.with(this.#kept(target, attributes)));
    return {
      record: (value, recordContext) => {
        this.#also?.record(value, attributes, recordContext);
        const counted = this.#counted(value);
        for (const one of series) this.#recordIn(one, value, counted, attributes, recordContext);
      },
    };
  }

  #recordAnywhere(value: number, attributes: Attributes, recordContext?: Context): void {
    this.#also?.record(value, attributes, recordContext);
    const counted = this.#counted(value);
    for (const target of this.#targets) {
      const series = target.family.with(this.#kept(target, attributes, recordContext));
      this.#recordIn(series, value, counted, attributes, recordContext);
    }
  }

  #recordIn(
    series: Series,
    value: number,
    counted: number,
    attributes: Attributes,
    recordContext: Context | undefined,
  ): void {
    if (!series.record(counted)) this.#refuse(value);
    else if (this.#exemplars !== 'always_off') this.#offer(series, counted, attributes, recordContext);
  }

  #counted(value: number): number {
    return this.#isInteger && typeof value === 'number' && value > 0 ? Math.trunc(value) : value;
  }

  /** When a processor fails, the value counts without attributes: unprocessed ones could leak a secret. */
  #kept({ attributesProcessors }: ViewTarget, given: Attributes, recordContext?: Context): Attributes {
    if (attributesProcessors.length === 0) return given;
    try {
      const active = recordContext ?? context.active();
      return attributesProcessors.reduce((left, processor) => processor.process(left, active), given);
    } catch (error) {
      this.#warn(`counts without attributes, because an attributes processor failed: ${String(error)}`);
      return NO_ATTRIBUTES;
    }
  }

  /** Offers an exemplar. It carries the attributes that the series lacks, because the view dropped them. */
  #offer(series: Series, value: number, attributes: Attributes, recordContext?: Context): void {
    // Attributes in the place of the context are an easy mistake with a bound instrument.
    const isContext = typeof recordContext?.getValue === 'function';
    const found = exemplarContext(this.#exemplars, isContext ? recordContext : context.active());
    if (found === undefined) return;
    const left = Object.entries(attributes).filter(([key]) => !Object.hasOwn(series.attributes, key));
    const filtered = Object.fromEntries(left) as Series['attributes'];
    series.offerExemplar({ value, timeMs: Date.now(), attributes: { ...filtered, ...found } });
  }

  #refuse(value: unknown): void {
    // `String` throws for an object without a prototype.
    const given = typeof value === 'object' && value !== null ? 'an object' : String(value);
    this.#warn(
      `cannot count ${given}: a value must be a number of at least 0, within the range of its resolution`,
    );
  }

  /** Warns of the first problem; later ones go to the debug level. The snapshot has the number of rejected values. */
  #warn(problem: string): void {
    const message = `${this.#name} ${problem}`;
    if (this.#hasWarned) diag.debug(message);
    else diag.warn(message);
    this.#hasWarned = true;
  }
}
