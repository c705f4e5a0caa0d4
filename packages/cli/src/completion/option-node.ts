/** An option that a shell completes. */
export interface OptionNode {
  /** `--unit`, also `-u` if the option has a short form; or `-csv`, as in Java's tools. */
  readonly flags: readonly string[];
  /** What its value may be; `undefined` for an option without a value. */
  readonly value: ValueNode | undefined;
  readonly description: string;
}

/** What a word may be: one of a list, a file, or anything. */
export type ValueNode = readonly string[] | 'file' | 'anything';
