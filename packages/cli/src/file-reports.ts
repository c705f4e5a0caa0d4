import { visible } from '@hdrscope/core/internal';
import { wrongOption } from './arguments.ts';
import { type Io, UsageError } from './command.ts';
import { defineOption } from './define-command.ts';
import { findFormats, listEndings, withOutput } from './output-options.ts';
import { cleanFor } from './screen/clean-output.ts';

/** The formats of a verdict: for people, programs, tests of CI and pull requests. */
export const REPORT_FORMATS = ['text', 'json', 'junit', 'markdown'] as const;
/** A format of a verdict. */
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** A report and its file. */
export interface FileReport {
  /** `-` is standard output. */
  readonly file: string;
  readonly format: ReportFormat;
}

/** `--report`: a further report in a file. */
export const REPORT = defineOption({
  value: '<file>',
  help: 'writes a further report, in the format of its ending (.xml: JUnit, .md: Markdown, .json, .txt); may be repeated',
  parse: fileReport,
  isRepeated: true,
  fallback: 'none',
});

/** @throws UsageError when the ending of the file states no format. */
function fileReport(file: string): FileReport {
  const fitting = findFormats(file);
  const format = REPORT_FORMATS.find((one) => fitting?.includes(one));
  if (format !== undefined) return { file, format };
  throw wrongOption('--report', `a file that ends with ${listEndings(REPORT_FORMATS).join(', ')}`, file);
}

/** @throws UsageError when two reports have the same file. */
export function assertDifferent(outputs: readonly FileReport[]): void {
  const files = outputs.map(({ file }) => file);
  const twice = files.find((file, at) => files.indexOf(file) !== at);
  if (twice === undefined) return;
  throw new UsageError(`two reports cannot go to ${twice === '-' ? 'standard output' : twice}`);
}

/** Writes all reports. @param textOf The text of a format; the output decides on colours and width. */
export async function writeReports(
  outputs: readonly FileReport[],
  textOf: (format: ReportFormat, io: Io) => string,
  io: Io,
): Promise<void> {
  for (const { file, format } of outputs) {
    await withOutput(file, io, async (out) => {
      await cleanFor(format, out).stdout.write(textOf(format, out));
      return 0;
    });
  }
}

/** Text of files and tags, which Markdown and HTML must not obey. */
export function escapeMarkdown(text: string): string {
  return visible(text).replace(/[\\`*_[\]<>#|~&]/g, (character) => `\\${character}`);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};

/** Text for XML, without the characters that XML forbids. */
export function escapeXml(text: string): string {
  return visible(text, { lines: true }).replace(/[&<>"\n]/g, (character) => ENTITIES[character]!);
}
