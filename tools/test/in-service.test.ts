import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openLoop } from '../in-service/load.js';

test('an open loop counts from when a request was to be sent, so all that come while a service stands still see it', async () => {
  const STILL_MS = 400;
  const server = createServer((_request, response) => response.end('done'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  // The server and its clients share this thread: both stand still.
  const stop = setTimeout(() => {
    const endMs = performance.now() + STILL_MS;
    while (performance.now() < endMs);
  }, 1300);
  const stretches = await openLoop({ port, rate: 300, seconds: 3, seed: 1 });
  clearTimeout(stop);
  server.closeAllConnections();
  server.close();
  const counts = stretches.map(({ totalCount }) => totalCount);
  // Of 300 that were to be sent in a second, a tenth is many standard deviations.
  for (const count of counts) expect(Math.abs(count - 300)).toBeLessThan(100);
  const longerThan = (ms: number) =>
    stretches.reduce((sum, one) => sum + one.countBetween(1000 * ms, Math.max(one.max, 1000 * ms)), 0);
  // Those of the first three quarters of the time waited for at least its last quarter.
  expect(longerThan(STILL_MS / 4)).toBeGreaterThan(45);
  expect(Math.max(...stretches.map(({ max }) => max))).toBeGreaterThan(1000 * STILL_MS * 0.9);
});
