import { createRegistry } from '@hdrscope/registry';
import { expectMisspelt } from '@hdrscope/testing/refusals';
import { dashboardHandler, serveDashboard } from '../src/index.ts';

/** Options of any kind, as a program without types passes them. */
const wrong = (options: object): never => options as never;

test.each<[call: string, meant: string, action: () => unknown]>([
  ['serveDashboard', 'token', () => serveDashboard(createRegistry(), wrong({ tokn: 'a' }))],
  ['dashboardHandler', 'path', () => dashboardHandler(createRegistry(), wrong({ pth: '/latency/' }))],
])('%s refuses an option that does not exist, and names %s', async (_call, meant, action) => {
  await expectMisspelt(action, meant);
});
