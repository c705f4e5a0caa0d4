/** A form of distributions that hdrscope reads or writes, or a form that it recognises and refuses. */
export interface Form {
  /** What `hdrscope inspect` calls it, when its content shows it. */
  readonly name: string;
  /** What it is: the end of a sentence that begins with the name of a file and the verb. */
  readonly what: string;
  /** @default 'is' */
  readonly verb?: 'is' | 'has';
  readonly group: Group;
  /** What makes such a file: a program, and its option. @default any program */
  readonly madeBy?: string;
  /** The commands and sources of the agent that read it. */
  readonly reads: readonly string[];
  /** The commands and sinks of the agent that write it. */
  readonly writes?: readonly string[];
  /** Whether it is no file that commands take for one of several forms: what reads it reads nothing else. */
  readonly isStated?: true;
  /** The option without which its values are not known. @default its content says enough */
  readonly needs?: '--column' | '--field' | '--log-format' | '--from';
  /** How exactly its values are known. */
  readonly exact: string;
  /** Which requests have failed. @default the form does not state it */
  readonly failed?: string;
  /** What people do instead, as the end of a message. */
  readonly cure?: string;
  /** What `--from` and `--to` call it. @default hdrscope convert does not know it */
  readonly convert?: string;
  /** The ending of files that are written in it. @default `--to` has to name it */
  readonly ending?: string;
  /** How wide the slots are that hdrscope convert writes. */
  readonly slots?: string;
  /** Its page in docs/formats. */
  readonly page?: string;
  /** The test that reads or writes it. */
  readonly test: string;
}

type Group =
  | 'HdrHistogram'
  | 'Numbers'
  | 'Load tests'
  | 'Access logs'
  | 'Sketches and scrapes'
  | 'Services, kernels and clusters'
  | 'Recognised and refused';
