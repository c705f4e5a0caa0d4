import fc from 'fast-check';
import { collectFrom, createRegistry, type Registry, type Snapshot, serveRegistry } from '../../src/index.ts';
import { FakePort, settled } from '../support/ports.ts';
import { countOf, totalsOf } from '../support/totals.ts';

/** A value of a series; -1 is rejected. The values are integers, whose sums are equal in any order. */
type Recorded = readonly [series: number, value: number];

type Step =
  | readonly [what: 'record', who: number, ...Recorded]
  | readonly [what: 'gather']
  | readonly [what: 'kill' | 'stop' | 'start' | 'hold' | 'release' | 'rejoin', who: number];

const REMOTES = 3;

/** Remotes at ports in memory, and the values that the main registry must have of them. */
class Model {
  readonly main = createRegistry();
  /** The values that were reported to the main registry, or recorded in it. */
  readonly #reported: Recorded[] = [];
  readonly #remotes = Array.from({ length: REMOTES }, () => new ModelRemote(this.main));

  async run(step: Step): Promise<void> {
    const remote = this.#remotes[step[1] ?? 0]!;
    switch (step[0]) {
      case 'record':
        if (step[1] === REMOTES) this.#reported.push(recordInto(this.main, [step[2], step[3]]));
        else remote.record([step[2], step[3]]);
        return;
      case 'gather':
        return this.check();
      case 'kill':
        return remote.kill();
      case 'stop':
        this.#reported.push(...(await remote.stop()));
        return;
      case 'start':
        return remote.start();
      case 'hold':
        return remote.hold();
      case 'release':
        this.#reported.push(...(await remote.release()));
        return;
      case 'rejoin':
        return remote.rejoin();
    }
  }

  /** Gathers, and compares the snapshot with that of a single registry that has recorded all reported values. */
  async check(): Promise<void> {
    for (const remote of this.#remotes) this.#reported.push(...remote.gathered());
    // Remotes that are not held answer in time, also on a busy machine.
    const isHeld = this.#remotes.some((remote) => remote.isHeld);
    const snapshot = await this.main.gather(isHeld ? { timeoutMs: 100 } : {});
    const single = createRegistry();
    for (const recorded of this.#reported) recordInto(single, recorded);
    expect(totalsOf(snapshot)).toEqual(totalsOf(await single.gather()));
    this.#checkInterval(snapshot);
  }

  #previous: Snapshot | undefined;
  #checkInterval(snapshot: Snapshot): void {
    // Counts never fall: `since` would throw.
    if (this.#previous !== undefined) {
      expect(countOf(snapshot.since(this.#previous))).toBe(countOf(snapshot) - countOf(this.#previous));
    }
    this.#previous = snapshot;
  }

  async releaseAll(): Promise<void> {
    for (const remote of this.#remotes) this.#reported.push(...(await remote.release()));
  }
}

class ModelRemote {
  readonly #main: Registry;
  #registry = createRegistry();
  #ports = FakePort.pair();
  #isAlive = false;
  isHeld = false;
  /** Recorded, but not reported. */
  #pending: Recorded[] = [];
  /** How many of them are in an answer that is held. */
  #inAnswer: number | undefined;
  #leave = (): void => {};
  #stop = async (): Promise<void> => {};

  constructor(main: Registry) {
    this.#main = main;
    this.start();
  }

  start(): void {
    if (this.#isAlive) return;
    this.#isAlive = true;
    this.isHeld = false;
    this.#inAnswer = undefined;
    this.#pending = [];
    this.#registry = createRegistry();
    this.#ports = FakePort.pair();
    this.#stop = serveRegistry(this.#registry, this.#ports.remote);
    this.#leave = collectFrom(this.#main, this.#ports.main);
  }

  record(recorded: Recorded): void {
    if (this.#isAlive) this.#pending.push(recordInto(this.#registry, recorded));
  }

  /** The values that a gather reports now. */
  gathered(): Recorded[] {
    if (!this.#isAlive) return [];
    if (!this.isHeld) return this.#pending.splice(0);
    this.#inAnswer ??= this.#pending.length;
    return [];
  }

  async kill(): Promise<void> {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#ports.remote.kill();
    await settled();
  }

  async stop(): Promise<Recorded[]> {
    if (!this.#isAlive) return [];
    const reported = await this.release();
    this.#isAlive = false;
    await this.#stop();
    await settled();
    return [...reported, ...this.#pending.splice(0)];
  }

  hold(): void {
    if (!this.#isAlive) return;
    this.isHeld = true;
    this.#ports.remote.hold();
  }

  async release(): Promise<Recorded[]> {
    if (!this.#isAlive || !this.isHeld) return [];
    this.isHeld = false;
    this.#ports.remote.release();
    await settled();
    const reported = this.#pending.splice(0, this.#inAnswer ?? 0);
    this.#inAnswer = undefined;
    return reported;
  }

  /** Is left and collected from again, by the same port. */
  rejoin(): void {
    if (!this.#isAlive || this.isHeld) return;
    this.#leave();
    this.#leave = collectFrom(this.#main, this.#ports.main);
  }
}

function recordInto(registry: Registry, recorded: Recorded): Recorded {
  const [series, value] = recorded;
  registry
    .histogram({ name: series < 2 ? 'x' : 'y', resolution: 1 })
    .with({ series })
    .record(value);
  return recorded;
}

const who = fc.nat({ max: REMOTES - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.tuple(
      fc.constant('record' as const),
      fc.nat({ max: REMOTES }),
      fc.nat({ max: 3 }),
      fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 2 ** 30 }), fc.constant(-1)),
    ),
  },
  { weight: 3, arbitrary: fc.constant(['gather'] as const) },
  {
    weight: 5,
    arbitrary: fc.tuple(fc.constantFrom('kill', 'stop', 'start', 'start', 'hold', 'release', 'rejoin'), who),
  },
);

test('whatever remotes do, the totals are those of one registry with all reported values', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const model = new Model();
      for (const one of steps) await model.run(one);
      await model.releaseAll();
      await model.check();
    }),
    { numRuns: 60 },
  );
});
