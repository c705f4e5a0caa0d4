import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lackOfProgram, testUnless } from '@hdrscope/testing';
import { findFault, readVectors, runProgram } from '../conformance/run.js';
import { SOURCE_ARGUMENTS } from '../lib/import-source.js';
import { workspaceRoot } from '../lib/workspace.js';

const folder = mkdtempSync(join(tmpdir(), 'hdrscope-conformance-'));
afterAll(() => rmSync(folder, { recursive: true }));

const inTools = (...path: string[]): string => join(workspaceRoot, 'tools', ...path);

/** The forms that a program supports; each of their vectors is answered right. */
function supportedForms(command: readonly string[]): string[] {
  const results = runProgram(command);
  expect(results.filter(({ fault }) => fault !== undefined)).toEqual([]);
  return [
    ...new Set(
      results.filter(({ isUnsupported }) => isUnsupported !== true).map(({ vector }) => vector.form),
    ),
  ].sort();
}

const ALL = [
  ...['base64', 'circllhist', 'ddsketch', 'ddsketch-binary', 'elasticsearch'],
  ...['otlp', 'otlp-protobuf', 'prometheus', 'prometheus-protobuf', 'vmrange'],
];
const NOT_OF_GO = ['base64', 'otlp-protobuf', 'prometheus'];

test('hdrscope reads all vectors as the libraries that made them', () => {
  expect(supportedForms([process.execPath, ...SOURCE_ARGUMENTS, inTools('conformance/hdrscope.js')])).toEqual(
    ALL,
  );
});

testUnless(lackOfProgram('python3'))('a reader in Python, which shares no code, agrees', () => {
  const forms = ALL.filter((form) => form !== 'ddsketch-binary');
  expect(supportedForms(['python3', inTools('conformance/python/reader.py')])).toEqual(forms);
});

testUnless(lackOfProgram('go'))(
  'a reader in Go, which shares no code, agrees',
  () => {
    const reader = join(folder, 'reader');
    const { status, stderr } = spawnSync('go', ['build', '-o', reader, '.'], {
      cwd: inTools('conformance/go'),
      env: { ...process.env, GOTOOLCHAIN: 'local', GOWORK: 'off' },
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(supportedForms([reader])).toEqual(ALL.filter((form) => !NOT_OF_GO.includes(form)));
  },
  120_000,
);

describe('an answer', () => {
  const vector = readVectors().find(({ form, slots }) => form === 'ddsketch' && slots.length > 2)!;
  const [[lower, upper, count], ...others] = vector.slots as [
    [number, number, number],
    ...[number, number, number][],
  ];

  test.each<[string, Parameters<typeof findFault>[1], string]>([
    [
      'with another count',
      { id: 0, slots: [[lower, upper, count + 1], ...others] },
      `slot 0 has the count ${count + 1}`,
    ],
    [
      'with another bound',
      { id: 0, slots: [[lower * 1.0001, upper, count], ...others] },
      'slot 0 has the bound',
    ],
    ['with a slot less', { id: 0, slots: others }, 'slots, and there are'],
    ['that is an error', { id: 0, error: 'no' }, 'refused: no'],
    ['that did not come', undefined, 'no answer'],
  ])('%s is wrong', (_, answer, fault) => {
    expect(findFault(vector, answer)).toContain(fault);
  });
});
