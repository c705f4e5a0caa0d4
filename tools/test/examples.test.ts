import { listBlocks } from '../lib/example-blocks.js';
import { createChecks } from '../lib/example-checks.js';
import { clearExamples, writeExample } from '../lib/example-files.js';
import { toCheckedModule } from '../lib/example-module.js';
import { workspaceRoot } from '../lib/workspace.js';

const CHECKS = 'hdrscope.example';
const globalKeys = new Set(Reflect.ownKeys(globalThis));
const silentLog = (): void => {};

clearExamples(workspaceRoot, 'run');
const blocks = listBlocks(workspaceRoot);
for (const { file, line, noRun } of blocks.filter((block) => block.noRun !== undefined)) {
  console.log(`only compiled: ${file}:${line}: ${noRun}`);
}

// Every example leaves no global behind, where OpenTelemetry keeps its providers. Modules are shared: loading them anew for each of three
// hundred examples takes most of a minute.
afterEach(() => {
  for (const key of Reflect.ownKeys(globalThis)) {
    if (!globalKeys.has(key)) Reflect.deleteProperty(globalThis, key);
  }
});

describe('every example in the documentation is true', () => {
  for (const block of blocks.filter(({ noRun }) => noRun === undefined)) {
    test(`${block.file}:${block.line}`, async () => {
      const { source, lines } = toCheckedModule(block, CHECKS);
      const checks = createChecks(block.file, lines, (actual, expected) => expect(actual).toEqual(expected));
      Reflect.set(globalThis, Symbol.for(CHECKS), checks);
      const log = console.log;
      console.log = silentLog;
      try {
        await import(writeExample(workspaceRoot, 'run', block, source));
      } finally {
        console.log = log;
      }
      checks.assertAllReached();
    });
  }
});
