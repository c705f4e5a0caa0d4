import { countedIn, explicitLayout, HdrscopeError } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import { atOnce, inSlices, Slices, type Steps } from '@hdrscope/kit';
import { type Attributes, canonicalText } from '../attributes.ts';
import type { Family } from '../family.ts';
import { familyFor } from '../ingest/family-for.ts';
import { seriesError } from '../ingest/series-error.ts';
import type { Registry } from '../registry.ts';
import type { Series } from '../series.ts';
import { assertDivides } from '../thresholds.ts';
import { familyFromJson, type RemoteSeries, seriesFromJson } from './definitions.ts';
import { type ReceivedIncrease, readIncrease } from './increase.ts';
import { factsAt, ReceivedSlots } from './numbers.ts';
import { ProblemList } from './problem-list.ts';
import { type KnownState, MOST_FAMILIES, MOST_SERIES, type ReceivedChanges } from './wire.ts';

/** The known state of a remote registry. */
interface Instance {
  /** The state that was taken last. */
  sequence: number;
  /** How many ports lead to it. */
  ports: number;
  /** By number; `undefined` where the family conflicts with one of this registry. */
  families: (RemoteFamily | undefined)[];
  /** The errors of the families that conflict. */
  conflicts: ProblemList;
  /** The generation of the ids. */
  generation: number;
  /** By id. */
  series: KnownSeries[];
}

/** A family of a remote registry. */
interface RemoteFamily {
  /** The family that takes the counts. */
  readonly family: Family;
  /** The thresholds of the remote family. */
  readonly thresholds: readonly number[];
}

interface KnownSeries extends RemoteSeries {
  attributes: Attributes;
  /** The series that takes the counts; `undefined` until the first ones come. */
  target: Series | undefined;
}

/**
 * How many unreachable remote registries are remembered. One of them may come back by another port, and its counts
 * must not be added again then. The counts of forgotten ones stay.
 */
const MOST_UNREACHABLE = 1000;

const NOTHING = /* @__PURE__ */ countedIn(/* @__PURE__ */ explicitLayout([0]), [0, 0]);

/** The states of remote registries, whose increases are added to one registry. */
export class RemoteStates {
  /** Names this registry to the remote ones. */
  readonly asker: string;
  readonly #registry: Registry;
  readonly #instances = new Map<string, Instance>();
  /** In the order in which they became unreachable; at most `MOST_UNREACHABLE`. */
  readonly #unreachable = new Set<string>();
  readonly #slots = new ReceivedSlots();
  /** Ends when no work is left. */
  #work: Promise<unknown> = Promise.resolve();
  #workCount = 0;
  #slices = new Slices();
  /** What is being added. */
  #taking: Steps<unknown[]> | undefined;

  /** @param asker The name of another registry, which collected before this one does. @default a new name */
  constructor(registry: Registry, asker: string = crypto.randomUUID()) {
    this.#registry = registry;
    this.asker = asker;
  }

  /** The sequence of the state that was taken last, by instance. */
  get taken(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#instances].map(([name, { sequence }]) => [name, sequence]));
  }

  /** Goes on where another registry has stopped to collect: its counts come as those of one more remote. */
  resume(taken: Readonly<Record<string, number>>): void {
    for (const [name, sequence] of Object.entries(taken)) {
      this.attach(name);
      this.#instanceOf(name).sequence = sequence;
      this.detach(name);
    }
  }

  /** Runs work after all earlier work. */
  inTurn(work: () => void | Promise<void>): void {
    // One slice holds the answers of several remotes that come at once.
    if (this.#workCount++ === 0) this.#slices = new Slices();
    this.#work = this.#work
      .then(work)
      .catch(() => undefined) // a failure must not keep later work from running
      .finally(() => this.#workCount--);
  }

  /** The state of an instance for the next question to it. */
  known(name: string): KnownState {
    const { sequence, families, generation, series } = this.#instanceOf(name);
    return { instance: name, sequence, families: families.length, generation, series: series.length };
  }

  /** Records that a port leads to an instance. */
  attach(name: string): void {
    this.#unreachable.delete(name);
    this.#instanceOf(name).ports++;
  }

  /** Records that a port leads to an instance no more. */
  detach(name: string): void {
    const instance = this.#instanceOf(name);
    if (--instance.ports > 0) return;
    // It defines its families and series again when it comes back.
    Object.assign(instance, { families: [], conflicts: new ProblemList(), series: [] });
    this.#unreachable.add(name);
    if (this.#unreachable.size <= MOST_UNREACHABLE) return;
    const [oldest] = this.#unreachable;
    this.#unreachable.delete(oldest!);
    this.#instances.delete(oldest!);
  }

  /**
   * Adds the increases of an instance that were not added yet. Only one call may go on at a time: see `inTurn`.
   *
   * @returns The problems of the parts that could not be added; the other parts are added.
   */
  async take(changes: ReceivedChanges, attributes: Attributes): Promise<unknown[]> {
    const taking = this.#take(changes, attributes);
    this.#taking = taking;
    const problems = await inSlices(taking, this.#slices);
    this.#taking = undefined;
    return problems;
  }

  /** Adds the rest of what is being added, for a process that ends. What waits for its turn stays with its remote. */
  finish(): void {
    if (this.#taking !== undefined) atOnce(this.#taking);
  }

  *#take(changes: ReceivedChanges, attributes: Attributes): Steps<unknown[]> {
    const instance = this.#instanceOf(changes.instance);
    const problems = new ProblemList();
    const series = seriesFor(instance, changes);
    // The definitions that these changes build on are forgotten: they come with the next answer.
    if (series === undefined) return [];
    try {
      this.#defineFamilies(instance, changes);
      yield* this.#defineSeries(series, instance, changes, attributes);
      const { increases } = changes;
      // The remote has an acknowledgement that is forgotten here: what it has sent before this answer was taken.
      const isForgotten = instance.sequence === 0 && increases[0] !== undefined && increases[0].from > 0;
      if (isForgotten) instance.sequence = increases.at(-1)!.from;
      for (const [i, increase] of increases.entries()) {
        const where = `changes.increases[${i}]`;
        if (increase.from < instance.sequence) continue;
        // An answer begins at a state that was taken here, and has no gaps: counts would be lost in silence.
        if (increase.from > instance.sequence)
          throw mustBe(
            'ERR_DECODE',
            `${where}.from`,
            `at most ${instance.sequence}, the last state`,
            increase.from,
          );
        const received = readIncrease(increase, where, series.length, changes.budget);
        instance.sequence = increase.to;
        if (increase.isLost) problems.add(() => lostError(increase.from));
        yield* this.#add(received, instance.families, series, problems);
      }
    } catch (error) {
      problems.add(() => error);
    }
    return [...instance.conflicts.all(), ...problems.all()];
  }

  /** @throws HdrscopeError `ERR_DECODE`; `ERR_TOO_LARGE` */
  #defineFamilies({ families, conflicts }: Instance, changes: ReceivedChanges): void {
    assertRoom('families', changes.firstFamily + changes.families.length, MOST_FAMILIES);
    for (let i = families.length - changes.firstFamily; i < changes.families.length; i++) {
      const options = familyFromJson(changes.families[i], `changes.families[${i}]`, changes.budget);
      try {
        families.push({
          family: familyFor(this.#registry, options),
          thresholds: options.otherThresholds ?? [],
        });
      } catch (error) {
        families.push(undefined);
        conflicts.add(() => error);
      }
    }
  }

  /** @throws HdrscopeError `ERR_DECODE`; `ERR_TOO_LARGE` */
  *#defineSeries(
    series: KnownSeries[],
    { families }: Instance,
    changes: ReceivedChanges,
    attributes: Attributes,
  ): Steps<void> {
    assertRoom('series', changes.firstSeries + changes.series.length, MOST_SERIES);
    for (let i = series.length - changes.firstSeries; i < changes.series.length; i++) {
      const one = seriesFromJson(changes.series[i], `changes.series[${i}]`, families.length, changes.budget);
      series.push({ ...one, attributes: { ...one.attributes, ...attributes }, target: undefined });
      yield;
    }
  }

  *#add(
    { numbers, rejected, exemplars, reaches, estimated }: ReceivedIncrease,
    families: Instance['families'],
    series: readonly KnownSeries[],
    problems: ProblemList,
  ): Steps<void> {
    const { facts, words } = numbers;
    for (let at = 0, nth = 0; at < words.length; nth++) {
      const id = words[at]!;
      const one = series[id]!;
      const from = at + 2;
      at = from + words[at + 1]!;
      try {
        const target = targetOf(one, families);
        if (target === undefined) continue;
        const { family, thresholds } = families[one.family]!;
        this.#slots.read(words, from, at, family.layout.slotCount, thresholds.length);
        const atThresholds = { thresholds, counts: this.#slots.atThresholds };
        assertDivides(atThresholds, family.unitLayout, (slot) => this.#slots.at(slot));
        target.addSlots(this.#slots, {
          ...factsAt(facts, nth),
          atThresholds,
          reaches: reaches.get(id),
          estimated: estimated.get(id),
        });
      } catch (cause) {
        problems.add(() => refusalOf(one, families, cause));
      }
      yield;
    }
    const offer = (id: number, use: (target: Series) => void): void => {
      const one = series[id]!;
      try {
        const target = targetOf(one, families);
        if (target !== undefined) use(target);
      } catch (cause) {
        problems.add(() => refusalOf(one, families, cause));
      }
    };
    for (const [id, added] of rejected) offer(id, (target) => target.add(NOTHING, { rejected: added }));
    for (const [id, exemplar] of exemplars) offer(id, (target) => target.offerExemplar(exemplar));
  }

  #instanceOf(name: string): Instance {
    let instance = this.#instances.get(name);
    if (instance === undefined) {
      instance = {
        sequence: 0,
        ports: 0,
        families: [],
        conflicts: new ProblemList(),
        generation: 0,
        series: [],
      };
      this.#instances.set(name, instance);
    }
    return instance;
  }
}

/** The known series that changes name, without those that the changes define; `undefined` when these are forgotten. */
function seriesFor(instance: Instance, changes: ReceivedChanges): KnownSeries[] | undefined {
  const { generation, firstFamily, firstSeries } = changes;
  if (firstFamily > instance.families.length) return undefined;
  if (generation === instance.generation) {
    return firstSeries > instance.series.length ? undefined : instance.series;
  }
  if (firstSeries > 0) return undefined;
  const series: KnownSeries[] = [];
  // Changes of an earlier generation come late, and their ids are of no use to later ones.
  if (generation > instance.generation) Object.assign(instance, { generation, series });
  return series;
}

/** The series that takes the counts; `undefined` when its family conflicts. It is made when the first counts come. */
function targetOf(one: KnownSeries, families: Instance['families']): Series | undefined {
  const known = families[one.family];
  if (one.target === undefined && known !== undefined) {
    one.target = known.family.with(one.attributes);
    // The other remotes of this series share them.
    one.attributes = one.target.attributes;
    one.target.add(NOTHING, { startTimeMs: one.startTimeMs });
  }
  return one.target;
}

/** A remote may send any number of messages, each of which defines a few more. */
function assertRoom(what: string, count: number, most: number): void {
  if (count <= most) return;
  throw mustBe('ERR_TOO_LARGE', `the number of ${what} of a remote registry`, `at most ${most}`, count);
}

function refusalOf(
  { family, attributes }: KnownSeries,
  families: Instance['families'],
  cause: unknown,
): HdrscopeError {
  const isFull = cause instanceof HdrscopeError && cause.code === 'ERR_COUNT_OVERFLOW';
  const series = {
    key: canonicalText(attributes),
    family: { name: families[family]!.family.name },
    attributes,
  };
  return seriesError(series, isFull ? 'countTooLarge' : 'malformed', cause);
}

function lostError(sequence: number): Error {
  return new Error(
    `its counts since its state ${sequence} are lost: it was asked by too many other registries since then`,
  );
}

/** Every runtime has it, but the library of the language does not declare it. */
declare const crypto: { randomUUID(): string };
