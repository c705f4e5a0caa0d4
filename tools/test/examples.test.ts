import { join } from 'node:path';
import { describeWithPeers, programOf } from '@hdrscope/testing';
import { listBlocks } from '../lib/example-blocks.js';
import { createChecks } from '../lib/example-checks.js';
import { clearExamples, writeExample } from '../lib/example-files.js';
import { toCheckedModule } from '../lib/example-module.js';
import { workspaceRoot } from '../lib/workspace.js';

const CHECKS = 'hdrscope.example';
const globalKeys = new Set(Reflect.ownKeys(globalThis));
const silentLog = (): void => {};
const PROM_CLIENT = "from 'prom-client'";

type Block = ReturnType<typeof listBlocks>[number];

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

async function runBlock(block: Block): Promise<void> {
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
}

const runnable = blocks.filter(({ noRun }) => noRun === undefined);

describe('every example in the documentation is true', () => {
  for (const block of runnable) test(`${block.file}:${block.line}`, () => runBlock(block));
});

describeWithPeers(['prometheus-client'])('every example with prom-client is true with its successor', () => {
  const successor = join(programOf('prometheus-client'), '@prometheus-io/client/index.js');
  const withClient = runnable.filter(({ code }) => code.includes(PROM_CLIENT));

  test('of which there are some', () => expect(withClient.length).toBeGreaterThan(4));

  for (const block of withClient) {
    const code = block.code.replace(PROM_CLIENT, `from '${successor}'`);
    // The name of a module has the name of its document, and the one with prom-client is loaded already.
    const file = `successor/${block.file}`;
    test(`${block.file}:${block.line}`, () => runBlock({ ...block, file, code }));
  }
});
