import { type Attributes, type Context, context, diag, type Histogram, ValueType } from '@opentelemetry/api';
import type { Stream } from './stream.ts';

const NO_ATTRIBUTES: Attributes = Object.freeze({});

/** What `createHistogram` returns for an instrument that a view selects. Never throws. */
export class HdrInstrument implements Histogram {
  readonly #name: string;
  readonly #isInteger: boolean;
  readonly #streams: readonly Stream[];
  #hasWarned = false;

  constructor(name: string, valueType: ValueType, streams: readonly Stream[]) {
    this.#name = name;
    this.#isInteger = valueType === ValueType.INT;
    this.#streams = streams;
  }

  /** Counts a value, given in the instrument's unit. */
  record(value: number, attributes?: Attributes, recordContext?: Context): void {
    if (this.#isInteger && typeof value === 'number' && value > 0) value = Math.trunc(value);
    attributes ??= NO_ATTRIBUTES;
    for (const { family, attributesProcessors } of this.#streams) {
      const kept =
        attributesProcessors.length === 0
          ? attributes
          : attributesProcessors.reduce(
              (left, processor) => processor.process(left, recordContext ?? context.active()),
              attributes,
            );
      if (!family.with(kept).record(value)) this.#warn(value);
    }
  }

  /** The first refusal is news, all after it are details: the snapshot has their number. */
  #warn(value: unknown): void {
    // `String` throws at an object without a prototype.
    const given = typeof value === 'object' && value !== null ? 'an object' : String(value);
    const message = `${this.#name} cannot count ${given}: it takes numbers from 0 up, within its resolution`;
    if (this.#hasWarned) diag.debug(message);
    else diag.warn(message);
    this.#hasWarned = true;
  }
}
