import { recogniseInput } from '@hdrscope/inputs';
import { FORMS } from '../../src/inputs/form-table.ts';
import { describeForm, findForm, listReadBy } from '../../src/inputs/forms.ts';

test('each form has a name of its own, and is read, written or refused with a cure', () => {
  const names = FORMS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const form of names.map((name) => findForm(name)))
    expect([form.name, form.reads.length > 0 || form.cure !== undefined]).toEqual([form.name, true]);
});

test('what a file is names exactly the commands that read it', () => {
  const kind = recogniseInput('1\n2\n')!;
  expect(describeForm('it', kind)).toBe(
    'it is a text of numbers: hdrscope record, check, diff and plot take it',
  );
  for (const command of ['record', 'check', 'diff', 'plot']) expect(listReadBy(command)).toContain('numbers');
  expect(listReadBy('serve')).toEqual(['log', 'percentiles']);
});
