import { extname } from 'node:path';
import { wrongOption } from '../arguments.ts';
import type { Io } from '../command.ts';
import { jsonReport } from './json-report.ts';
import { junitReport } from './junit-report.ts';
import { markdownReport } from './markdown-report.ts';
import { textReport } from './text-report.ts';
import type { Judged } from './verdicts.ts';

/** A format of the report. */
export type CheckFormat = 'text' | 'json' | 'junit' | 'markdown';

export const CHECK_FORMATS: readonly CheckFormat[] = ['text', 'json', 'junit', 'markdown'];

/** Formats a report. The output decides on colours and width. */
export const reports: Readonly<
  Record<CheckFormat, (judged: readonly Judged[], confidence: number, io: Io) => string>
> = {
  text: textReport,
  json: jsonReport,
  junit: junitReport,
  markdown: markdownReport,
};

/** A report and its file. */
export interface FileReport {
  /** `-` is standard output. */
  readonly file: string;
  readonly format: CheckFormat;
}

const ENDINGS: Readonly<Record<string, CheckFormat>> = {
  '.xml': 'junit',
  '.md': 'markdown',
  '.json': 'json',
  '.txt': 'text',
};

/**
 * The report that `--report` asks for.
 *
 * @throws UsageError when the ending of the file states no format.
 */
export function fileReport(file: string): FileReport {
  const format = ENDINGS[extname(file).toLowerCase()];
  if (format !== undefined) return { file, format };
  throw wrongOption('--report', `a file that ends with ${Object.keys(ENDINGS).join(', ')}`, file);
}
