import { visible } from '@hdrscope/core/internal';
import { type Io, UsageError } from './command.ts';
import { defineOption } from './define-command.ts';
import { findFormats, listEndings, withOutput } from './output-options.ts';
import { cleanFor } from './screen/clean-output.ts';
import type { Column } from './screen/table.ts';

/** The formats of a verdict: for people, programs, tests of CI and pull requests. */
export const REPORT_FORMATS = ['text', 'json', 'junit', 'markdown'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

export interface FileReport {
  /** `-` is standard output. */
  readonly file: string;
  readonly format: ReportFormat;
}

/** `--report`: a further report in a file. */
export const REPORT = defineOption({
  value: '<file>',
  help: 'writes a further report, in the format of its ending (.xml: JUnit, .md: Markdown, .json, .txt); may be repeated',
  allowed: `a file that ends with ${listEndings(REPORT_FORMATS).join(', ')}`,
  parse: readFileReport,
  isRepeated: true,
  fallback: 'none',
});

/** `undefined` when the ending of the file states no format. */
function readFileReport(file: string): FileReport | undefined {
  const fitting = findFormats(file);
  const format = REPORT_FORMATS.find((one) => fitting?.includes(one));
  return format && { file, format };
}

/** The reports of a command line: that of `-o`, and the further ones. @throws UsageError when two have the same file. */
export function listReports(
  { output = '-', report }: { readonly output?: string; readonly report: readonly FileReport[] },
  format: ReportFormat,
): readonly FileReport[] {
  const outputs = [{ file: output, format }, ...report];
  const files = outputs.map(({ file }) => file);
  const twice = files.find((file, at) => files.indexOf(file) !== at);
  if (twice === undefined) return outputs;
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
function escapeXml(text: string): string {
  return visible(text, { lines: true }).replace(/[&<>"\n]/g, (character) => ENTITIES[character]!);
}

// JUnit.

export interface JunitCase {
  readonly name: string;
  readonly outcome: 'failure' | 'skipped' | 'passed';
  /** Of a failure. */
  readonly type: string;
  /** Of a test that has not passed. */
  readonly message: string;
  /** Of a failure. */
  readonly details: string;
}

export interface JunitSuite {
  readonly name: string;
  /** The class of its tests. @default its name */
  readonly classname?: string;
  readonly cases: readonly JunitCase[];
  readonly facts: readonly string[];
}

/**
 * JUnit XML, in the form that GitHub's actions, GitLab and Jenkins read.
 * Source: https://docs.gitlab.com/ci/testing/unit_test_reports/, https://github.com/jenkinsci/xunit-plugin (`junit-10.xsd`).
 */
export function formatJunit(name: string, suites: readonly JunitSuite[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${escapeXml(name)}" ${countsOf(suites.flatMap(({ cases }) => cases))}>
${suites.map(junitSuite).join('')}</testsuites>
`;
}

function junitSuite({ name, classname = name, cases, facts }: JunitSuite): string {
  const texts = cases.map(({ name, outcome, type, message, details }) => {
    const head = `    <testcase name="${escapeXml(name)}" classname="${escapeXml(classname)}" time="0"`;
    if (outcome === 'passed') return `${head}/>\n`;
    const text = escapeXml(message);
    const element =
      outcome === 'skipped'
        ? `<skipped message="${text}"/>`
        : `<failure message="${text}" type="${escapeXml(type)}">${escapeXml(details)}</failure>`;
    return `${head}>\n      ${element}\n    </testcase>\n`;
  });
  return `  <testsuite name="${escapeXml(name)}" ${countsOf(cases)}>
${texts.join('')}    <system-out>${escapeXml(facts.join('\n'))}</system-out>
  </testsuite>
`;
}

function countsOf(cases: readonly JunitCase[]): string {
  const count = (wanted: string): number => cases.filter(({ outcome }) => outcome === wanted).length;
  return `tests="${cases.length}" failures="${count('failure')}" errors="0" skipped="${count('skipped')}" time="0"`;
}

/** A row of a table as lines: `title: cell`. */
export function rowDetails(columns: readonly Column[], cells: readonly string[]): string {
  return columns.map(({ title }, at) => `${title}: ${cells[at]}`).join('\n');
}
