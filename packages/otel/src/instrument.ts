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
          : this.#processed(attributes, attributesProcessors, recordContext ?? context.active());
      if (!family.with(kept).record(value)) {
        // `String` throws at an object without a prototype.
        const given = typeof value === 'object' && value !== null ? 'an object' : String(value);
        this.#warn(`cannot count ${given}: it takes numbers from 0 up, within its resolution`);
      }
    }
  }

  /** A processor that fails costs the attributes, not the count; to show them unprocessed could be a leak. */
  #processed(given: Attributes, processors: Stream['attributesProcessors'], active: Context): Attributes {
    try {
      return processors.reduce((left, processor) => processor.process(left, active), given);
    } catch (error) {
      this.#warn(`counts without attributes, as a processor of them failed: ${String(error)}`);
      return NO_ATTRIBUTES;
    }
  }

  /** The first trouble is news, all after it are details: the snapshot has the number of what was refused. */
  #warn(trouble: string): void {
    const message = `${this.#name} ${trouble}`;
    if (this.#hasWarned) diag.debug(message);
    else diag.warn(message);
    this.#hasWarned = true;
  }
}
