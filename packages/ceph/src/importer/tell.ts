import { type ChildProcess, type ExecFileException, execFile } from 'node:child_process';
import { filledText, type RulesFor, withDefault } from '@hdrscope/core/internal';
import { reasonOf, TimeoutError } from '@hdrscope/kit';
import { Turns } from '../admin-socket/server.ts';
import { adminSocketError } from '../errors.ts';
import { type AskDaemon, readDaemon } from './ask-histograms.ts';
import type { NamedDaemon } from './daemons.ts';
import type { ParseDumpSettings } from './parse-dump.ts';
import { askDaemon, type DaemonAnswer, orMistake, Questions } from './questions.ts';
import type { ImportedHistogram } from './read-histogram.ts';

/** How the program `ceph tell` is run. */
export interface TellOptions {
  /** The daemons. @default 'osd.*' */
  readonly target?: string;
  /** The path of the `ceph` program. @default 'ceph' */
  readonly program?: string;
  /** Ends a reading. @default a reading ends within a minute */
  readonly signal?: AbortSignal;
}

/** The rules of `target` and `program`. */
export const TELL_RULES: RulesFor<Pick<TellOptions, 'target' | 'program'>> = {
  target: withDefault(filledText('the name of daemons, such as osd.*'), 'osd.*'),
  program: withDefault(filledText('the path of a program'), 'ceph'),
};

/** The options of `readByTell`. */
interface TellSettings {
  readonly target: string;
  readonly program: string;
  readonly signal: AbortSignal | undefined;
}

const TELL_TIMEOUT_MS = 60_000;
const LONGEST_ANSWER = 2 ** 28;
/** How long the program may be silent at first: it starts and connects, on a machine that may be busy. */
const FIRST_PATIENCE_MS = 5000;
const LEAST_PATIENCE_MS = 1000;
/** How many times as long as in the reading before it may be silent, and a reading by runs of their own may take. */
const SLOWER = 3;
/** How many runs of the program may wait for daemons that are not late. One takes some 50 MB. */
const MOST_RUNS = 8;
const ALL_OSDS = 'osd.*';

/** What is seen of runs that ask several daemons. They print the answer of a daemon as soon as they have it. */
interface Watch {
  /** How long a run may print nothing. */
  readonly patienceMs: number;
  /** The longest time that a run has printed nothing. */
  silentMs: number;
  /** The daemons whose answers the last run has printed. */
  readonly printed: Set<string>;
}

/**
 * Makes a function that reads the daemons which the program `ceph tell` reaches.
 *
 * A run of the program asks its daemons one after the other, so one that hangs keeps back the answers of those after it. When a run is
 * silent for too long, it is ended, and each daemon is asked by runs of its own until all have answered. That takes three runs for each
 * daemon instead of three in all.
 *
 * @returns A function that returns the answers of all daemons that have histograms, or that cannot be asked. It rejects with
 *   `ERR_ADMIN_SOCKET` when the program fails, and with the reason of `signal`.
 */
export function readByTell(
  settings: TellSettings,
  parsed: ParseDumpSettings,
): () => Promise<readonly DaemonAnswer[]> {
  /** The daemons of the last reading of all together, in the order in which they are asked. */
  let last: readonly DaemonAnswer[] = [];
  let [silentMs, lastMs] = [0, 0];
  let apart: { readonly names: readonly string[]; readonly questions: Questions<NamedDaemon> } | undefined;
  const patienceFor = (ms: number): number =>
    ms === 0 ? FIRST_PATIENCE_MS : Math.max(LEAST_PATIENCE_MS, SLOWER * ms);

  /** @returns `undefined` when a daemon seems to hang. */
  const readTogether = async (): Promise<readonly DaemonAnswer[] | undefined> => {
    const watch: Watch = { patienceMs: patienceFor(silentMs), silentMs: 0, printed: new Set() };
    const startMs = performance.now();
    try {
      last = await readAll(settings, parsed, watch);
      [silentMs, lastMs] = [watch.silentMs, performance.now() - startMs];
      return last;
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      const hanging = last.find(
        ({ name, histograms }) => histograms !== undefined && !watch.printed.has(name),
      );
      const how = {
        patienceMs: patienceFor(lastMs),
        waitsAtFirst: last.length === 0,
        slow: hanging === undefined ? [] : [hanging.name],
      };
      const names = last.length === 0 ? await listNames(settings) : last.map(({ name }) => name);
      apart = { names, questions: questionsTo(settings, parsed, how) };
      return undefined;
    }
  };

  return async () => {
    const together = apart === undefined ? await readTogether() : undefined;
    if (together !== undefined) return together;
    const { names, questions } = apart!;
    const answers = await questions.read(names.map((name) => ({ name, ask: askBy(settings, name) })));
    if (answers.every(({ lateMs }) => lateMs === undefined)) apart = undefined;
    return answers.filter(({ histograms }) => histograms === undefined || histograms.length > 0);
  };
}

/** Reads all daemons by one run of the program for each command. */
async function readAll(
  settings: TellSettings,
  parsed: ParseDumpSettings,
  watch: Watch,
): Promise<DaemonAnswer[]> {
  const { target } = settings;
  const problems = new Map<string, string>();
  const ask = askBy(settings, target, problems, watch);
  const byDaemon = new Map<string, ImportedHistogram[]>();
  for (const one of await readDaemon(ask, { ...parsed, life: undefined, attempts: 1 })) {
    const { daemon = target } = one;
    byDaemon.set(daemon, [...(byDaemon.get(daemon) ?? []), one]);
  }
  const silent = [...problems].filter(([name]) => !byDaemon.has(name));
  return [
    ...[...byDaemon].map(([name, all]) => ({ name, histograms: all })),
    ...silent.map(([name, problem]) => ({ name, histograms: undefined, problem })),
  ];
}

/** Questions to single daemons, each by runs of its own. */
function questionsTo(
  { signal }: TellSettings,
  parsed: ParseDumpSettings,
  how: { readonly patienceMs: number; readonly waitsAtFirst: boolean; readonly slow: readonly string[] },
): Questions<NamedDaemon> {
  const turns = new Turns(MOST_RUNS);
  return new Questions<NamedDaemon>(async (daemon) => {
    const giveBack = await new Promise<() => void>((resolve) => {
      const back = turns.take(() => resolve(() => back()));
    });
    // A daemon that hangs takes no turn of the others.
    const timer = setTimeout(giveBack, how.patienceMs);
    try {
      const answer = await askDaemon(daemon, parsed, 1);
      signal?.throwIfAborted();
      return orMistake(answer);
    } finally {
      clearTimeout(timer);
      giveBack();
    }
  }, how);
}

/** The names of the daemons of a target, also of those that are down. Only all OSDs are a target of several daemons that can hang. */
async function listNames(settings: TellSettings): Promise<string[]> {
  if (settings.target !== ALL_OSDS) return [settings.target];
  const text = await run(settings, ['osd', 'ls'], new Map());
  // An array of numbers, on one line or several.
  return [...text.matchAll(/\d+/g)].map(([id]) => `osd.${id}`);
}

/** @param problems Gets what the program reports of daemons. */
function askBy(
  settings: TellSettings,
  target: string,
  problems: Map<string, string> = new Map(),
  watch?: Watch,
): AskDaemon {
  return (prefix, args) =>
    run(settings, ['tell', target, ...prefix.split(' '), ...Object.values(args)], problems, watch);
}

/** Runs the program. A daemon that is down makes it fail, after it has printed the answers of the others. */
function run(
  { program, signal }: TellSettings,
  words: readonly string[],
  problems: Map<string, string>,
  watch?: Watch,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let isSilent = false;
    const limits = {
      maxBuffer: LONGEST_ANSWER,
      timeout: TELL_TIMEOUT_MS,
      // A program that waits for an OSD ends at no other signal.
      killSignal: 'SIGKILL',
      signal,
    } as const;
    const child = execFile(program, [...words, '--format', 'json'], limits, (error, stdout, stderr) => {
      stopWatching();
      if (isSilent) return reject(new TimeoutError(`${program} prints nothing any more`));
      if (signal?.aborted) return reject(signal.reason);
      for (const [, problem = '', name = ''] of stderr.matchAll(/^(.*\b(osd\.\d+).*)$/gm)) {
        problems.set(name, problem.trim());
      }
      if (error === null || stdout.includes('{')) return resolve(stdout);
      const message = `${program} ${words.slice(0, 2).join(' ')} has failed: ${explainFailure(error, stderr)}`;
      reject(adminSocketError(message, { program, command: words.slice(2).join(' ') }, error));
    });
    const stopWatching =
      watch === undefined
        ? () => {}
        : watchOutput(child, watch, () => {
            isSilent = true;
            child.kill('SIGKILL');
          });
  });
}

/** @returns A function that ends the watch when the program has ended. */
function watchOutput({ stdout }: ChildProcess, watch: Watch, onSilent: () => void): () => void {
  let heardMs = performance.now();
  const timer = setTimeout(onSilent, watch.patienceMs);
  const hear = (): void => {
    const nowMs = performance.now();
    watch.silentMs = Math.max(watch.silentMs, nowMs - heardMs);
    heardMs = nowMs;
    timer.refresh();
  };
  watch.printed.clear();
  stdout?.on('data', (text: string) => {
    hear();
    for (const [, name = ''] of text.matchAll(/^(\w+\.\w+): /gm)) watch.printed.add(name);
  });
  return () => {
    hear();
    clearTimeout(timer);
  };
}

function explainFailure(error: ExecFileException, stderr: string): string {
  if (error.code === 'ENOENT') return 'there is no such program';
  if (error.killed) return `no answer within ${TELL_TIMEOUT_MS / 1000} s`;
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  return lines.at(-1) ?? reasonOf(error);
}
