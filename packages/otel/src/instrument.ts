import { type Attributes, type Context, context, diag, type Histogram, ValueType } from '@opentelemetry/api';
import type { Stream } from './stream.ts';

const NO_ATTRIBUTES: Attributes = Object.freeze({});

/** What `createHistogram` returns for an instrument that a view selects. Never throws. */
export class HdrInstrument implements Histogram {
  readonly #name: string;
  readonly #isInteger: boolean;
  readonly #streams: readonly Stream[];

  constructor(name: string, valueType: ValueType, streams: readonly Stream[]) {
    this.#name = name;
    this.#isInteger = valueType === ValueType.INT;
    this.#streams = streams;
  }

  /** Counts a value, given in the instrument's unit. */
  record(value: number, attributes: Attributes = NO_ATTRIBUTES, recordContext?: Context): void {
    if (this.#isInteger && !Number.isInteger(value)) value = this.#truncated(value);
    for (const { family, attributesProcessors } of this.#streams) {
      const kept =
        attributesProcessors.length === 0
          ? attributes
          : attributesProcessors.reduce(
              (left, processor) => processor.process(left, recordContext ?? context.active()),
              attributes,
            );
      family.with(kept).record(value);
    }
  }

  #truncated(value: number): number {
    diag.warn(`${this.#name} takes integers, got ${value}: its fraction is dropped`);
    return Math.trunc(value);
  }
}
