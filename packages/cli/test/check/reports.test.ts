import { spawnSync } from 'node:child_process';
import type { Judged } from '@hdrscope/inputs/internal';
import { lackOfProgram, testUnless } from '@hdrscope/testing';
import { judgeBy } from '../../src/commands/check/index.ts';
import { checkReport } from '../../src/commands/check/reports.ts';
import { formatReport, type ReportFormat } from '../../src/file-reports.ts';
import { parseObjective } from '../../src/objective.ts';
import { timedEvidence } from './support.ts';

/** A subject with a kept, a missed and an unknown objective, whose name is hostile. */
function judged(name = 'get <a&b> | `x` "y"\u0007.hlog'): Judged {
  return judgeBy(
    {
      slo: ['p50=600ms', 'p90=500ms'].map((text) => parseObjective(text)),
      maxErrors: { share: 0.001 },
      confidence: 0.99,
    },
    {
      name,
      unit: 'ms',
      evidence: timedEvidence(1000),
      errors: 'the input does not state errors',
      notes: ['*a note*'],
    },
  );
}

/** A report in a file. */
function formatCheck(judged: Judged, format: ReportFormat): string {
  const output = { isTerminal: false, columns: undefined, write: async () => {} };
  const io = { stdout: output, stderr: output, stdin: (async function* () {})(), environment: {} };
  return formatReport(checkReport([judged], 0.99), format, {
    ...io,
    ...{ signal: new AbortController().signal, monotonicMs: () => 0 },
  });
}

test('JUnit has a suite for each subject, and a failure with a message', () => {
  expect(formatCheck(judged('a.hlog'), 'junit')).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="hdrscope check" tests="3" failures="2" errors="0" skipped="0" time="0">
  <testsuite name="a.hlog" tests="3" failures="2" errors="0" skipped="0" time="0">
    <testcase name="p50 ≤ 600 ms" classname="a.hlog" time="0"/>
    <testcase name="p90 ≤ 500 ms" classname="a.hlog" time="0">
      <failure message="p90 ≤ 500 ms: missed beyond doubt, actual 900.202 ms" type="missed beyond doubt">objective: p90 ≤ 500 ms&#10;actual: 900.202&#10;99 % interval: 873.988 to 926.417&#10;within: 49.9 to 50 %&#10;verdict: missed beyond doubt</failure>
    </testcase>
    <testcase name="errors ≤ 0.1 %" classname="a.hlog" time="0">
      <failure message="errors ≤ 0.1 %: cannot be judged. the input does not state errors" type="cannot be judged">objective: errors ≤ 0.1 %&#10;actual: -&#10;99 % interval: -&#10;within: -&#10;verdict: cannot be judged</failure>
    </testcase>
    <system-out>1,000 values, in ms&#10;errors ≤ 0.1 %: the input does not state errors&#10;*a note*</system-out>
  </testsuite>
</testsuites>
`);
});

const PARSE = `import sys, json, xml.etree.ElementTree as tree
root = tree.fromstring(sys.stdin.buffer.read())
print(json.dumps([[case.get("name"), [f.get("message") for f in case.findall("failure")]] for case in root.iter("testcase")]))
print(root.find("testsuite").get("name"))`;

testUnless(lackOfProgram('python3'))('JUnit is XML, whatever the names are', () => {
  const { stdout, stderr } = spawnSync('python3', ['-c', PARSE], {
    input: formatCheck(judged(), 'junit'),
    encoding: 'utf8',
    env: { ...process.env, PYTHONIOENCODING: 'utf8' },
  });
  expect(stderr).toBe('');
  const [cases = '', name] = stdout.split('\n');
  expect(JSON.parse(cases)).toEqual([
    ['p50 ≤ 600 ms', []],
    ['p90 ≤ 500 ms', ['p90 ≤ 500 ms: missed beyond doubt, actual 900.202 ms']],
    ['errors ≤ 0.1 %', ['errors ≤ 0.1 %: cannot be judged. the input does not state errors']],
  ]);
  expect(name).toBe('get <a&b> | `x` "y"\\x07.hlog');
});

test('Markdown has the result in its heading, and names are text', () => {
  expect(
    formatCheck(judged(), 'markdown'),
  ).toBe(`### ❌ hdrscope check: Of 3 objectives: 1 missed, 1 cannot be judged.

**get \\<a\\&b\\> \\| \\\`x\\\` "y"\\\\x07.hlog** (1,000 values, in ms)

| objective | actual | 99 % interval | within | verdict |
|---|--:|--:|--:|---|
| p50 ≤ 600 ms | 500.171 | 456.917 to 544.211 | 59.9 to 60 % | kept beyond doubt |
| p90 ≤ 500 ms | 900.202 | 873.988 to 926.417 | 49.9 to 50 % | missed beyond doubt |
| errors ≤ 0.1 % | - | - | - | cannot be judged |

- errors ≤ 0.1 %: the input does not state errors
- \\*a note\\*
`);
});
