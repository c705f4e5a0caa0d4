import { h, setAttribute, setChildren, setText, table } from '@hdrscope/page/dom';
import type { CountedUnit } from '@hdrscope/registry';
import type { FamilyFacts, ObjectiveResult } from '../src/messages.ts';
import { type Objective, objectiveValue, parseObjective } from '../src/question.ts';
import { Chips } from './chips.ts';
import { shareText } from './texts.ts';

/** An objective as people write it: `p99.9=250ms`. */
export function objectiveText({ percentile, value }: Objective): string {
  return `p${percentile}=${value}`;
}

/**
 * Reads an objective for the values of a family.
 *
 * @returns The objective, or a sentence that says what is wrong with the text.
 */
export function readObjective(
  text: string,
  family: Pick<FamilyFacts, 'name' | 'counted'> | undefined,
): Objective | string {
  const objective = parseObjective(text);
  if (objective === undefined) {
    return `"${text}" cannot be read. Write a percentile and the largest value it may have, such as ${exampleFor(family?.counted)}.`;
  }
  if (family === undefined || objectiveValue(objective, family.counted) !== undefined) return objective;
  return `${objective.value} does not suit ${family.name}, which counts ${KINDS[family.counted]}. Write ${exampleFor(family.counted)}, for example.`;
}

const KINDS: Readonly<Record<CountedUnit, string>> = {
  ns: 'times',
  us: 'times',
  ms: 'times',
  s: 'times',
  bytes: 'sizes',
  KiB: 'sizes',
  none: 'numbers without a unit',
};

function exampleFor(unit: CountedUnit = 's'): string {
  if (unit === 'none') return 'p99=100';
  return unit === 'bytes' || unit === 'KiB' ? 'p99=64KiB' : 'p99.9=250ms';
}

const VERDICTS: Readonly<Record<ObjectiveResult['verdict'], string>> = {
  kept: '✓ kept',
  missed: '✗ missed',
  undecided: '? undecided',
};

/** The objectives of the page: a field that adds one, a chip for each, and the share of values that keeps it. */
export class Objectives {
  readonly element: HTMLElement;
  readonly #onChange: (objectives: readonly Objective[]) => void;
  readonly #chips: Chips;
  readonly #input = h('input', {
    type: 'text',
    size: '16',
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-describedby': 'objective-error',
  });
  readonly #error = h('p', { class: 'error', id: 'objective-error', role: 'alert' });
  readonly #results = h('div', {
    class: 'scroll',
    hidden: true,
    tabindex: '0',
    role: 'region',
    'aria-label': 'Objectives',
  });
  #family: FamilyFacts | undefined;
  #objectives: readonly Objective[] = [];

  constructor(onChange: (objectives: readonly Objective[]) => void) {
    this.#onChange = onChange;
    this.#chips = new Chips('Objectives', (text) => {
      onChange(this.#objectives.filter((one) => objectiveText(one) !== text));
    });
    const form = h(
      'form',
      {},
      h('label', {}, 'Objective ', this.#input),
      h('button', { type: 'submit' }, 'Add'),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#add();
    });
    this.element = h(
      'section',
      { class: 'results objectives' },
      h('div', { class: 'tools' }, form, this.#chips.element, this.#error),
      this.#results,
    );
  }

  /** @param family The family of the picked row. */
  show(objectives: readonly Objective[], family: FamilyFacts | undefined): void {
    this.#objectives = objectives;
    this.#family = family;
    setAttribute(this.#input, 'placeholder', exampleFor(family?.counted));
    this.#chips.show(objectives.map(objectiveText));
  }

  /** Shows the share of the picked row's values that keeps each objective. */
  showResults(results: readonly ObjectiveResult[]): void {
    this.#results.hidden = results.length === 0;
    const rows = results.map((result) =>
      h(
        'tr',
        {},
        h('th', { scope: 'row' }, result.name),
        h('td', {}, shareText(result.share)),
        h('td', { class: 'verdict', 'data-verdict': result.verdict }, VERDICTS[result.verdict]),
      ),
    );
    setChildren(this.#results, [table(['Objective', 'Share within', 'Verdict'], rows)]);
  }

  #add(): void {
    const text = this.#input.value.trim();
    if (text === '') return;
    const read = readObjective(text, this.#family);
    const isWrong = typeof read === 'string';
    setText(this.#error, isWrong ? read : '');
    setAttribute(this.#input, 'aria-invalid', isWrong ? 'true' : undefined);
    if (isWrong) return;
    this.#input.value = '';
    const known = this.#objectives.some((one) => objectiveText(one) === objectiveText(read));
    if (!known) this.#onChange([...this.#objectives, read]);
  }
}
