/** The messages between the page and its worker. */
import type { DistributionJson } from '@hdrscope/inputs/internal';
import type { LogPart, PartQuestion } from '@hdrscope/interval-log/internal';
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

/** The script of a worker, where it has no address of its own. */
export interface WorkerScript {
  readonly script: Blob;
}

/** A part of a log, which a worker hands to another one. */
export interface PartJob {
  readonly part: number;
  readonly blob: Blob;
  readonly question: PartQuestion;
}

/** The summary of a part; `undefined` when the part has to be read after those above it. */
export interface PartResult {
  readonly part: number;
  readonly summary: LogPart | undefined;
}

/** How many bytes of a part were read since the message before. */
export interface PartProgress {
  readonly part: number;
  readonly newBytes: number;
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
