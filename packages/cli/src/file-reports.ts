import { visible } from '@hdrscope/core/internal';
import { type Io, UsageError } from './command.ts';
import { defineOption } from './define-command.ts';
import { jsonDocument } from './figures.ts';
import { findFormats, listEndings, withOutput } from './output-options.ts';
import { cleanFor } from './screen/clean-output.ts';
import { wrapToScreen } from './screen/help-text.ts';
import type { Colour } from './screen/screen.ts';
import { type Column, formatMarkdown, paintEnds, shownTable } from './screen/table.ts';

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

/** Writes a report to all of its files. */
export async function writeReports(outputs: readonly FileReport[], report: Report, io: Io): Promise<void> {
  for (const { file, format } of outputs) {
    await withOutput(file, io, async (out) => {
      await cleanFor(format, out).stdout.write(formatReport(report, format, out));
      return 0;
    });
  }
}

// Reports.

/** A report as plain data, which every format shows. */
export interface Report {
  /** The name of all tests in JUnit. */
  readonly name: string;
  /** The result, in a sentence. */
  readonly result: string;
  /** What a gate says. @default there is no gate */
  readonly mark?: '✅' | '❌' | '❔' | undefined;
  readonly sections: readonly ReportSection[];
  /** Whether the sections are about subjects of their own, so that the result comes below all of them. @default false */
  readonly hasSubjects?: boolean;
  /** The document for programs. */
  json(): object;
}

/** A part of a report: a table, and what belongs to it. */
export interface ReportSection {
  /** What the table is about. */
  readonly heading: string;
  /** More about that, behind the heading. */
  readonly facts?: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
  /** The colour of the last cell of each row. */
  readonly colours: readonly Colour[];
  /** The sentences below the table. */
  readonly sentences: readonly string[];
  /** A test for each verdict, for JUnit. */
  readonly cases: readonly JunitCase[];
  /** A further table below the sentences. */
  readonly more?: Pick<ReportSection, 'heading' | 'columns' | 'rows'>;
}

/** The formats of a report: a new one is written here alone. The output decides on colours and width. */
const FORMATS: Readonly<Record<ReportFormat, (report: Report, io: Io) => string>> = {
  text: formatText,
  json: (report) => jsonDocument(report.json()),
  junit: formatJunit,
  markdown: formatSections,
};

export function formatReport(report: Report, format: ReportFormat, io: Io): string {
  return FORMATS[format](report, io);
}

function joinBlocks(blocks: readonly (string | readonly string[])[]): string {
  const texts = blocks.map((block) => (typeof block === 'string' ? block : block.join('\n')));
  return `${texts.filter((text) => text !== '').join('\n\n')}\n`;
}

function formatText({ sections, result, hasSubjects = false }: Report, io: Io): string {
  const wrap = (text: string): string => wrapToScreen(text, io);
  const blocks = sections.flatMap(({ heading, facts, columns, rows, colours, sentences, more }) => [
    wrap(facts === undefined ? heading : `${heading} (${facts})`),
    rows.length === 0 ? '' : shownTable(columns, rows, io, paintEnds(rows, colours, io)),
    (hasSubjects ? sentences : [result, ...sentences]).map(wrap),
    more === undefined ? '' : shownTable(more.columns, more.rows, io),
  ]);
  return joinBlocks(hasSubjects ? [...blocks, wrap(result)] : blocks);
}

/** A section of Markdown, for a pull request or the summary of a job. */
function formatSections({ name, sections, result, mark, hasSubjects = false }: Report): string {
  const title = `${hasSubjects ? `${name}: ` : ''}${escapeMarkdown(result)}`;
  const blocks = sections.flatMap(({ heading, facts, columns, rows, sentences, more }) => [
    facts === undefined ? escapeMarkdown(heading) : `**${escapeMarkdown(heading)}** (${facts})`,
    rows.length === 0 ? '' : formatMarkdown(columns, rows),
    sentences.map((sentence) => `- ${escapeMarkdown(sentence)}`),
    ...(more === undefined
      ? []
      : [
          `<details><summary>${more.heading}</summary>`,
          formatMarkdown(more.columns, more.rows),
          '</details>',
        ]),
  ]);
  return joinBlocks([`### ${mark === undefined ? '' : `${mark} `}${title}`, ...blocks]);
}

/** Text of files and tags, which Markdown and HTML must not obey. */
function escapeMarkdown(text: string): string {
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

/**
 * JUnit XML, in the form that GitHub's actions, GitLab and Jenkins read.
 * Source: https://docs.gitlab.com/ci/testing/unit_test_reports/, https://github.com/jenkinsci/xunit-plugin (`junit-10.xsd`).
 */
function formatJunit({ name, sections, result, hasSubjects = false }: Report): string {
  const suites = sections.map(({ heading, facts, cases, sentences }) =>
    formatSuite(heading, hasSubjects ? heading : name, cases, [facts ?? result, ...sentences]),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${escapeXml(name)}" ${countsOf(sections.flatMap(({ cases }) => cases))}>
${suites.join('')}</testsuites>
`;
}

function formatSuite(
  name: string,
  classname: string,
  cases: readonly JunitCase[],
  facts: readonly string[],
): string {
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
