import { type ExecFileException, execFile } from 'node:child_process';
import { HdrscopeError } from '@hdrscope/core';
import { filledText, type RulesFor, withDefault } from '@hdrscope/core/internal';
import { reasonOf, TimeoutError, within } from '@hdrscope/kit';
import { Turns } from '../admin-socket/server.ts';
import { adminSocketError } from '../errors.ts';
import { type AskDaemon, readDaemon } from '../importer/ask-histograms.ts';
import type { NamedDaemon } from '../importer/daemons.ts';
import type { ParseDumpSettings } from '../importer/parse-dump.ts';
import type { ImportedHistogram } from '../importer/read-histogram.ts';
import { type DaemonAnswer, Questions } from './questions.ts';

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
/** How long the first reading may take: the program starts three times, on a machine that may be busy. */
const FIRST_PATIENCE_MS = 5000;
const LEAST_PATIENCE_MS = 1000;
/** How many times the longest reading of all daemons together the next one may take, and one in which each daemon has runs of its own. */
const SLOWER = { together: 2, apart: 4 } as const;
/** How many runs of the program may wait for daemons that are not late. One takes some 50 MB. */
const MOST_RUNS = 8;
const ALL_OSDS = 'osd.*';

/**
 * Makes a function that reads the daemons which the program `ceph tell` reaches.
 *
 * A run of the program asks its daemons one after the other, so one that hangs keeps the answers of the others back. When a reading takes
 * too long, it is ended, and each daemon is asked by runs of its own until all have answered. That takes three runs for each daemon instead
 * of three in all.
 *
 * @returns A function that returns the answers of all daemons that have histograms, or that cannot be asked. It rejects with
 *   `ERR_ADMIN_SOCKET` when the program fails, and with the reason of `signal`.
 */
export function readByTell(
  settings: TellSettings,
  parsed: ParseDumpSettings,
): () => Promise<readonly DaemonAnswer[]> {
  const names = new Set<string>();
  let longestMs = 0;
  let apart: Questions<NamedDaemon> | undefined;
  const patienceMs = (how: keyof typeof SLOWER): number =>
    longestMs === 0 ? FIRST_PATIENCE_MS : Math.max(LEAST_PATIENCE_MS, SLOWER[how] * longestMs);

  /** @returns `undefined` when it takes too long. */
  const readTogether = async (): Promise<readonly DaemonAnswer[] | undefined> => {
    const ending = new AbortController();
    const signal = AbortSignal.any([ending.signal, ...(settings.signal ? [settings.signal] : [])]);
    const startMs = performance.now();
    try {
      const reading = readAll({ ...settings, signal }, parsed);
      const answers = await within(reading, patienceMs('together'), { unref: false });
      longestMs = Math.max(longestMs, performance.now() - startMs);
      for (const { name } of answers) names.add(name);
      return answers;
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      ending.abort(error);
      return undefined;
    }
  };

  return async () => {
    if (apart === undefined) {
      const answers = await readTogether();
      if (answers !== undefined) return answers;
      if (names.size === 0) for (const name of await listNames(settings)) names.add(name);
      apart = questionsTo(settings, parsed, {
        patienceMs: patienceMs('apart'),
        waitsAtFirst: longestMs === 0,
      });
    }
    const answers = await apart.read([...names].map((name) => ({ name, ask: askBy(settings, name) })));
    if (answers.every(({ lateMs }) => lateMs === undefined)) apart = undefined;
    return answers.filter(({ histograms }) => histograms === undefined || histograms.length > 0);
  };
}

/** Reads all daemons by one run of the program for each command. */
async function readAll(settings: TellSettings, parsed: ParseDumpSettings): Promise<DaemonAnswer[]> {
  const { target } = settings;
  const problems = new Map<string, string>();
  const ask = askBy(settings, target, problems);
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
  how: { readonly patienceMs: number; readonly waitsAtFirst: boolean },
): Questions<NamedDaemon> {
  const turns = new Turns(MOST_RUNS);
  return new Questions<NamedDaemon>(async ({ name, ask }) => {
    const giveBack = await new Promise<() => void>((resolve) => {
      const back = turns.take(() => resolve(() => back()));
    });
    // A daemon that hangs takes no turn of the others.
    const timer = setTimeout(giveBack, how.patienceMs);
    try {
      const histograms = await readDaemon(ask, { ...parsed, life: undefined, attempts: 1 });
      return { name, histograms: histograms.map((one) => ({ ...one, daemon: one.daemon ?? name })) };
    } catch (error) {
      if (signal?.aborted || !(error instanceof HdrscopeError)) throw error;
      return { name, histograms: undefined, problem: error.message, error };
    } finally {
      clearTimeout(timer);
      giveBack();
    }
  }, how);
}

/** The names of the daemons of a target, also of those that are down. Only all OSDs are a target of several daemons that can hang. */
async function listNames(settings: TellSettings): Promise<string[]> {
  if (settings.target !== ALL_OSDS) return [settings.target];
  const listed: unknown = JSON.parse(await run(settings, ['osd', 'ls'], new Map()));
  return (listed as number[]).map((id) => `osd.${id}`);
}

/** @param problems Gets what the program reports of daemons. */
function askBy(settings: TellSettings, target: string, problems: Map<string, string> = new Map()): AskDaemon {
  return (prefix, args) =>
    run(settings, ['tell', target, ...prefix.split(' '), ...Object.values(args)], problems);
}

/** Runs the program. A daemon that is down makes it fail, after it has printed the answers of the others. */
function run(
  { program, signal }: TellSettings,
  words: readonly string[],
  problems: Map<string, string>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const limits = {
      maxBuffer: LONGEST_ANSWER,
      timeout: TELL_TIMEOUT_MS,
      // A program that waits for an OSD ends at no other signal.
      killSignal: 'SIGKILL',
      signal,
    } as const;
    execFile(program, [...words, '--format', 'json'], limits, (error, stdout, stderr) => {
      if (signal?.aborted) return reject(signal.reason);
      for (const [, problem = '', name = ''] of stderr.matchAll(/^(.*\b(osd\.\d+).*)$/gm)) {
        problems.set(name, problem.trim());
      }
      if (error === null || stdout.includes('{')) return resolve(stdout);
      const message = `${program} ${words.slice(0, 2).join(' ')} has failed: ${explainFailure(error, stderr)}`;
      reject(adminSocketError(message, { program, command: words.slice(2).join(' ') }, error));
    });
  });
}

function explainFailure(error: ExecFileException, stderr: string): string {
  if (error.code === 'ENOENT') return 'there is no such program';
  if (error.killed) return `no answer within ${TELL_TIMEOUT_MS / 1000} s`;
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  return lines.at(-1) ?? reasonOf(error);
}
