import { visible } from '@hdrscope/core/internal';
import { cellsOf, columnsOf, factsText, notesOf } from './cells.ts';
import type { Judged, Row } from './verdicts.ts';

/**
 * Formats JUnit XML, in the form that GitHub's actions, GitLab and Jenkins read: a suite for each subject, and a test for each
 * objective. An objective that is missed or cannot be judged is a failure.
 * Source: https://docs.gitlab.com/ci/testing/unit_test_reports/, https://github.com/jenkinsci/xunit-plugin (`junit-10.xsd`).
 */
export function junitReport(all: readonly Judged[], confidence: number): string {
  const suites = all.map((one) => suiteOf(one, confidence));
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="hdrscope check" ${countsOf(all.flatMap(({ rows }) => rows))}>
${suites.join('')}</testsuites>
`;
}

function suiteOf(one: Judged, confidence: number): string {
  const { subject, rows } = one;
  const columns = columnsOf(confidence);
  const name = escaped(subject.name);
  const cases = cellsOf(one).map((cells, at) => {
    const { objective, verdict, note, isFailure } = rows[at]!;
    const head = `    <testcase name="${escaped(objective)}" classname="${name}" time="0"`;
    if (!isFailure) return `${head}/>\n`;
    const actual = cells[1] === '-' ? '' : `, actual ${cells[1]}${unitText(one, rows[at]!)}`;
    const message = `${objective}: ${verdict}${actual}${note === undefined ? '' : `. ${note}`}`;
    const details = columns.map(({ title }, column) => `${title}: ${cells[column]}`).join('\n');
    return `${head}>
      <failure message="${escaped(message)}" type="${escaped(verdict)}">${escaped(details)}</failure>
    </testcase>
`;
  });
  const facts = [factsText(subject), ...notesOf(one)].join('\n');
  return `  <testsuite name="${name}" ${countsOf(rows)}>
${cases.join('')}    <system-out>${escaped(facts)}</system-out>
  </testsuite>
`;
}

function unitText({ subject: { unit } }: Judged, { kind }: Row): string {
  return kind !== 'percentile' || unit === 'none' ? '' : ` ${unit}`;
}

function countsOf(rows: readonly Row[]): string {
  const failures = rows.filter(({ isFailure }) => isFailure).length;
  return `tests="${rows.length}" failures="${failures}" errors="0" skipped="0" time="0"`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};

/** Text for XML, without the characters that XML forbids. */
function escaped(text: string): string {
  return visible(text, { lines: true }).replace(/[&<>"\n]/g, (character) => ENTITIES[character]!);
}
