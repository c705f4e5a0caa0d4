import {
  addressOf,
  askedOf,
  FIRST_VIEW,
  type PageView,
  questionText,
  rowsQuestion,
  viewOfAddress,
} from '../../browser/address.ts';
import { hasOwnRows, NO_QUESTION } from '../../src/question.ts';

const FULL: PageView = {
  question: {
    pick: 'rpc.duration method=get, route=/a?b&c#d',
    other: 'rpc.duration method=put',
    range: { fromMs: 1_700_000_000_000, toMs: 1_700_000_060_000 },
    baseline: { fromMs: 1_699_999_940_000, toMs: 1_700_000_000_000 },
    by: ['http.route', 'a,b'],
    where: ['status=500', 'status=503'],
    objectives: [{ percentile: 99.9, value: '250ms' }],
    why: 99,
    tab: undefined,
  },
  search: 'get /a',
  span: 'last',
  sorting: { key: 3, isDescending: true },
  isWhyOpen: true,
  isUtc: true,
};

test('an address holds everything that people have chosen', () => {
  expect(viewOfAddress(`#${addressOf(FULL)}`)).toEqual(FULL);
});

test('the first view has no address', () => {
  expect(addressOf(FIRST_VIEW)).toBe('');
  expect(viewOfAddress('')).toMatchObject({ search: '', span: 'all', sorting: FIRST_VIEW.sorting });
});

test.each([
  [{ key: '@http.route', isDescending: false }, 'sort=%40http.route'],
  [{ key: 'count', isDescending: true }, 'sort=-count'],
  [{ key: 'name', isDescending: true }, 'sort=-name'],
  [{ key: 'name', isDescending: false }, 'sort=name'],
  [{ key: 4, isDescending: false }, 'sort=max'],
] as const)('the sorting %j is %s', (sorting, text) => {
  expect(addressOf({ ...FIRST_VIEW, sorting })).toBe(text);
  expect(viewOfAddress(text).sorting).toEqual(sorting);
});

test('parts that cannot be read are left out', () => {
  const view = viewOfAddress('#time=5-4&sort=nonsense&span=never&utc=yes&slo=p99&q=a');

  expect(view).toMatchObject({ search: 'a', span: 'all', sorting: FIRST_VIEW.sorting, isUtc: undefined });
  expect(view.question.range).toBeUndefined();
  expect(view.question.objectives).toEqual([]);
});

test('a tab is asked without the question of the series, which the address keeps', () => {
  const question = { ...FULL.question, tab: 'Kernel' };
  expect(askedOf(question)).toEqual({ ...NO_QUESTION, tab: 'Kernel' });
  expect(askedOf(FULL.question)).toBe(FULL.question);
  expect(askedOf({ ...FULL.question, other: FULL.question.pick })).toEqual({
    ...FULL.question,
    other: undefined,
  });
});

test('a question with times that are no integers is equal to its answer', () => {
  const range = { fromMs: 1000.4, toMs: 2000.6 };
  expect(questionText({ ...NO_QUESTION, range })).toBe('time=1000-2001');
});

test('rows depend on the time, the merges and the filters only', () => {
  const rows = rowsQuestion(questionText(FULL.question));
  expect(rowsQuestion(questionText({ ...FULL.question, pick: 'x', other: undefined, objectives: [] }))).toBe(
    rows,
  );
  expect(rowsQuestion(questionText({ ...FULL.question, where: [] }))).not.toBe(rows);
  expect([
    hasOwnRows(NO_QUESTION),
    hasOwnRows({ ...NO_QUESTION, by: [] }),
    hasOwnRows(FULL.question),
  ]).toEqual([false, true, true]);
});
