import type { LogSource } from '../reader/input.ts';

/** The environment of the processor. */
export interface ProcessorIo {
  /** The log that is read when no input path is given. */
  readonly stdin: LogSource;
  /** Takes the results when no output path is given. */
  readonly stdout: TextOutput;
  /** Takes messages for people. */
  readonly stderr: TextOutput;
  /** Opens the input and makes the output files. */
  readonly files: ProcessorFiles;
  /** IANA name of the zone of printed dates, such as `Europe/Berlin`. @default the zone of the process */
  readonly timeZone?: string;
}

/** An output for text. */
export interface TextOutput {
  /** Writes a part of the text. The next part follows when the promise, if it returns one, has resolved. */
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
  /** Its bytes or its text. */
  readonly source: LogSource;
  /** Releases the file, whether or not it was read to its end. */
  close(): void;
}

/** An output file. */
export interface OutputFile extends TextOutput {
  /** Ends the file. Resolves when all of the text is written. After a failed write the file may be missing. */
  close(): Promise<void>;
}
