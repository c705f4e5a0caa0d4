import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HdrscopeError } from '@hdrscope/core';
import { createRegistry } from '@hdrscope/registry';
import { testShared } from '@hdrscope/testing';
import type { NamedDaemon } from '../../src/importer/daemons.ts';
import {
  type AskDaemon,
  dumpIncrease,
  followByTell,
  followDaemons,
  ingestCeph,
  parseHistogramDump,
} from '../../src/index.ts';
import { dumpOf } from '../support/dumps.ts';
import { FakeOsd } from '../support/fake-osd.ts';

/** Daemons that come and go, and a clock that moves on by a second at each reading. */
function cluster(): {
  readonly daemons: Map<string, AskDaemon>;
  readonly options: { monotonicMs(): number };
} {
  let ms = 0;
  return { daemons: new Map(), options: { monotonicMs: () => (ms += 1000) } };
}

const listOf = (daemons: ReadonlyMap<string, AskDaemon>) => async (): Promise<NamedDaemon[]> =>
  [...daemons].map(([name, ask]) => ({ name, ask }));

/** A daemon without plain counters, which answers with one dump. */
const dumping =
  (values: () => readonly number[]): AskDaemon =>
  async (prefix) =>
    prefix === 'perf dump' ? '{}' : dumpOf(values());

const silent: AskDaemon = () => Promise.reject(new HdrscopeError('ERR_ADMIN_SOCKET' as never, 'not now'));

test('counts what came between two readings, with the sums of the daemon', async () => {
  const { daemons, options } = cluster();
  const osd = new FakeOsd();
  osd.write(5000, 4096);
  daemons.set('osd.0', osd.ask);
  const follower = followDaemons(listOf(daemons), options);
  expect((await follower.start()).map(({ name, histograms }) => [name, histograms?.length])).toEqual([
    ['osd.0', 1],
  ]);
  osd.write(7_000_000, 8192);
  osd.write(9_000_000, 8192);
  const { seconds, daemons: counted } = await follower.advance();
  expect([seconds, counted]).toEqual([
    1,
    [expect.objectContaining({ name: 'osd.0', state: 'counted', seconds: 1 })],
  ]);
  const [{ histogram, measured, isReset } = {} as never] = counted[0]!.increases;
  expect([histogram.totalCount, isReset]).toEqual([2, false]);
  expect(measured!.map(({ value }) => value)).toEqual([16_000_000, 16_384]);
  expect((await follower.advance()).daemons[0]!.increases[0]!.histogram.totalCount).toBe(0);
});

test('a daemon comes, goes, comes back and begins anew, and no count is taken twice', async () => {
  const { daemons, options } = cluster();
  let [one, two] = [
    [0, 5, 0],
    [0, 1, 1],
  ];
  daemons.set(
    'osd.2',
    dumping(() => one),
  );
  const follower = followDaemons(listOf(daemons), options);
  await follower.start();
  const advance = async () =>
    (await follower.advance()).daemons.map(({ name, state, seconds, increases, problem }) => [
      name,
      state,
      seconds,
      increases.reduce((sum, { histogram }) => sum + histogram.totalCount, 0),
      ...(problem === undefined ? [] : [problem]),
    ]);

  daemons.set(
    'osd.10',
    dumping(() => two),
  );
  one = [0, 8, 0];
  // Its counts up to its first answer have no known start.
  expect(await advance()).toEqual([
    ['osd.2', 'counted', 1, 3],
    ['osd.10', 'new', 0, 0],
  ]);
  daemons.delete('osd.2');
  two = [0, 1, 4];
  expect(await advance()).toEqual([
    ['osd.2', 'gone', 0, 0, 'it is no longer there'],
    ['osd.10', 'counted', 1, 3],
  ]);
  daemons.set('osd.2', silent).set('osd.10', silent);
  expect(await advance()).toEqual([
    ['osd.2', 'gone', 0, 0, 'not now'],
    ['osd.10', 'gone', 0, 0, 'not now'],
  ]);
  one = [0, 9, 0];
  two = [0, 2, 0];
  daemons.set(
    'osd.2',
    dumping(() => one),
  );
  daemons.set(
    'osd.10',
    dumping(() => two),
  );
  expect(await advance()).toEqual([
    ['osd.2', 'counted', 3, 1],
    ['osd.10', 'restarted', 2, 2],
  ]);
});

test('a new socket shows a restart after which no cell is lower', async () => {
  let life = 'a';
  const osd = new FakeOsd();
  osd.write(5000, 4096);
  const list = async (): Promise<NamedDaemon[]> => [{ name: 'osd.0', ask: osd.ask, life: async () => life }];
  const follower = followDaemons(list);
  await follower.start();
  osd.reset();
  life = 'b';
  for (let i = 0; i < 3; i++) osd.write(5000, 4096);
  const [daemon] = (await follower.advance()).daemons;
  expect([daemon!.state, daemon!.increases[0]!.histogram.totalCount]).toEqual(['restarted', 3]);
});

test('a histogram that is missing in one answer counts from its last reading', async () => {
  const answers = [dumpOf([0, 5, 0]), '{}', dumpOf([0, 8, 0])];
  const ask: AskDaemon = async (prefix) => (prefix === 'perf dump' ? '{}' : answers.shift()!);
  const follower = followDaemons(async () => [{ name: 'osd.0', ask }]);
  await follower.start();
  await follower.advance();
  expect((await follower.advance()).daemons[0]!.increases[0]!.histogram.totalCount).toBe(3);
});

test('a daemon that hangs delays the others once, and its late answer counts up to its time', async () => {
  const daemons = new Map<string, AskDaemon>();
  let count = 5;
  let isHanging = false;
  let answer = (): void => {};
  daemons
    .set(
      'osd.0',
      dumping(() => [0, count, 0]),
    )
    .set('osd.1', async (prefix) => {
      if (prefix === 'perf dump') return '{}';
      if (isHanging) await new Promise<void>((resolve) => (answer = resolve));
      return dumpOf([0, count, 0]);
    });
  const follower = followDaemons(listOf(daemons));
  await follower.start();
  isHanging = true;
  const advance = async () => {
    count++;
    const startMs = performance.now();
    const interval = await follower.advance();
    const states = interval.daemons.map(({ state, isBack }) => (isBack ? `${state}, back` : state));
    const ages = interval.daemons.map(({ ageSeconds }) => ageSeconds);
    return { states, ages, seconds: interval.daemons[1]!.seconds, tookMs: performance.now() - startMs };
  };
  const first = await advance();
  // The other daemon answered a second before the end of the reading.
  expect([first.states, first.ages[0]! > 0.9, first.ages[1]! > 0.9]).toEqual([
    ['counted', 'gone'],
    true,
    true,
  ]);
  const { states, ages, tookMs } = await advance();
  expect([states, ages[0]! < 0.5, ages[1]! > 1]).toEqual([['counted', 'gone'], true, true]);
  expect(tookMs).toBeLessThan(500);
  isHanging = false;
  answer();
  await new Promise((resolve) => setTimeout(resolve, 300));
  const back = await advance();
  expect(back.states).toEqual(['counted', 'counted, back']);
  // Its counts are those up to its answer, which is older than those of the other.
  expect([back.seconds > 1, back.ages[1]! >= 0.29, back.ages[1]! - back.ages[0]! >= 0.29]).toEqual([
    true,
    true,
    true,
  ]);
  expect((await advance()).states).toEqual(['counted', 'counted']);
});

test('the first reading waits until one daemon has answered, however long that takes', async () => {
  const { daemons } = cluster();
  daemons
    .set('osd.0', async (prefix) => {
      if (prefix !== 'perf dump') await new Promise((resolve) => setTimeout(resolve, 1300));
      return prefix === 'perf dump' ? '{}' : dumpOf([0, 1, 0]);
    })
    .set('osd.1', () => new Promise(() => {}));
  const answers = await followDaemons(listOf(daemons)).start();
  expect(answers.map(({ histograms, problem }) => [histograms?.length, problem])).toEqual([
    [1, undefined],
    [undefined, 'its answer is late'],
  ]);
});

test('daemons without histograms are left out, and other errors are those of the program', async () => {
  const { daemons, options } = cluster();
  daemons.set('mon.a', async () => '{}');
  expect(await followDaemons(listOf(daemons), options).start()).toEqual([]);
  daemons.set('osd.0', () => Promise.reject(new TypeError('a mistake')));
  await expect(followDaemons(listOf(daemons), options).start()).rejects.toThrow('a mistake');
});

test('two daemons of one name are refused: their counts would be compared with each other', async () => {
  const { ask } = new FakeOsd();
  const list = async (): Promise<NamedDaemon[]> => [
    { name: 'osd.0', ask },
    { name: 'osd.0', ask },
  ];
  await expect(followDaemons(list).start()).rejects.toMatchObject({
    code: 'ERR_INVALID_OPTION',
    message: expect.stringContaining('two sockets are those of osd.0'),
  });
});

/** A `ceph` program in a folder that is removed after the test. */
const folder = mkdtempSync(join(tmpdir(), 'ceph-tell-'));
afterAll(() => rmSync(folder, { recursive: true }));
function program(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

test('follows what ceph tell reaches, and knows the daemons that it does not reach', async () => {
  const dump = join(folder, 'dump.json');
  writeFileSync(dump, dumpOf([0, 5, 0]));
  const ceph = program(
    'ceph',
    `case "$4" in
dump) echo 'osd.0: {}' ;;
histogram) echo "osd.0: $(cat ${dump})" ;;
esac
echo 'Error ENXIO: osd.3 is down' >&2
exit 6`,
  );
  const follower = followByTell({ program: ceph, monotonicMs: () => 0 });
  expect((await follower.start()).map(({ name, problem }) => [name, problem])).toEqual([
    ['osd.0', undefined],
    ['osd.3', 'Error ENXIO: osd.3 is down'],
  ]);
  writeFileSync(dump, dumpOf([0, 12, 0]));
  const [up, down] = (await follower.advance()).daemons;
  expect([up!.state, up!.increases[0]!.histogram.totalCount]).toEqual(['counted', 7]);
  // It has never answered.
  expect([down!.state, down!.problem]).toEqual(['waiting', 'Error ENXIO: osd.3 is down']);
});

test('an OSD that hangs delays one reading of ceph tell: the others are asked by runs of their own', async () => {
  const path = (name: string): string => join(folder, name);
  const count = (osd: number, values: number[]): void => writeFileSync(path(`${osd}.json`), dumpOf(values));
  count(0, [0, 5, 0]);
  count(1, [0, 5, 0]);
  const ceph = program(
    'hangs',
    `echo "$1 $2" >> ${path('runs')}
print() {
  [ "$1" = 1 ] && while [ -e ${path('hang')} ]; do sleep 0.05; done
  if [ "$2" = dump ]; then echo "$3{}"; else echo "$3$(cat ${path('$1.json')})"; fi
}
case "$2" in
'osd.*') print 0 "$4" 'osd.0: '; print 1 "$4" 'osd.1: ' ;;
osd.*) print "\${2#osd.}" "$4" '' ;;
esac`,
  );
  const runs = (): string[] => readFileSync(path('runs'), 'utf8').trim().split('\n');
  const follower = followByTell({ program: ceph });
  await follower.start();
  expect(runs()).toEqual(Array.from({ length: 2 }, () => 'tell osd.*'));

  writeFileSync(path('hang'), '');
  count(0, [0, 6, 0]);
  const advance = async () => {
    const startMs = performance.now();
    const { daemons } = await follower.advance();
    const shown = daemons.map(({ name, state, increases, problem }) => [
      name,
      state,
      increases[0]?.histogram.totalCount ?? problem,
    ]);
    return { shown, ages: daemons.map((one) => one.ageSeconds!), tookMs: performance.now() - startMs };
  };
  const first = await advance();
  expect(first.shown).toEqual([
    ['osd.0', 'counted', 1],
    ['osd.1', 'gone', 'its answer is late'],
  ]);
  expect(first.tookMs).toBeLessThan(6000);
  count(0, [0, 8, 0]);
  const second = await advance();
  expect(second.shown[0]).toEqual(['osd.0', 'counted', 2]);
  expect([second.tookMs < 1000, second.ages[0]! < 1, second.ages[1]! > 1]).toEqual([true, true, true]);

  count(1, [0, 9, 0]);
  rmSync(path('hang'));
  await new Promise((resolve) => setTimeout(resolve, 500));
  const back = await advance();
  expect(back.shown[1]).toEqual(['osd.1', 'counted', 4]);
  // It was late, so it is waited for once more. Then all are asked together again.
  await advance();
  rmSync(path('runs'));
  expect((await advance()).shown.map(([, state]) => state)).toEqual(['counted', 'counted']);
  expect(runs()).toEqual(Array.from({ length: 2 }, () => 'tell osd.*'));
});

test('an OSD that hangs from the beginning is known by its number, and the first reading has the others', async () => {
  const ceph = program(
    'hangs-at-first',
    `case "$2 $4" in
'ls '*) printf '\\n[0,1]' ;;
'osd.1 '* | 'osd.* '*) exec sleep 20 ;;
'osd.0 dump') echo '{}' ;;
'osd.0 histogram') echo '${dumpOf([0, 5, 0])}' ;;
esac`,
  );
  const ended = new AbortController();
  const answers = await followByTell({ program: ceph, signal: ended.signal }).start();
  ended.abort();
  expect(answers.map(({ name, histograms, problem }) => [name, histograms?.length, problem])).toEqual([
    ['osd.0', 1, undefined],
    ['osd.1', undefined, 'its answer is late'],
  ]);
});

test.each([
  ['/nope/ceph', 'osd.1', '/nope/ceph tell osd.1 has failed: there is no such program'],
  [program('fails', "echo 'no keyring' >&2; exit 1"), 'osd.*', /tell osd\.\* has failed: no keyring$/],
])('%s fails', async (path, target, message) => {
  const error = await followByTell({ program: path, target })
    .start()
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    code: 'ERR_ADMIN_SOCKET',
    details: { program: path, command: 'perf dump osd' },
  });
  expect((error as Error).message).toMatch(message);
});

test('a signal ends a reading of ceph tell', async () => {
  const ended = new AbortController();
  const following = followByTell({
    program: program('waits', 'exec sleep 30'),
    signal: ended.signal,
  }).start();
  setTimeout(() => ended.abort(new Error('Ctrl-C')), 20);
  await expect(following).rejects.toThrow('Ctrl-C');
});

testShared(
  'an OSD of Ceph 16.2.15: the follower, two dumps and a registry agree',
  ['data/ceph/real-dump.json', 'data/ceph/real-dump2.json'],
  async (before, after) => {
    const dumps = [before, after];
    let at = 0;
    const ask: AskDaemon = async (prefix) => (prefix === 'perf dump' ? '{}' : dumps[at]!);
    const follower = followDaemons(async () => [{ name: 'osd.0', ask }]);
    const registry = createRegistry();
    ingestCeph(registry, () => dumps[at]!, { since: 'now' });
    await follower.start();
    await registry.gather();
    at = 1;
    const [daemon] = (await follower.advance()).daemons;
    const expected = dumpIncrease(parseHistogramDump(before), parseHistogramDump(after));
    expect(daemon!.increases.map(({ counter, histogram }) => [counter, [...histogram.cells]])).toEqual(
      expected.map(({ counter, histogram }) => [counter, [...histogram.cells]]),
    );
    const total = expected.reduce((sum, { histogram }) => sum + histogram.totalCount, 0);
    expect(total).toBeGreaterThan(0);
    const { families } = await registry.gather();
    const latencies = families.filter(({ name }) => name.endsWith('.latency'));
    const counted = latencies.flatMap(({ series }) => series.map(({ histogram }) => histogram.totalCount));
    expect(counted.reduce((a, b) => a + b, 0)).toBe(total);
  },
);
