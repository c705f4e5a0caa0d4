/** What the page asks of the commands about a file, by the form of its content. */
import type { InputForm } from '@hdrscope/inputs';
import { hasCounts, hasRequests, isSketch, NUMBER_UNITS } from '@hdrscope/inputs/internal';
import { findForm } from 'hdrscope/internal';
import type { Job } from './job.ts';

/** A file, as `hdrscope inspect --json` describes it. */
export interface Inspected {
  readonly name: string;
  /** `null` for a text of no known form. */
  readonly form: InputForm | null;
  readonly isTaken: boolean;
  readonly columns?: readonly string[];
  readonly fields?: readonly string[];
  /** The columns or fields that surely have measured values. */
  readonly likely?: readonly string[];
  /** The labels of its requests. */
  readonly labels?: readonly string[];
  readonly needs?: '--log-format';
}

/** What the reader has chosen for a file. */
export interface Choices {
  /** The column or the field that has the values. */
  readonly place?: string | undefined;
  /** The format of an access log. */
  readonly logFormat?: string | undefined;
  readonly unit?: string | undefined;
  /** The label that groups requests. */
  readonly by?: string | undefined;
}

/** A command about files. */
export type Question = Pick<Job, 'command' | 'words' | 'table'>;

/** The units that the reader chooses from. */
export const UNITS: readonly string[] = NUMBER_UNITS;

function readers({ form }: Inspected): readonly string[] {
  return form === null ? [] : findForm(form).reads;
}

/** Whether a command takes a file. A table and JSON have values only where the reader says so. */
export function takes(file: Inspected, command: string, { place, logFormat }: Choices = {}): boolean {
  const isKnown = listPlaces(file).length === 0 || place !== undefined || logFormat !== undefined;
  return readers(file).includes(command) && isKnown;
}

/** The columns or fields that may have the values; none when the content says where they are. */
export function listPlaces({ form, columns = [], fields = [] }: Inspected): readonly string[] {
  return form === 'table' ? columns : form === 'json' ? fields : [];
}

/** The column or field with the values, where there is no doubt. A wrong one would give figures of something else. */
export function choosePlace({ likely = [], needs }: Inspected): string | undefined {
  return likely.length === 1 && needs === undefined ? likely[0] : undefined;
}

/** Whether the values of a file may be in any unit, so that the reader has to say it. */
export function hasOpenUnit({ form }: Inspected): boolean {
  return form === 'numbers' || form === 'table' || form === 'json' || form === 'encoded';
}

/** The labels by which requests are grouped. Those of a log whose format is stated are in nearly every format. */
export function listLabels({ labels, needs }: Inspected): readonly string[] {
  return labels ?? (needs === '--log-format' ? ['route', 'status', 'method'] : []);
}

/** The options that say where the values are, and in which unit. */
export function listOptions(file: Inspected, { place, unit, logFormat }: Choices): string[] {
  if (logFormat !== undefined) return ['--log-format', logFormat];
  return [
    ...(place === undefined ? [] : [file.form === 'table' ? '--column' : '--field', place]),
    ...(unit === undefined ? [] : ['--unit', unit]),
  ];
}

/** The command that prints the figures of a file; `undefined` when none does. */
export function askFigures(file: Inspected, choices: Choices): Question | undefined {
  const { form, name } = file;
  if (form === null) return undefined;
  if (takes(file, 'log summary')) return { command: 'log summary', words: [name, '--json'], table: 'values' };
  if (takes(file, 'record', choices)) {
    const by =
      choices.by === undefined || (file.needs !== undefined && choices.logFormat === undefined)
        ? []
        : ['--by', choices.by];
    return {
      command: 'record',
      words: [name, ...listOptions(file, choices), ...by, '--json'],
      table: isSketch(form) || hasCounts(form) ? 'bounds' : 'values',
    };
  }
  return form === 'encoded' || form === 'recorded'
    ? { command: 'figures', words: [name], table: 'values' }
    : undefined;
}

/** The command that makes a log of requests, whose times plots show; `undefined` where a file has none. */
export function askLog(
  file: Inspected,
  choices: Choices,
): (Question & { readonly output: string }) | undefined {
  const { form, name } = file;
  const isOfRequests = (form !== null && hasRequests(form)) || choices.logFormat !== undefined;
  if (!isOfRequests || !takes(file, 'record', choices)) return undefined;
  const words = [name, ...listOptions(file, choices), '--every', '1s'];
  return { command: 'record', words, output: 'requests.hlog' };
}

/** The commands that draw a file: one for each kind of plot that its form has. */
export function askPlots(file: Inspected, choices: Choices): Question[] {
  if (!takes(file, 'plot', choices) && file.form !== 'json') return [];
  // A dump of Ceph is JSON, too, and says itself what it shows.
  const kinds = file.form === 'log' ? ['percentiles', 'over-time', 'heat-map'] : [];
  const words = [file.name, ...listOptions(file, choices), '--json'];
  return kinds.length === 0
    ? [{ command: 'plot', words }]
    : kinds.map((kind) => ({ command: 'plot', words: [...words, '--kind', kind] }));
}

/** The command that judges objectives such as `p99=250ms`. */
export function askCheck(file: Inspected, choices: Choices, objectives: readonly string[]): Question {
  const slos = objectives.flatMap((objective) => ['--slo', objective]);
  return { command: 'check', words: [file.name, ...listOptions(file, choices), ...slos, '--markdown'] };
}
