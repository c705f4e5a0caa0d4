import { spawnSync } from 'node:child_process';
import { type Lack, lack, lackOfProgram } from './needs.ts';

// Reads documents of JSON, and prints those that expat refuses.
const JUDGE = `
import json, sys, xml.parsers.expat as expat
for document in json.load(sys.stdin):
    try:
        expat.ParserCreate().Parse(document.encode('utf-8'), True)
    except Exception as error:
        print(repr(error), repr(document))
`;

/** There is no expat, a parser of XML that Python has. `undefined` where there is. */
export function lackOfExpat(): Lack | undefined {
  const missing = lackOfProgram('python3');
  if (missing !== undefined) return missing;
  const { status } = runPython('import xml.parsers.expat', '');
  return lack('python3', status === 0 ? undefined : 'this python3 has no expat');
}

/** What expat says of the documents that are not XML; empty where all are. */
export function refusalsOfExpat(documents: readonly string[]): string {
  const { stdout, stderr, error } = runPython(JUDGE, JSON.stringify(documents));
  if (error !== undefined) throw error;
  return stdout + stderr;
}

function runPython(program: string, input: string) {
  return spawnSync('python3', ['-c', program], {
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    timeout: 60_000,
  });
}
