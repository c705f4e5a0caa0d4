import { gzipSync } from 'node:zlib';
import { convertToV2, mergeLogs, readEntries, readIntervals, sumLogs } from '../../src/index.ts';

const BLANK = Buffer.alloc(2 ** 23, '\n');
const ZIPPED = gzipSync(BLANK);

async function drained(steps: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of steps);
}

describe.each([
  ['plain', BLANK],
  ['compressed', ZIPPED],
])('8 million blank lines, %s', (_, log) => {
  describe.each<[name: string, read: (onBytes: (bytes: number) => void) => Promise<unknown>]>([
    ['readEntries', (onBytes) => drained(readEntries(log, { onBytes }))],
    ['readIntervals', (onBytes) => drained(readIntervals(log, { onBytes }))],
    ['sumLogs', (onBytes) => sumLogs([log], { onBytes })],
    ['mergeLogs', (onBytes) => drained(mergeLogs([log, log], { onBytes }))],
    ['convertToV2', (onBytes) => drained(convertToV2(log, { onBytes }))],
  ])('%s', (_name, read) => {
    test('lets other work run, which can end it', async () => {
      let timers = 0;
      const timer = setInterval(() => timers++, 1);
      const end = new Error('the command has to end');
      const reading = read(() => {
        if (timers >= 5) throw end;
      });
      await expect(reading).rejects.toBe(end);
      clearInterval(timer);
    });
  });
});
