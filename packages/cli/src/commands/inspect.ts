import { type InputForm, listNumberPlaces } from '@hdrscope/inputs';
import { findLabels, hasRequests } from '@hdrscope/inputs/internal';
import { ExitCode, type Io } from '../command.ts';
import { defineCommand } from '../define-command.ts';
import { jsonDocument } from '../figures.ts';
import { findForm } from '../inputs/forms.ts';
import { recognise } from '../inputs/input.ts';
import { describeInput, describeUnknown, isUnknownAccessLog, lookAtOperands } from '../inputs/open-inputs.ts';
import { wrapToScreen } from '../screen/help-text.ts';

const DESCRIPTION = `Says what files are by their content, and which commands take them.

Of tables and JSON it lists the columns or fields that have numbers; --json also names those that surely have
measured values, and the labels by which record --by groups requests. The exit code is 1 when no command takes a file.`;

export const command = defineCommand({
  path: 'hdrscope inspect',
  description: DESCRIPTION,
  examples: ['hdrscope inspect results/*', 'hdrscope inspect requests.csv --json'],
  operands: { '<file...>': 'files of any form, plain or gzipped; - is standard input' },
  formats: ['text', 'json'],
  output: 'when done',
  async run({ operands: paths, format }, io) {
    const found: Inspected[] = [];
    for (const operand of (await lookAtOperands(paths)).operands) found.push(await inspect(operand, io));
    await io.stdout.write(
      format === 'json'
        ? jsonDocument({ files: found.map(({ sentence: _, beginning: __, ...file }) => file) })
        : found.map(({ sentence }) => `${wrapToScreen(sentence, io)}\n`).join(''),
    );
    return found.every(({ isTaken }) => isTaken) ? ExitCode.done : ExitCode.refused;
  },
});

export interface Inspected {
  readonly name: string;
  readonly form: InputForm | null;
  /** The fields of JSON or columns of a table that have numbers. */
  readonly fields?: readonly string[];
  readonly columns?: readonly string[];
  /** Those of them that surely have measured values. */
  readonly likely?: readonly string[];
  /** The labels by which its requests can be grouped. */
  readonly labels?: readonly string[];
  /** The option without which its requests are not known. */
  readonly needs?: '--log-format';
  readonly isTaken: boolean;
  readonly sentence: string;
  /** The first lines. */
  readonly beginning: string;
}

/** Forms of which a command counts any field or column. */
const WITH_PLACES: ReadonlySet<InputForm> = new Set(['json', 'table'] as const);

/** Says what an input is, and which commands take it. */
export async function inspect(
  { path, name, title, isFile }: Awaited<ReturnType<typeof lookAtOperands>>['operands'][number],
  io: Io,
): Promise<Inspected> {
  const { kind, source, beginning } = await recognise(path, isFile, io, 'beginning');
  if (kind === undefined) {
    return { name, form: null, isTaken: false, sentence: describeUnknown(name), beginning };
  }
  const places = WITH_PLACES.has(kind) ? listNumberPlaces(beginning) : undefined;
  return {
    name,
    form: kind,
    ...(places && { [`${places.kind}s`]: places.names, likely: places.likely.map((one) => one.name) }),
    ...(hasRequests(kind) && { labels: await findLabels(kind, beginning) }),
    ...(isUnknownAccessLog({ kind, beginning }) && { needs: '--log-format' }),
    isTaken: findForm(kind).reads.length > 0,
    beginning,
    sentence: describeInput({ kind, name, title, source, beginning }, 'hdrscope record'),
  };
}
