import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClusterFollower, daemonAt, followDaemons, type RunningAdminSocket } from '@hdrscope/ceph';
import { type ClusterInterval, type OperationFigures, summarizeOperations } from '@hdrscope/ceph/internal';
import { followSockets, topText } from '../../src/commands/ceph/top.ts';
import { hdrscope } from '../support/fake-io.ts';
import { FakeOsd } from '../support/fake-osd.ts';
import { useFolder } from '../support/logs.ts';

const folder = useFolder();
const running: RunningAdminSocket[] = [];
const hanging: HangingOsd[] = [];
afterEach(async () => {
  for (const one of hanging.splice(0)) one.close();
  await Promise.all(running.splice(0).map((one) => one.close()));
});

const PERCENTILES = [99];
const LONGEST_READING_MS = 400;

/** An OSD behind a socket that can hang: it takes connections, and does not answer. */
class HangingOsd {
  readonly path: string;
  /** The largest number of connections that were open at the same time, since it hangs. */
  mostOpen = 0;
  #isHanging: boolean;
  readonly #held = new Map<Socket, () => void>();
  readonly #open = new Set<Socket>();
  readonly #server: Server;

  constructor(path: string, behind: string, isHanging: boolean) {
    this.path = path;
    this.#isHanging = isHanging;
    this.#server = createServer((client) => {
      this.#open.add(client);
      if (this.#isHanging) this.mostOpen = Math.max(this.mostOpen, this.#held.size + 1);
      client.on('close', () => {
        this.#open.delete(client);
        this.#held.delete(client);
      });
      client.on('error', () => {});
      const forward = (): void => {
        const daemon = createConnection(behind);
        daemon.on('error', () => client.destroy());
        for (const chunk of asked.splice(0)) daemon.write(chunk);
        this.#held.delete(client);
        client.pipe(daemon).pipe(client);
      };
      // What is not read does not show that the client has hung up.
      const asked: Buffer[] = [];
      client.on('data', (chunk: Buffer) => this.#held.has(client) && asked.push(chunk));
      if (this.#isHanging) this.#held.set(client, forward);
      else forward();
    });
    hanging.push(this);
  }

  listen(): Promise<this> {
    return new Promise((resolve) => this.#server.listen(this.path, () => resolve(this)));
  }

  hang(): void {
    this.#isHanging = true;
  }

  /** Answers again, also those who wait. */
  wake(): void {
    this.#isHanging = false;
    for (const forward of [...this.#held.values()]) forward();
  }

  close(): void {
    this.#server.close();
    for (const client of this.#open) client.destroy();
  }
}

async function serve(id: number, osd: FakeOsd): Promise<void> {
  running.push(await osd.serve(folder.pathOf(`ceph-osd.${id}.asok`)));
}

async function serveHanging(id: number, osd: FakeOsd, isHanging: boolean): Promise<HangingOsd> {
  const behind = folder.pathOf(`behind-${id}`);
  running.push(await osd.serve(behind));
  return new HangingOsd(folder.pathOf(`ceph-osd.${id}.asok`), behind, isHanging).listen();
}

const figuresOf = (interval: ClusterInterval): OperationFigures =>
  summarizeOperations(interval, { percentiles: PERCENTILES, sizes: [] });

function textOf(interval: ClusterInterval, columns = 100): string {
  const options = { percentiles: PERCENTILES, columns, top: 10, bold: (text: string) => text };
  return topText(interval, figuresOf(interval), options);
}

/** Measures an interval in the milliseconds that this process had: a busy machine runs a timer late, and it counts once. */
async function timed(follower: ClusterFollower): Promise<{ interval: ClusterInterval; tookMs: number }> {
  let tookMs = 0;
  const timer = setInterval(() => tookMs++, 1);
  const interval = await follower.advance().finally(() => clearInterval(timer));
  return { interval, tookMs };
}

const follow = (): Promise<ClusterFollower> => followSockets([folder.pathOf('.')], () => performance.now());

test('OSDs that hang from the beginning delay no interval, have one request each, and share a line', async () => {
  const osd = new FakeOsd();
  await serve(0, osd);
  const silent = await Promise.all([3, 7].map((id) => serveHanging(id, new FakeOsd(), true)));
  const args = ['ceph', 'top', folder.pathOf('.'), '--interval', '150ms', '-n', '6'];
  const { stdout, exitCode } = await hdrscope([...args, '--json'], { monotonicMs: () => performance.now() });
  expect(exitCode).toBe(0);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toHaveLength(6);
  // The first interval begins a second late at most.
  expect(lines.map(({ seconds }) => seconds < LONGEST_READING_MS / 1000)).toEqual(lines.map(() => true));
  expect(lines.at(-1).daemons).toMatchObject([
    { name: 'osd.0', state: 'counted', ageSeconds: expect.any(Number) },
    { name: 'osd.3', state: 'waiting', ageSeconds: null },
    { name: 'osd.7', state: 'waiting', ageSeconds: null },
  ]);
  expect(silent.map(({ mostOpen }) => mostOpen)).toEqual([1, 1]);
  const follower = await follow();
  await follower.start();
  expect(textOf(await follower.advance())).toMatch(
    /^1 OSD, [\d.]+ s: 0 operations\nosd\.3, osd\.7: never answered\n$/,
  );
});

test('an OSD that begins to hang delays one reading, keeps its last figures with their age, and is counted once', async () => {
  const [well, ill] = [new FakeOsd(), new FakeOsd()];
  await serve(0, well);
  const socket = await serveHanging(7, ill, false);
  const follower = await follow();
  await follower.start();
  const counted = { well: 0n, ill: 0n };
  const count = (interval: ClusterInterval): OperationFigures => {
    const figures = figuresOf(interval);
    for (const { daemon, count: own } of figures.slowest) counted[daemon === 'osd.0' ? 'well' : 'ill'] += own;
    return figures;
  };
  const work = (): void => {
    well.operate('w', 500_000, 4096, 10);
    ill.operate('w', 20_000_000, 4096, 3);
  };
  work();
  expect(count(await follower.advance()).late).toEqual([]);
  socket.hang();
  work();
  await sleep(100);
  const first = await timed(follower);
  expect(first.tookMs).toBeLessThan(1000 + LONGEST_READING_MS);
  // The rate of the other OSD is that of the time up to its own answer, not up to the end of the reading.
  const [other] = count(first.interval).slowest;
  expect([other!.daemon, other!.seconds < 0.5, other!.ageSeconds > 0.5]).toEqual(['osd.0', true, true]);
  for (let i = 0; i < 4; i++) {
    work();
    const { interval, tookMs } = await timed(follower);
    expect(tookMs).toBeLessThan(LONGEST_READING_MS);
    const { all, late } = count(interval);
    // The last answer had three operations. They are in no sum again.
    expect([all.count, late.map(({ daemon, count: own }) => [daemon, own])]).toEqual([10n, [['osd.7', 3n]]]);
    expect(late[0]!.ageSeconds).toBeGreaterThan(1);
    const text = textOf(interval);
    expect(text).toMatch(
      /^1 OSD, .*\nosd\.7 has not answered for \d\.\d s: its answer is late\noperations +age /,
    );
    expect(text).toMatch(/\nslowest OSDs\nosd\.7 +\d\.\d s .*20 ms.*\nosd\.0 +\d\.\d s .*500 µs/);
    for (const line of textOf(interval, 40).split('\n')) expect(line.length).toBeLessThanOrEqual(40);
  }
  expect(socket.mostOpen).toBe(1);
  socket.wake();
  await sleep(100);
  const back = await follower.advance();
  expect(back.daemons[1]).toMatchObject({ name: 'osd.7', state: 'counted' });
  expect(count(back).late).toEqual([]);
  count(await follower.advance());
  expect(counted).toEqual({ well: 60n, ill: 18n });
});

test('an OSD that hangs again and again after its requests have ended delays no further reading', async () => {
  const osd = new FakeOsd();
  await serve(0, new FakeOsd());
  const socket = await serveHanging(7, osd, false);
  const paths = [folder.pathOf('ceph-osd.0.asok'), socket.path];
  const follower = followDaemons(async () => paths.map((path) => daemonAt(path, { timeoutMs: 1100 })));
  await follower.start();
  socket.hang();
  await timed(follower);
  await sleep(200);
  const problems: (string | undefined)[] = [];
  for (let i = 0; i < 3; i++) {
    const { interval, tookMs } = await timed(follower);
    expect(tookMs).toBeLessThan(LONGEST_READING_MS);
    problems.push(interval.daemons[1]!.problem);
  }
  expect(problems).toEqual([
    expect.stringContaining('has not answered within 1100 ms'),
    'its answer is late',
    'its answer is late',
  ]);
  expect(socket.mostOpen).toBe(1);
});
