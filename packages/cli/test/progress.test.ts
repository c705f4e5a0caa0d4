import { formatProgress } from '../src/screen/progress.ts';
import { hdrscope } from './support/fake-io.ts';
import { evenly, logText } from './support/logs.ts';

test.each([
  [12_300_000, 40_000_000, 2, '12.3 of 40.0 MB (30 %), 6.2 MB/s, 5 s left'],
  [40_000_000, 40_000_000, 4, '40.0 of 40.0 MB (100 %), 10.0 MB/s, 0 s left'],
  [12_300_000, undefined, 2, '12.3 MB, 6.2 MB/s'],
  [50_000_000, 40_000_000, 5, '50.0 MB, 10.0 MB/s'], // the file has grown meanwhile
])('formats %d of %s bytes in %d s', (bytes, total, seconds, text) => {
  expect(formatProgress(bytes, total, seconds)).toBe(text);
});

const stdin = logText([{ at: 0, ms: evenly(10) }]);

test('appears on a terminal after a while, and disappears at the end', async () => {
  let now = 0;
  const monotonicMs = (): number => (now += 1000);
  const { stderr } = await hdrscope(['log', 'summary', '-'], { stdin, isTerminal: true, monotonicMs });
  expect(stderr).toBe('\r\u001b[K0.0 MB, 0.0 MB/s\r\u001b[K');
});

test('does not appear for short work, nor without a terminal', async () => {
  expect((await hdrscope(['log', 'summary', '-'], { stdin, isTerminal: true })).stderr).toBe('');
  let now = 0;
  const monotonicMs = (): number => (now += 1000);
  expect((await hdrscope(['log', 'summary', '-'], { stdin, monotonicMs })).stderr).toBe('');
});
