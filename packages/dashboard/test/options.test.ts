import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRegistry } from '@hdrscope/registry';
import { expectOptionsChecked } from '@hdrscope/testing/refusals';
import { dashboardHandler, serveDashboard } from '../src/index.ts';

// A folder of the history that is checked, such as `x`, is made where the process is.
const [folder, before] = [mkdtempSync(join(tmpdir(), 'hdrscope-options-')), process.cwd()];
beforeAll(() => process.chdir(folder));
afterAll(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true, force: true });
});

test.each<[call: string, call: (options: never) => unknown, required?: object]>([
  ['serveDashboard', (options) => serveDashboard(createRegistry(), options), { port: 0 }],
  ['dashboardHandler', (options) => dashboardHandler(createRegistry(), options)],
])('%s refuses options of wrong kinds', async (_name, ...checked) => {
  await expectOptionsChecked(...checked);
});

test.each([undefined, null, {}, 'x'])('a page cannot show %j', async (shown) => {
  const refused = { code: 'ERR_INVALID_OPTION' };
  expect(() => dashboardHandler(shown as never)).toThrow(expect.objectContaining(refused));
  await expect(serveDashboard(shown as never, { port: 0 })).rejects.toMatchObject(refused);
});
