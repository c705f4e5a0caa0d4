import { gzipSync } from 'node:zlib';
import { summarizeLogs } from '@hdrscope/interval-log';

test('a log of malformed lines ends with an error after a million, though gzip makes it small', async () => {
  const log = gzipSync('x\n'.repeat(7_000_000));
  const { user, system } = process.cpuUsage();
  await expect(summarizeLogs([log], { onMalformed: () => {} })).rejects.toMatchObject({
    code: 'ERR_TOO_LARGE',
    message:
      'a log must have at most 1000000 malformed lines, and line 1000001 is another one: choose an interval log, or set maxMalformed',
    details: { what: 'malformed lines', limit: 'maxMalformed', most: 1_000_000 },
  });
  const spent = process.cpuUsage({ user, system });
  expect((spent.user + spent.system) / 1e6).toBeLessThan(40);
});
