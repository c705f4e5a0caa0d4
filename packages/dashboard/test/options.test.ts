import { createRegistry } from '@hdrscope/registry';
import { expectOptionsChecked } from '@hdrscope/testing/refusals';
import { dashboardHandler, serveDashboard } from '../src/index.ts';

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
