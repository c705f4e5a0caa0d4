import type { CountedUnit } from '@hdrscope/registry';
import type { ErrorCount } from '../inputs/load-tools/load-summary.ts';
import type { Evidence } from './evidence.ts';

/** Something that is judged: an input, a tag of a log, or all of them together. */
export interface Subject {
  /** Its name in tables and reports. */
  readonly name: string;
  /** The tag of a log; `undefined` for intervals without one, and for other inputs. */
  readonly tag?: string | undefined;
  /** The unit of the evidence: `ms` for times. */
  readonly unit: CountedUnit;
  /** A sentence with the cause and the cure when the input has no evidence that can be judged. */
  readonly evidence: Evidence | string;
  /** The requests that failed; a sentence with the cause and the cure when the input does not state them. */
  readonly errors: ErrorCount | string;
  /** Facts about the values that a reader of the verdict should know. */
  readonly notes: readonly string[];
}
