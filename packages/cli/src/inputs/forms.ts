import type { InputForm } from '@hdrscope/inputs';
import type { Form } from './form.ts';
import { FORMS } from './form-table.ts';

type KnownForm = (typeof FORMS)[number];

/** The form of a name. */
export function findForm(name: InputForm | KnownForm['name']): Form {
  return FORMS.find((form) => form.name === name)!;
}

/** Options that make numbers of a form: commands count them as `numbers`. */
const OF_NUMBERS: readonly Form['needs'][] = ['--column', '--field'];

/** The forms that a command reads, as recognition and options name them. */
export function listReadBy<Kind extends InputForm>(command: string): readonly Kind[] {
  const isRead = ({ reads, isStated, needs }: Form): boolean =>
    isStated !== true && !OF_NUMBERS.includes(needs) && reads.includes(command);
  return FORMS.filter(isRead).map(({ name }) => name as Kind);
}

/** A sentence: what a file is, which commands take it, and what else people do. */
export function describeForm(name: string, form: InputForm): string {
  const { verb = 'is', what, reads, needs, cure }: Form = findForm(form);
  const takers = OF_NUMBERS.includes(needs) ? [] : reads.filter((one) => !one.startsWith(OF_AGENT));
  const commands =
    takers.length === 0 ? [] : [`hdrscope ${joinWords(takers)} ${takers.length === 1 ? 'takes' : 'take'} it`];
  return `${name} ${verb} ${what}: ${[...commands, ...(cure === undefined ? [] : [cure])].join('; ')}`;
}

/** The forms that a command reads, as the description of its help lists them. */
export function listForHelp(command: string): string {
  const forms = FORMS.filter(({ reads }: Form) => reads.some((one) => one === command));
  const describe = ({ what, group, madeBy = '' }: Form): string =>
    group === 'Load tests' ? madeBy.replaceAll(/\[([^[\]]{1,100})\]\([^()[\]]{1,200}\)|`/g, '$1') : what;
  return forms.map(describe).join('; ');
}

/** What begins the name of a source or sink of the agent. */
const OF_AGENT = 'run: ';

function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

// Forms of hdrscope convert.

type Converted = Extract<KnownForm, { readonly convert: string }>;

/** What `--from` and `--to` call a form. */
export type FormName = Converted['convert'];

const CONVERTED: readonly Form[] = FORMS.filter((form: Form) => form.convert !== undefined);

/** The forms that `--from` names. */
export const READ_FORMS: readonly FormName[] = listNames(CONVERTED);
/** The forms that `--to` names. */
export const WRITTEN_FORMS: readonly FormName[] = listNames(CONVERTED.filter(isWritten));

/** Whether hdrscope convert writes a form. */
function isWritten({ writes = [] }: Form): boolean {
  return writes.includes('convert');
}

function listNames(forms: readonly Form[]): readonly FormName[] {
  return [...new Set(forms.map(({ convert }) => convert as FormName))];
}

/** The form of files with an ending. */
export function findFormByEnding(path: string): FormName | undefined {
  const matching = CONVERTED.filter(
    ({ ending }) => ending !== undefined && path.toLowerCase().endsWith(ending),
  );
  // The longest: a file of .otlp.json ends with .json, too.
  const [found] = matching.sort((a, b) => b.ending!.length - a.ending!.length);
  return found?.convert as FormName | undefined;
}

/** The forms that are written, with their endings. */
export function listWritten(): string[] {
  return CONVERTED.filter(isWritten).map(({ convert, ending }) =>
    ending === undefined ? convert! : `${convert} (${ending})`,
  );
}

/** The table of forms, as the help of hdrscope convert has it. */
export function listForms(): string {
  // Bounded: there are some twenty forms.
  const width = 2 + Math.max(...READ_FORMS.map((name) => name.length));
  return CONVERTED.map(
    (form) => `  ${form.convert!.padEnd(width)}${form.what} (${isWritten(form) ? 'read, written' : 'read'})`,
  ).join('\n');
}
