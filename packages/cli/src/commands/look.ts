import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { hasCounts, hasRequests, isAccessLog, isSketch } from '@hdrscope/inputs/internal';
import { ExitCode, type Io } from '../command.ts';
import { quoted } from '../inputs/numbers.ts';
import { isCephDump, lookAtOperands } from '../inputs/open-inputs.ts';
import { wrapToScreen } from '../screen/help-text.ts';
import { type Inspected, inspect } from './inspect.ts';

/** Words of a command line behind `hdrscope`, and what they are for. */
type Proposal = readonly [words: readonly string[], purpose: string];

/** What shows what is in a file, and what people do next. */
interface Look {
  /** The command that shows it. @default none: a sentence says what the file is */
  readonly shown?: readonly string[];
  readonly next: readonly Proposal[];
}

/**
 * `hdrscope FILE`: shows what is in a file, or in the folder of a history, and names three commands that go on.
 *
 * @param run Runs a command of hdrscope.
 * @returns The exit code of the command that shows it; 1 when no command takes the file.
 */
export async function look(
  path: string,
  io: Io,
  run: (words: readonly string[]) => Promise<number>,
): Promise<number> {
  if ((await stat(path)).isDirectory()) return show(lookAtHistory(path), run, io);
  const { operands } = await lookAtOperands([path]);
  const inspected = await inspect(operands[0]!, io);
  const found = lookAt(inspected, path);
  if (found?.shown === undefined) await io.stdout.write(`${wrapToScreen(inspected.sentence, io)}\n`);
  if (found === undefined) return inspected.isTaken ? ExitCode.done : ExitCode.refused;
  return show(found, run, io);
}

/** `undefined` for forms of which a person has to say first what is wanted, and for those that no command takes. */
function lookAt({ form: kind, beginning }: Inspected, path: string): Look | undefined {
  const plot: Proposal = [['plot', path, '-o', `${basename(path)}.html`], 'draws it as a page'];
  const check: Proposal = [['check', path, '--slo', 'p99=250ms'], 'says whether 99 % were at most 250 ms'];
  const diff: Proposal = [['diff', path, 'OTHER'], 'says whether another one differs'];
  if (kind === 'log') {
    const tail: Proposal = [['log', 'tail', '-f', path], 'follows it'];
    return { shown: ['log', 'summary', path], next: [plot, check, tail] };
  }
  if (kind === 'percentiles') return { shown: ['log', 'summary', path], next: [plot, check, diff] };
  if (kind === 'numbers') {
    const record: Proposal = [['record', path, '--unit', 'ms'], 'takes them for milliseconds'];
    return { shown: ['record', path], next: [record, plot, diff] };
  }
  if (kind === null) return undefined;
  if (kind === 'otlp') return lookAtOtlp(path);
  if (isCephDump({ kind, beginning })) {
    const heatmap: Proposal = [['ceph', 'heatmap', path], 'draws latency by size'];
    const schema: Proposal = [['ceph', 'schema', path], 'says what its histograms count'];
    return { shown: ['ceph', 'dump', path], next: [heatmap, schema, plot] };
  }
  if (isSketch(kind)) return lookAtSketch(path, kind);
  if (hasCounts(kind)) return { shown: ['record', path], next: [check] };
  if (isAccessLog(kind)) {
    const status: Proposal = [['record', path, '--by', 'status'], 'shows the percentiles of each status'];
    return { shown: ['record', path, '--by', 'route'], next: [status, plot, check] };
  }
  const isDrawn = kind === 'encoded' || kind === 'recorded' || hasRequests(kind);
  return isDrawn ? { shown: ['plot', path], next: [plot, check, diff] } : undefined;
}

/** A DDSketch does not state the library that wrote it, so a person has to. */
function lookAtSketch(path: string, kind: string): Look {
  const stated = kind === 'ddsketch' ? ['--from', 'ddsketch'] : [];
  const convert: Proposal = [
    ['convert', path, ...stated, '-o', `${basename(path)}.hlog`],
    'makes an interval log of it, and says how exact that is',
  ];
  if (kind !== 'ddsketch') return { shown: ['record', path], next: [convert] };
  return {
    next: [[['record', path, ...stated], 'shows it, when sketches-go or sketches-java wrote it'], convert],
  };
}

function lookAtHistory(path: string): Look {
  return {
    shown: ['query', path],
    next: [
      [['query', path, '--metric', 'NAME'], 'shows the percentiles of a metric'],
      [['query', path, '--metric', 'NAME', '--every', '1h', '-o', 'NAME.html'], 'draws them over time'],
      [['history', 'verify', path], 'looks for damaged files'],
    ],
  };
}

function lookAtOtlp(path: string): Look {
  return {
    next: [
      [['history', 'import', path, '-o', 'history'], 'adds its histograms to a history'],
      [['query', 'history'], 'shows what a history has'],
    ],
  };
}

async function show(
  { shown, next }: Look,
  run: (words: readonly string[]) => Promise<number>,
  io: Io,
): Promise<number> {
  const exitCode = shown === undefined ? ExitCode.done : await run(shown);
  if (exitCode !== ExitCode.done) return exitCode;
  const lines = next.map(([words, purpose]) => `  hdrscope ${words.map(quoted).join(' ')}\n      ${purpose}`);
  await io.stdout.write(`${shown === undefined ? '' : '\n'}next:\n${lines.join('\n')}\n`);
  return exitCode;
}
