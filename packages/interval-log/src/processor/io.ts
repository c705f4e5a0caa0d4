import type { LogSource } from '../reader/input.ts';

/** The environment of the processor. */
export interface ProcessorIo {
  readonly stdin: LogSource;
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly files: ProcessorFiles;
  /** IANA name of the zone of printed dates, such as `Europe/Berlin`. @default the zone of the process */
  readonly timeZone?: string;
}

/** An output for text. */
export interface TextOutput {
  write(text: string): void | Promise<void>;
}

/** Opens logs and makes output files. */
export interface ProcessorFiles {
  /** Opens a log. Rejects if it cannot be opened. */
  openLog(path: string): Promise<OpenedLog>;
  /** Makes or empties a file. Rejects if that fails, or if the file is a log that `openLog` has opened. */
  create(path: string): Promise<OutputFile>;
}

/** A log that is being read. */
export interface OpenedLog {
  readonly source: LogSource;
  close(): void;
}

/** An output file. */
export interface OutputFile extends TextOutput {
  close(): Promise<void>;
}
