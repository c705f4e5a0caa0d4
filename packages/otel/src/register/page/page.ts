import { randomUUID } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { threadId } from 'node:worker_threads';
import { inSlices, reasonOf, Slices, within } from '@hdrscope/kit';
import { createRegistry, type Registry, serveRegistry } from '@hdrscope/registry';
import {
  addRemote,
  assumeTaken,
  lastChanges,
  type RegistrySource,
  readShown,
  resumeCollecting,
  SHARED_GATHER_MS,
  takenStates,
} from '@hdrscope/registry/internal';
import type { Attributes } from '@opentelemetry/api';
import { collectNow } from '../../collect-now.ts';
import { knownSettings } from '../../metric-settings.ts';
import type { MetricCollection, MetricCollectionOptions, Producer } from '../../sdk.ts';
import { warnOfSeriesLimit } from '../../series-limit.ts';
import type { LivePage } from '../live-page.ts';
import type { NoticeCode } from '../notice.ts';
import type { PromClient } from '../prom-client.ts';
import type { Answer, Bye, Hello, Left, Message, Question, Welcome } from './messages.ts';
import { AllNumbers, OwnNumbers } from './numbers.ts';
import type { Place } from './place.ts';
import { type Port, portPair, socketPort } from './ports.ts';
import { listMetrics, type PromMetric } from './prom-series.ts';

// All processes of a service on one host share a page of metrics. Whoever has the port leads: the kernel gives it to one, and takes it
// back when that ends. The others hand their counts over, each second and at each scrape, through a socket that only their user can
// enter. What was handed over belongs to the page, not to the process that leads:
//
// - A process that ends leaves its last counts in a file, and one that leads leaves the page: `Place.leave`.
// - The next one that leads takes the page, and goes on with each process where the page was: registries and numbers name the states that
//   were taken.
// - A process that is killed leaves nothing. When it has led, the page begins anew: what others have handed over is gone with it, as it is
//   when a single process is killed, and they hand over only what is new.

/** The name of the page to the registries that it collects from: equal for all that lead. */
const ASKER = 'page';

/** The time between two hand-overs. */
const HAND_OVER_MS = 1000;

/** The share of the time of a scrape for which it waits for other processes. In the rest, the counts are added up and shown. */
const SHARE_OF_WAITING = 0.5;

/** How long a process that leads waits for the one before it to end. */
const LONGEST_WAIT_MS = 10_000;
/** The time between two attempts to get the port or to reach the process that has it, which doubles. */
const LEAST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;
/** So many pages are remembered that this one goes on with. */
const MOST_PREDECESSORS = 100;
const MOST_UNHEARD = 100;
/** After so many failures the port is another program's. */
const TELLING_FAILURES = 5;

/** How a process takes part in a page. */
export interface PageOptions {
  readonly place: Place;
  /** The histograms of this process. */
  readonly registry: Registry;
  /** Whether somebody else runs other processes of the service: they may begin when this one ends. */
  readonly isOneOfSeveral: boolean;
  /**
   * Takes the port and listens, or rejects: with the code `EADDRINUSE` when another process has it. Left out in a thread, which never
   * leads.
   */
  readonly listen?: () => Promise<void>;
  /** The metrics of prom-client in this process, if there are some. */
  readonly promClient?: PromClient | undefined;
  /** Shows the histograms of all processes in a browser, if somebody wants that. */
  readonly livePage?: LivePage | undefined;
  readonly warn: (code: NoticeCode, message: string) => void;
}

/** One process's part of the page. */
export interface Page {
  /** Shows the page, in place of the metrics of this process alone. */
  sourceOf(source: RegistrySource<Producer>): RegistrySource<Producer>;
  /** The metrics of prom-client of all processes, for a scrape whose collection has begun: see `listMetrics`. */
  promMetrics(): Promise<PromMetric[][]>;
  /** Takes the port, or hands over to the process that has it. */
  join(): void;
  /**
   * Leaves what was not handed over to whoever leads next, at once: the process ends.
   *
   * @throws Error when a part of it cannot be left.
   */
  leave(): void;
  /** Takes part no more, and leaves nothing. */
  abandon(): void;
}

/** The page in the process that leads. */
interface Leading {
  readonly server: Server;
  /** The processes whose pages this one has taken, the latest first. */
  heirOf: readonly string[];
  /** Everything that was handed over; `undefined` as long as there is nobody else, and no live page. */
  sum: Sum | undefined;
  /** Whether scrapes show it. As long as there is nobody else, they show the registry of the process. */
  isShared: boolean;
}

interface Sum {
  readonly registry: Registry;
  readonly numbers: AllNumbers;
  /** The processes that live, by name. */
  readonly members: Map<string, Member>;
}

interface Member {
  readonly port: Port;
  /** When it has collected what came last, in milliseconds since 1970; `-Infinity` until something comes. */
  countsMs: number;
  numbersMs: number;
  /** Called one by one when its numbers come. */
  readonly waiting: (() => void)[];
}

/** Takes part in a page. */
export function openPage(options: PageOptions): Page {
  const { place, registry, isOneOfSeveral, listen, promClient, livePage, warn } = options;
  const name = randomUUID();
  const title = threadId === 0 ? `process ${process.pid}` : `thread ${threadId} of process ${process.pid}`;
  const mark: Attributes = {
    'process.pid': process.pid,
    ...(threadId === 0 ? {} : { 'thread.id': threadId }),
  };
  const own = new OwnNumbers();
  const settings = knownSettings(registry);
  let sdk: Producer | undefined;
  /** The last collection for a scrape. */
  let scraped: Promise<MetricCollection> | undefined;
  let role: 'joining' | 'leading' | 'following' | 'gone' | undefined;
  let leading: Leading | undefined;
  /** Until the process that led before is gone, and what it left is here. */
  let ready: Promise<void> = Promise.resolve();
  /** Whoever has taken counts of this process last. */
  let ledBy: string | undefined;
  /** Those of other processes, in one that leads. */
  const sockets = new Set<Socket>();
  /** Processes that were not connected when they ended, the latest first. Their first words may still come, and must not make members of them. */
  let endedUnheard: readonly string[] = [];
  let toLeader: { readonly socket: Socket; readonly port: Port } | undefined;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;

  /** Whether this process takes part no more. What has begun before may go on only then. */
  function hasEnded(): boolean {
    return role === 'gone';
  }

  async function join(): Promise<void> {
    if (hasEnded()) return;
    role = 'joining';
    if (listen !== undefined) {
      try {
        await listen();
        if (hasEnded()) return;
        // Before anything else comes between: whoever finds the port taken looks for the socket next.
        ready = lead().catch((error) =>
          warn('HDRSCOPE_UNREACHABLE', `scrapes have the metrics of this process only: ${reasonOf(error)}`),
        );
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') {
          warn('HDRSCOPE_FAILED', `the metrics server cannot listen: ${reasonOf(error)}`);
          return;
        }
      }
    }
    follow();
  }

  function joinLater(): void {
    if (role === 'gone') return;
    failures++;
    if (failures === TELLING_FAILURES && listen !== undefined) {
      const cure = 'end it, or choose another port by OTEL_EXPORTER_PROMETHEUS_PORT';
      warn('HDRSCOPE_FAILED', `the metrics server cannot listen: another program has the port: ${cure}`);
    }
    const pauseMs = Math.min(LEAST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    timer = setTimeout(() => void join(), pauseMs).unref();
  }

  // The process that leads.

  async function lead(): Promise<void> {
    role = 'leading';
    failures = 0;
    await endOfPredecessor(place.socketPath);
    if (hasEnded()) return;
    const server = createServer((socket) => welcome(socket)).unref();
    leading = { server, heirOf: [], sum: undefined, isShared: false };
    takeAllLeft();
    // What it has handed over before is on the page of another process.
    if (ledBy !== undefined) addUp();
    server.on('error', (error) =>
      warn('HDRSCOPE_UNREACHABLE', `scrapes have the metrics of this process only: ${reasonOf(error)}`),
    );
    if (process.platform !== 'win32') rmSync(place.socketPath, { force: true });
    // A worker of a cluster would listen in the primary.
    server.listen({ path: place.socketPath, exclusive: true }, () => {
      if (process.platform !== 'win32') chmodSync(place.socketPath, 0o600);
    });
    timer = setInterval(() => void takeAll(), HAND_OVER_MS).unref();
    livePage?.serve(beginSum().registry);
  }

  /** Goes on with the pages that were left. */
  function inherit(lefts: readonly Left[]): void {
    for (const { page, title } of lefts) {
      if (page === undefined) continue;
      leading!.isShared = true;
      leading!.heirOf = [...page.heirOf, ...leading!.heirOf].slice(0, MOST_PREDECESSORS);
      const sum = leading!.sum ?? newSum();
      resumeCollecting(sum.registry, ASKER, page.taken);
      receiveChanges(sum, title, [page.changes]);
      sum.numbers.inherit(page.numbers);
    }
    if (leading!.sum !== undefined && ledBy !== name) addOwn(leading!.sum);
  }

  /** What scrapes show, in place of the metrics of this process. */
  function shared(): Sum | undefined {
    return leading?.isShared === true ? leading.sum : undefined;
  }

  /** Begins to add up: from now on the page is more than the registry of this process. */
  function addUp(): Sum {
    leading!.isShared = true;
    return beginSum();
  }

  function beginSum(): Sum {
    const sum = leading!.sum ?? newSum();
    if (ledBy !== name) addOwn(sum);
    return sum;
  }

  function newSum(): Sum {
    const sum: Sum = { registry: createRegistry(), numbers: new AllNumbers(), members: new Map() };
    resumeCollecting(sum.registry, ASKER);
    // Each process may be below its limit, and all together above it.
    warnOfSeriesLimit(sum.registry, (message) => warn('HDRSCOPE_SERIES_LIMIT', message));
    leading!.sum = sum;
    return sum;
  }

  /** Hands over to its own page. */
  function addOwn(sum: Sum): void {
    continueWith(name, leading!.heirOf);
    const [ours, theirs] = portPair();
    addRemote(sum.registry, ours, { name: title, timeoutMs: HAND_OVER_MS, attributes: {}, place: name });
    serveRegistry(registry, theirs);
  }

  function welcome(socket: Socket): void {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    if (role === 'gone') socket.destroy();
    let member: Member | undefined;
    let hello: Hello | undefined;
    const port = socketPort(socket, () => {
      const sum = leading?.sum;
      if (hello === undefined || sum === undefined || role === 'gone') return;
      sum.members.delete(hello.name);
      for (const done of member!.waiting.splice(0)) done();
      const left = place.take(hello.name) as Left | undefined;
      if (left === undefined) {
        const sinceMs = Math.min(member!.countsMs, member!.numbersMs);
        const since = sinceMs > 0 ? ` since ${new Date(sinceMs).toISOString()}` : '';
        warn('HDRSCOPE_LOST', `${hello.title} ended without a word: what it has counted${since} may be lost`);
      } else {
        for (const message of left.changes) port.emit('message', message);
        sum.numbers.take(hello.name, hello.mark, left.numbers.numbers);
      }
      sum.numbers.forgetLevels(hello.name);
    });
    port.on('message', (message: Message) => {
      if (role !== 'leading' || leading === undefined) socket.destroy();
      else if (message.page === 'hello') {
        takeAllLeft();
        if (endedUnheard.includes(message.name)) {
          socket.destroy();
          return;
        }
        hello = message;
        const sum = addUp();
        const never = Number.NEGATIVE_INFINITY;
        member = { port, countsMs: never, numbersMs: never, waiting: [] };
        sum.members.set(hello.name, member);
        const answer: Welcome = { page: 'welcome', leads: name, heirOf: leading.heirOf };
        port.postMessage(answer);
        addRemote(sum.registry, port, {
          name: hello.title,
          timeoutMs: HAND_OVER_MS,
          attributes: {},
          place: ASKER,
        });
      } else if (message.page === 'numbers' && hello !== undefined) {
        takeNumbers(leading.sum!, hello, message);
        member!.numbersMs = message.timeMs;
        member!.waiting.shift()?.();
      } else if (message.page === 'bye' && hello !== undefined) {
        leading.sum!.members.delete(hello.name);
        leading.sum!.numbers.forgetLevels(hello.name);
        hello = undefined;
      } else if (member !== undefined) {
        // It is of the registry of the member, and the remote reads it.
        const { timeMs } = message as { readonly timeMs?: unknown };
        if (typeof timeMs === 'number') member.countsMs = timeMs;
      }
    });
  }

  function takeNumbers(sum: Sum, from: Pick<Hello, 'name' | 'mark'>, message: Answer): void {
    sum.numbers.take(from.name, from.mark, message.numbers);
    // Readers see its families as its views say.
    for (const [key, its] of message.settings) if (!settings.has(key)) settings.set(key, its);
    warnOfApart(sum);
  }

  let hasWarned = false;
  function warnOfApart({ numbers }: Sum): void {
    const names = hasWarned ? [] : numbers.apart();
    if (names.length === 0) return;
    hasWarned = true;
    warn(
      'HDRSCOPE_UNREACHABLE',
      `gauges and histograms without an HDR view cannot be added up, so scrapes show them by process_pid: ${names.join(', ')}`,
    );
  }

  /** Takes what other processes have left that are not connected: they ended too soon, or while nobody led. Never throws. */
  function takeAllLeft(): void {
    if (leading === undefined) return;
    try {
      const names = place.left().filter((one) => !leading?.sum?.members.has(one));
      endedUnheard = [...names, ...endedUnheard].slice(0, MOST_UNHEARD);
      const lefts = names.flatMap((one) => (place.take(one) as Left | undefined) ?? []);
      inherit(lefts);
      for (const left of lefts) receive(left);
    } catch (error) {
      warn('HDRSCOPE_LOST', `what other processes have left cannot be read: ${reasonOf(error)}`);
    }
  }

  function receive(left: Left): void {
    const sum = addUp();
    const { heirOf } = leading!;
    const isHeir = left.ledBy === undefined || left.ledBy === name || heirOf.includes(left.ledBy);
    receiveChanges(sum, left.title, isHeir ? left.changes : left.changes.map(lastIncrease));
    const { increases } = left.numbers.numbers;
    const numbers = { increases: isHeir ? increases : increases.slice(-1), levels: [], promLevels: [] };
    takeNumbers(sum, left, { ...left.numbers, numbers });
    sum.numbers.forgetLevels(left.name);
  }

  /** Asks all, and has their answers when it ends. */
  async function askAll(sum: Sum, timeoutMs: number, isForScrape: boolean): Promise<void> {
    // The gather of a scrape, which follows, shares these answers, and waits for nobody twice.
    const maxAgeMs = isForScrape ? SHARED_GATHER_MS : HAND_OVER_MS / 2;
    const asked = askNumbers(sum, timeoutMs, isForScrape);
    await Promise.all([asked, sum.registry.gather({ timeoutMs, maxAgeMs })]);
  }

  /** What is done each second. Never rejects. */
  async function takeAll(): Promise<void> {
    takeAllLeft();
    const sum = shared();
    if (sum === undefined) return;
    await collectOwn(HAND_OVER_MS, false);
    await askAll(sum, HAND_OVER_MS, false);
  }

  async function askNumbers(sum: Sum, timeoutMs: number, isForScrape: boolean): Promise<void> {
    sum.numbers.take(name, mark, own.handOver(sum.numbers.takenFrom(name)));
    const answers = [...sum.members].map(([one, member]) => {
      const question: Question = { page: 'numbers?', taken: sum.numbers.takenFrom(one), isForScrape };
      return new Promise<void>((resolve) => {
        member.waiting.push(resolve);
        member.port.postMessage(question);
      });
    });
    await within(Promise.all(answers), timeoutMs).catch(() => undefined);
  }

  // The other processes.

  function follow(): void {
    const socket = connect(place.socketPath);
    const port = socketPort(socket);
    toLeader = { socket, port };
    socket.once('connect', () => {
      const hello: Hello = { page: 'hello', name, title, mark };
      port.postMessage(hello);
    });
    port.on('message', (message: Message) => {
      if (message.page === 'welcome') {
        role = 'following';
        failures = 0;
        continueWith(message.leads, message.heirOf);
        serveRegistry(registry, port);
      } else if (message.page === 'numbers?') {
        const collected = collectOwn(HAND_OVER_MS, message.isForScrape);
        void collected.then(() => port.postMessage(ownNumbers(message.taken)));
      }
    });
    port.on('close', () => {
      if (role === 'following') void join();
      else joinLater();
    });
  }

  /** Lets another page take the counts of this process, which a page has taken before. */
  function continueWith(leads: string, heirOf: readonly string[]): void {
    if (ledBy !== undefined && ledBy !== leads && !heirOf.includes(ledBy)) {
      assumeTaken(registry, ASKER);
      own.assumeTaken();
    }
    ledBy = leads;
  }

  /** Never rejects. */
  async function collectOwn(timeoutMs: number, isForScrape: boolean): Promise<void> {
    const ofSdk = sdk && collectSdk(sdk, { timeoutMillis: timeoutMs });
    // When the provider is shut down, or an instrument fails, what was collected before stands.
    await Promise.all([ofSdk?.catch(() => undefined), readProm(timeoutMs, isForScrape)]);
  }

  async function collectSdk(producer: Producer, options: MetricCollectionOptions): Promise<MetricCollection> {
    const timeMs = Date.now();
    const collection = await producer.collect(options);
    own.collected(collection.resourceMetrics.scopeMetrics, timeMs);
    return collection;
  }

  /** Never rejects. */
  async function readProm(timeoutMs: number, isForScrape: boolean): Promise<void> {
    if (promClient === undefined) return;
    await promClient.read(timeoutMs, isForScrape);
    own.readProm(promClient.state, promClient.timeMs);
  }

  async function collectAll(producer: Producer, options: MetricCollectionOptions): Promise<MetricCollection> {
    await ready;
    const timeoutMs = options.timeoutMillis ?? HAND_OVER_MS;
    const endMs = performance.now() + timeoutMs * SHARE_OF_WAITING;
    const ownMs = (timeoutMs * SHARE_OF_WAITING) / 2;
    const [collection] = await Promise.all([collectSdk(producer, options), readProm(ownMs, true)]);
    const sum = shared();
    if (sum === undefined) return collection;
    await askAll(sum, Math.max(1, endMs - performance.now()), true);
    const resourceMetrics = { ...collection.resourceMetrics, scopeMetrics: sum.numbers.metrics() };
    return { ...collection, resourceMetrics };
  }

  function ownNumbers(taken: number): Answer {
    return { page: 'numbers', timeMs: own.timeMs, numbers: own.handOver(taken), settings: [...settings] };
  }

  return {
    sourceOf({ producer, read, settingsOf }) {
      sdk = producer;
      return {
        settingsOf,
        producer: {
          collect(options: MetricCollectionOptions = {}) {
            scraped = collectAll(producer, options);
            return scraped;
          },
        },
        async read(limits, wantsStates) {
          await ready;
          takeAllLeft();
          const sum = shared();
          if (sum === undefined) return read(limits, wantsStates);
          // The collection has waited: a process that hangs gets no more time.
          const timeoutMs = (limits.timeoutMs ?? HAND_OVER_MS) * SHARE_OF_WAITING;
          return readShown(sum.registry, { ...limits, timeoutMs }, wantsStates);
        },
      };
    },
    async promMetrics() {
      // A collection that fails is another one's to report.
      if (scraped === undefined) await readProm(HAND_OVER_MS, true);
      else await scraped.catch(() => undefined);
      const alone = { series: own.prom.series, levels: [own.prom.levels] };
      const all = shared()?.numbers.prom() ?? alone;
      return inSlices(
        listMetrics(all, (message) => warn('HDRSCOPE_LEFT_OUT', message)),
        new Slices(),
      );
    },
    join: () => void join(),
    leave() {
      if (role === 'gone') return;
      const sum = leading?.sum;
      const isAlone = !isOneOfSeveral && role === 'leading' && leading?.isShared !== true;
      role = 'gone';
      if (leading !== undefined && process.platform !== 'win32') rmSync(place.socketPath, { force: true });
      // A single process that begins anew begins at 0.
      if (isAlone || failures >= TELLING_FAILURES) return;
      // Its own histograms come after those that the page has taken: both may have a part of them.
      const page = sum && {
        heirOf: [name, ...leading!.heirOf],
        taken: takenStates(sum.registry),
        changes: lastChanges(sum.registry, ASKER),
        numbers: sum.numbers.state,
      };
      const last = sdk && collectNow(sdk);
      if (last !== undefined) own.collected(last, Date.now());
      let unread: unknown;
      try {
        promClient?.readNow();
      } catch (error) {
        unread = error;
      }
      if (promClient !== undefined) own.readProm(promClient.state, promClient.timeMs);
      const numbers = ownNumbers(sum?.numbers.takenFrom(name) ?? 0);
      const left: Left = { name, title, mark, ledBy, changes: [lastChanges(registry, ASKER)], numbers, page };
      place.leave(name, left);
      if (unread !== undefined) throw unread;
    },
    abandon() {
      clearTimeout(timer);
      const bye: Bye = { page: 'bye' };
      if (role !== 'gone') toLeader?.port.postMessage(bye);
      role = 'gone';
      toLeader?.socket.end();
      livePage?.close();
      leading?.server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Adds messages that came another way, as those of a remote that ended in good order. */
function receiveChanges(sum: Sum, title: string, changes: readonly object[]): void {
  const [port, sender] = portPair();
  addRemote(sum.registry, port, { name: title, timeoutMs: HAND_OVER_MS, attributes: {}, place: title });
  for (const message of changes) sender.postMessage(message);
  // After them: a remote whose messages cannot be read must not be waited for.
  queueMicrotask(() => port.emit('close'));
}

/** What was sent before the last increase was taken by a page that is gone. */
function lastIncrease(changes: object): object {
  const { increases } = changes as { readonly increases: readonly object[] };
  return { ...changes, increases: increases.slice(-1) };
}

/** Waits until nobody answers at a socket: one that ends has given up the port, and leaves its page only at its very end. */
function endOfPredecessor(socketPath: string): Promise<void> {
  return new Promise((resolve) => {
    const probe = connect(socketPath).unref();
    probe.on('error', () => {});
    probe.on('close', () => resolve());
    probe.setTimeout(LONGEST_WAIT_MS, () => probe.destroy());
  });
}
