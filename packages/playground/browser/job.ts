/** The messages between the page and its worker. */
import type { DistributionJson } from '@hdrscope/inputs/internal';
import type { FileCommand } from 'hdrscope/internal';

/** A command to run on files. */
export interface Job {
  readonly id: number;
  readonly files: ReadonlyMap<string, Blob>;
  readonly command: FileCommand | 'figures';
  /** The words after the command, as people type them. */
  readonly words: readonly string[];
  /** The file that the command writes. @default it writes to standard output */
  readonly output?: string;
  /** Whether the document that it prints becomes a table: one of values, or one of their bounds. @default it does not */
  readonly table?: 'values' | 'bounds' | undefined;
}

/** What a command has printed and written. */
export interface JobResult {
  readonly id: number;
  readonly exitCode: number;
  readonly stdout: string;
  /** The sentences on standard error, without the name of the program. */
  readonly notes: readonly string[];
  readonly written?: Blob | undefined;
  readonly table?: FiguresTable | undefined;
}

/** How many bytes a command has read since it began. */
export interface JobProgress {
  readonly id: number;
  readonly readBytes: number;
}

/** A distribution that a command printed, with its labels, its tag and its times. */
export type LabelledFigures = DistributionJson & {
  readonly labels?: Readonly<Record<string, string>>;
  /** The labels of a group of a history. */
  readonly attributes?: Readonly<Record<string, string>>;
  readonly tag?: string | null;
  readonly intervals?: number;
  readonly startSec?: number;
  readonly endSec?: number;
  readonly ratePerSec?: number | null;
  readonly failed?: number | null;
};

/** A table of distributions, as people read it. */
export interface FiguresTable {
  readonly unit: string;
  /** The titles of the columns that name a distribution, such as its tag. */
  readonly heads: readonly string[];
  readonly columns: readonly string[];
  readonly rows: readonly {
    readonly heads: readonly string[];
    /** The bounds are absent where they are the text. */
    readonly cells: readonly { readonly text: string; readonly bounds?: string }[];
  }[];
}
