import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lackOfFile, testUnless } from '@hdrscope/testing';
import { iteratorFile, libbpfToolsLayout, queueDepthLayout } from '../../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'hdrscope-'));
const path = join(folder, 'depths');
afterAll(() => rmSync(folder, { recursive: true }));

function source(text: string, options: object = {}): ReturnType<typeof iteratorFile> {
  writeFileSync(path, text);
  return iteratorFile({ path, layout: queueDepthLayout(), ...options });
}

test('reads indices and counts', async () => {
  const frame = await source('# index count\n0 1200\n1 980\n\n  7\t10\n').read();
  expect(frame).toMatchObject({ cpuCount: 1, counterBits: 64 });
  expect(frame.histograms).toMatchObject([{ name: 'depths', attributes: {}, sums: undefined }]);
  expect([...frame.histograms[0]!.counts]).toEqual([1200, 980, 0, 0, 0, 0, 0, 10]);
});

test('reads counts of each CPU, and sums', async () => {
  const options = { sumIndex: 8, name: 'queue', attributes: { host: 'a' } };
  const { cpuCount, histograms } = await source('0 1 2\n7 3 4\n8 300 400\n', options).read();
  expect([cpuCount, histograms[0]!.name, histograms[0]!.attributes]).toEqual([2, 'queue', { host: 'a' }]);
  expect([...histograms[0]!.counts]).toEqual([1, 0, 0, 0, 0, 0, 0, 3, 2, 0, 0, 0, 0, 0, 0, 4]);
  expect([...histograms[0]!.sums!]).toEqual([300, 400]);
});

test('an empty file has counted nothing', async () => {
  const { histograms } = await source('').read();
  expect([...histograms[0]!.counts]).toEqual(new Array(8).fill(0));
});

test('another file is another generation', async () => {
  const one = source('0 1\n');
  const { generation } = await one.read();
  expect((await one.read()).generation).toBe(generation);
  writeFileSync(`${path}.new`, '0 2\n');
  renameSync(`${path}.new`, path);
  expect((await one.read()).generation).not.toBe(generation);
});

test.each([
  ['8 1\n', 'line 1 must be the index of a slot of queue-depth, got "8"'],
  ['one 1\n', 'line 1 must be the index of a slot of queue-depth, got "one"'],
  ['0 1\n1 1 2\n', 'line 2 must be an index and 1 counts, got "1 1 2"'],
  ['0\n', 'line 1 must be an index and 1 counts, got "0"'],
  ['0 -1\n', 'line 1 must be counts from 0 to 2^53 - 1, got "-1"'],
  ['0 9007199254740992\n', 'line 1 must be counts from 0 to 2^53 - 1'],
])('refuses %j', async (text, message) => {
  await expect(source(text).read()).rejects.toMatchObject({
    code: 'ERR_KERNEL',
    message: expect.stringContaining(message),
  });
});

test('names what cannot be read', async () => {
  const layout = libbpfToolsLayout();
  await expect(iteratorFile({ path: '/nowhere/a', layout }).read()).rejects.toThrow(
    'cannot read /nowhere/a: the file does not exist: is the iterator pinned?',
  );
  await expect(iteratorFile({ path: folder, layout }).read()).rejects.toThrow('it is a folder');
  expect(() => iteratorFile({ path, layout, sumIndex: 3 })).toThrow(
    'sumIndex must be an integer that is not the index of a slot, got 3',
  );
  const closed = source('0 1\n');
  await closed.close();
  await expect(closed.read()).rejects.toThrow('is closed');
});

const ENDLESS = '/dev/zero';

testUnless(lackOfFile(ENDLESS))('refuses a file without end', async () => {
  await expect(iteratorFile({ path: ENDLESS, layout: queueDepthLayout() }).read()).rejects.toMatchObject({
    code: 'ERR_TOO_LARGE',
  });
});
