import type { LogSource } from '../reader/input.ts';

/** What the processor needs of the world. */
export interface ProcessorIo {
  readonly stdin: LogSource;
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly files: ProcessorFiles;
  /** The IANA name of the zone in which dates are told, such as `Europe/Berlin`. @default that of the process */
  readonly timeZone?: string;
}

/** Where text goes. */
export interface TextOutput {
  write(text: string): void | Promise<void>;
}

/** Where logs and output files are. */
export interface ProcessorFiles {
  /** Rejects where there is no such file. */
  openLog(path: string): Promise<OpenedLog>;
  /** Makes a file, or empties it; rejects where that cannot be, and where the file is a log that is being read. */
  create(path: string): Promise<OutputFile>;
}

/** A file that is being read. */
export interface OpenedLog {
  readonly source: LogSource;
  close(): void;
}

/** A file that is being written. */
export interface OutputFile extends TextOutput {
  close(): Promise<void>;
}
