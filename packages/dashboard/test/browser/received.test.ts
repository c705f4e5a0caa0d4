import { questionText } from '../../browser/address.ts';
import { Received } from '../../browser/received.ts';
import type { DetailMessage, RowsMessage, WhyMessage } from '../../src/messages.ts';
import { NO_QUESTION, type Question } from '../../src/question.ts';
import { familyOf, MESSAGE } from './support.ts';

const MERGED: Question = { ...NO_QUESTION, by: [] };

const rowsFor = (question: Question, count: number): RowsMessage => ({
  question: questionText(question),
  leftOut: count,
  families: [],
  rows: [{ family: 0, attributes: [], seriesCount: 2, count, perSecond: 0, values: null, last: null }],
});

const detailFor = (question: Question, label: string): DetailMessage => ({
  question: questionText(question),
  ...{ label, facts: [], plots: [], objectives: [] },
});

/** With one series, counted once. */
function received(): Received {
  const one = new Received();
  one.takeTable({
    ...{ ...MESSAGE, isWhole: true, timeMs: 1000, families: [familyOf(0, 'rpc')] },
    series: [{ id: 0, family: 0, attributes: ['method=get'] }],
    rows: [[0, 1, 0, null, null]],
  });
  return one;
}

const countsOf = (one: Received, question: Question): number[] =>
  one.rowsOf(question).map(({ row }) => row[1]);

test('a message is the first one, or of another server', () => {
  const one = new Received();
  expect(one.takeTable(MESSAGE)).toEqual({ isFirst: true, isRestarted: false });
  expect(one.takeTable(MESSAGE)).toEqual({ isFirst: false, isRestarted: false });
  expect(one.takeTable({ ...MESSAGE, epoch: 'b' })).toEqual({ isFirst: false, isRestarted: true });
});

test('a question with rows of its own has the rows of the table until its answer comes', () => {
  const one = received();
  expect([countsOf(one, MERGED), one.hasRowsOf(MERGED)]).toEqual([[1], false]);

  expect(one.takeRows(rowsFor(MERGED, 7), MERGED)).toBe(true);

  expect([countsOf(one, MERGED), one.hasRowsOf(MERGED), one.leftOutOf(MERGED)]).toEqual([[7], true, 7]);
  expect([countsOf(one, NO_QUESTION), one.leftOutOf(NO_QUESTION)]).toEqual([[1], 0]);
});

test('another pick leaves the rows as they are, and other filters do not', () => {
  const one = received();
  one.takeRows(rowsFor(MERGED, 7), MERGED);
  expect(one.hasRowsOf({ ...MERGED, pick: 'rpc' })).toBe(true);
  expect(one.hasRowsOf({ ...MERGED, where: ['method=get'] })).toBe(false);
});

test('an answer to a question that is no longer asked is not shown', () => {
  const one = received();
  expect(one.takeRows(rowsFor(MERGED, 7), NO_QUESTION)).toBe(false);
  expect(one.takeDetail(detailFor({ ...NO_QUESTION, pick: 'a' }, 'a'), { ...NO_QUESTION, pick: 'b' })).toBe(
    false,
  );
  expect(one.takeTab({ name: 'Ceph', plots: [] }, { ...NO_QUESTION, tab: 'Kernel' })).toBe(false);
  expect(one.detail).toBeUndefined();
});

test('a record has the rows of its answer without any question', () => {
  const one = received();
  one.takeTable({ ...MESSAGE, isRecord: true });
  one.takeRows(rowsFor(NO_QUESTION, 9), NO_QUESTION);
  expect(countsOf(one, NO_QUESTION)).toEqual([9]);
  one.togglePause();
  expect(one.pausedMs).toBeUndefined();
});

describe('a pause', () => {
  test('keeps the rows of the table, which go on unseen', () => {
    const one = received();
    one.togglePause();
    one.takeTable({ ...MESSAGE, timeMs: 2000, rows: [[0, 5, 4, null, null]] });
    expect([countsOf(one, NO_QUESTION), one.pausedMs]).toEqual([[1], 1000]);
    one.togglePause();
    expect([countsOf(one, NO_QUESTION), one.pausedMs]).toEqual([[5], undefined]);
  });

  test('keeps answers, and shows the last ones when it ends', () => {
    const one = received();
    const question = { ...MERGED, pick: 'rpc' };
    one.takeRows(rowsFor(question, 7), question);
    one.takeDetail(detailFor(question, 'first'), question);
    one.togglePause();

    expect(one.takeRows(rowsFor(question, 8), question)).toBe(false);
    expect(one.takeRows(rowsFor(question, 9), question)).toBe(false);
    expect(one.takeDetail(detailFor(question, 'last'), question)).toBe(false);

    expect([countsOf(one, question), one.detail?.label]).toEqual([[7], 'first']);
    one.togglePause();
    expect([countsOf(one, question), one.detail?.label]).toEqual([[9], 'last']);
  });

  test('keeps the explanation of a change', () => {
    const one = received();
    const question = { ...NO_QUESTION, pick: 'rpc' };
    const why = (summary: string) => ({ question: questionText(question), summary }) as WhyMessage;
    expect(one.takeWhy(why('of another row'), { ...question, pick: 'other' })).toBe(false);
    one.takeWhy(why('first'), question);
    one.togglePause();
    expect(one.takeWhy(why('last'), question)).toBe(false);
    expect(one.why?.summary).toBe('first');
    one.togglePause();
    expect(one.why?.summary).toBe('last');
  });

  test('shows the first answer to what is asked during it', () => {
    const one = received();
    one.togglePause();
    const question = { ...MERGED, pick: 'rpc' };

    expect(one.takeRows(rowsFor(question, 7), question)).toBe(true);
    expect(one.takeRows(rowsFor(question, 8), question)).toBe(false);
    expect(one.takeDetail(detailFor(question, 'first'), question)).toBe(true);
    const other = { ...question, pick: 'other' };
    expect(one.takeDetail(detailFor(other, 'second'), other)).toBe(true);

    expect([countsOf(one, question), one.detail?.label]).toEqual([[7], 'second']);
  });
});
