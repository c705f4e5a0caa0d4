import { fileURLToPath } from 'node:url';
import { expectMisspelt } from '@hdrscope/testing/refusals';
import { parseConfig, readConfigFile, startAgent } from '../src/index.ts';

/** Options of any kind, as a program without types passes them. */
const wrong = (options: object): never => options as never;

const config = parseConfig('sources: []\nsinks: []').config!;
const FILE = fileURLToPath(import.meta.url);

test.each<[call: string, meant: string, action: () => unknown]>([
  ['parseConfig', 'environment', () => parseConfig('', wrong({ enviroment: {} }))],
  ['readConfigFile', 'environment', () => readConfigFile(FILE, wrong({ enviroment: {} }))],
  ['startAgent', 'stdin', () => startAgent(config, wrong({ stdn: [] }))],
  ['startAgent, in retry', 'firstMs', () => startAgent(config, { retry: wrong({ first: 7 }) })],
])('%s refuses an option that does not exist, and names %s', async (_call, meant, action) => {
  await expectMisspelt(action, meant);
});

test.each<[options: object, message: string]>([
  [{ stdin: 'seq' }, 'stdin must be an async iterable of bytes, got "seq"'],
  [{ log: true }, 'log must be a function, got true'],
  [
    { retry: { firstMs: 0 } },
    'retry.firstMs must be a number of milliseconds above 0 and at most 2^31 - 1, got 0',
  ],
])('startAgent refuses %j', async (options, message) => {
  await expect(startAgent(config, wrong(options))).rejects.toMatchObject({
    code: 'ERR_INVALID_OPTION',
    message,
  });
});
