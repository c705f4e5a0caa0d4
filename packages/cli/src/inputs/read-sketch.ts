import type { NamedSketch } from '@hdrscope/inputs/sketches';
import type { CountedUnit } from '@hdrscope/registry';

/** A distribution of an input. */
export interface ReadSketch extends NamedSketch {
  /** The unit of its values. @default the form does not state it */
  readonly unit?: string | undefined;
}

/** A distribution whose unit is known. */
export interface OpenedSketch extends ReadSketch {
  readonly unit: CountedUnit;
}
