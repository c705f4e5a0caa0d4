/** The allowed values of a word: a list, any file, or anything. */
export type ValueNode = readonly string[] | 'file' | 'anything';

/** An option that a shell completes. */
export interface OptionNode {
  /** `--unit`, also `-u` if the option has a short form; or `-csv`, as in Java's tools. */
  readonly flags: readonly string[];
  /** The allowed values; `undefined` for an option without a value. */
  readonly value: ValueNode | undefined;
  readonly description: string;
}

/** A command, or a group of them. */
export interface CommandNode {
  /** The command as people type it: `hdrscope log summary`. */
  readonly path: string;
  readonly options: readonly OptionNode[];
  /** The commands below this one; empty unless it is a group. */
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  /** The words that are not options. */
  readonly operand: ValueNode;
}
