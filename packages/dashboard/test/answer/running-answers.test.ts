import { RunningAnswers } from '../../src/answer/running-answers.ts';
import { NO_QUESTION, type Question } from '../../src/question.ts';

const tab = (name: string): Question => ({ ...NO_QUESTION, tab: name });
const fixed: Question = { ...NO_QUESTION, range: { fromMs: 1, toMs: 2 } };
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a question that is asked while its answer is made is answered once', async () => {
  let asked = 0;
  let finish = (): void => {};
  const answers: string[] = [];
  const running = new RunningAnswers(
    async ({ tab: name = '' }) => {
      asked++;
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return { tab: { name, plots: [] } };
    },
    (key, events) => answers.push(`${key}: ${events.get('tab')!.data}`),
  );
  for (let n = 0; n < 3; n++) running.ask(tab('a'), 1);
  expect(asked).toBe(1);
  finish();
  await turn();
  expect(answers).toEqual(['tab=a: {"name":"a","plots":[]}']);
  // Another client asks before the next update.
  running.ask(tab('a'), 1);
  expect([asked, answers.length]).toEqual([1, 2]);
  running.ask(tab('a'), 2);
  expect(asked).toBe(2);
});

test.each([0, 3])(
  'a question that is asked for the last time while its answer is made is answered anew, with %i times its time to rest',
  async (restTimes) => {
    let state = 'first';
    const answers: string[] = [];
    const finishes: (() => void)[] = [];
    const running = new RunningAnswers(
      async ({ tab: name = '' }) => {
        const plots = [state] as never[];
        await new Promise<void>((resolve) => finishes.push(resolve));
        return { tab: { name, plots } };
      },
      (_, events) => answers.push(events.get('tab')!.data),
      restTimes,
    );
    running.ask(tab('a'), 1);
    state = 'last';
    running.ask(tab('a'), 2);
    finishes.shift()!();
    while (finishes.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    finishes.shift()!();
    await turn();
    expect(answers).toEqual(['{"name":"a","plots":["first"]}', '{"name":"a","plots":["last"]}']);
    // All has been answered.
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([answers.length, finishes.length]).toEqual([2, 0]);
  },
);

test('an answer about a time that has ended is kept for some seconds, unless nobody asks any more', async () => {
  let asked = 0;
  let answers = 0;
  const running = new RunningAnswers(
    async () => {
      asked++;
      return {};
    },
    () => answers++,
  );
  for (let n = 0; n < 4; n++) {
    running.ask(fixed, n);
    await turn();
  }
  expect([asked, answers]).toEqual([1, 4]);
  running.keep(new Set(['tab=a']));
  running.ask(fixed, 4);
  expect(asked).toBe(2);
});

test('an answer that took long is good for as many times its time as it is to rest', async () => {
  let asked = 0;
  const running = new RunningAnswers(
    async () => {
      asked++;
      const endMs = performance.now() + 20;
      while (performance.now() < endMs);
      return {};
    },
    () => {},
    1000,
  );
  for (let n = 0; n < 4; n++) {
    running.ask(tab('a'), n);
    await turn();
  }
  expect(asked).toBe(1);
});

test('an answer that fails is asked for again', async () => {
  let asked = 0;
  const running = new RunningAnswers(
    async () => {
      asked++;
      throw new Error('no');
    },
    () => {},
  );
  for (let n = 0; n < 2; n++) {
    running.ask(tab('a'), 1);
    await turn();
  }
  expect(asked).toBe(2);
});
