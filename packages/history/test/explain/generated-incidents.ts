import { createRandom } from '@hdrscope/testing/random';
import { explainChange } from '../../src/explain/explain-change.ts';
import type { ChangeExplanation } from '../../src/explain/explanation.ts';
import { type Guilty, incidentWorld, world } from './incidents.ts';
import { back, namesOf, QUESTION } from './questions.ts';

/** Names of attribute values together, in one order. */
const ordered = (names: readonly string[]): string => [...names].sort().join(' & ');

/** Which causes are named, and whether the first one and all guilty ones are among them. */
function findIn(
  { verdict, causes }: ChangeExplanation,
  guilty: readonly Guilty[],
): { first: boolean; all: boolean; others: boolean } {
  const truth = guilty.map(({ attributes }) =>
    ordered(Object.entries(attributes).map(([key, value]) => `${key}=${value}`)),
  );
  const named = causes
    .filter((cause) => verdict === 'explained' && cause.verdict.startsWith('explains it'))
    .map((cause) => namesOf(cause).map((names) => ordered(names.split(' & '))));
  const isTrue = (names: readonly string[]): boolean => names.some((one) => truth.includes(one));
  return {
    first: named.length > 0 && isTrue(named[0]!),
    all: truth.every((one) => named.some((names) => names.includes(one))),
    others: !named.every(isTrue),
  };
}

/** How many worlds are generated. */
export interface WorldCounts {
  /** Incidents of one attribute value. */
  readonly incidents: number;
  /** Incidents of each other kind. */
  readonly others: number;
  /** Days with more traffic of one route. */
  readonly days: number;
  readonly quietDays: number;
}

/** How many attribute values each cause has. */
const CAUSES: readonly { causes: string; together: readonly number[] }[] = [
  { causes: 'one attribute value', together: [1] },
  { causes: 'two attribute values together', together: [2] },
  { causes: 'three attribute values together', together: [3] },
  { causes: 'two attribute values, each for itself', together: [1, 1] },
];

/** Describes how often explainChange finds the causes that a generator has hidden. */
export function describeGeneratedIncidents({ incidents, others, days, quietDays }: WorldCounts): void {
  test.each(CAUSES)(
    'of generated incidents of $causes, and of their ends, nearly all have a guilty cause first, and no other one',
    ({ causes, together }) => {
      const count = together.join() === '1' ? incidents : others;
      for (const end of ['begin', 'end']) {
        const found = { first: 0, all: 0, others: 0 };
        for (let seed = 1; seed <= count; seed++) {
          const { series, guilty } = incidentWorld(createRandom(seed), together);
          const result = findIn(explainChange(end === 'end' ? back(series) : series, QUESTION), guilty);
          for (const key of ['first', 'all', 'others'] as const) found[key] += Number(result[key]);
        }
        process.stdout.write(`explain: ${count} incidents of ${causes}, ${end}: ${JSON.stringify(found)}\n`);
        // Slow values of one cause hide which part of the other one is slow.
        const [least, least2] = together.length === 1 ? [0.95, 0.95] : [0.85, 0.75];
        expect(found.first).toBeGreaterThanOrEqual(Math.floor(least! * count));
        expect(found.all).toBeGreaterThanOrEqual(Math.floor(least2! * count));
        expect(found.others).toBeLessThanOrEqual(Math.ceil((1 - least!) * count));
      }
    },
  );

  test(`of ${days} generated days with more traffic of one route, the route is the cause in at least 96 %, by its share`, () => {
    let total = 0;
    let named = 0;
    for (let seed = 1; total < days; seed++) {
      const random = createRandom(seed);
      const value = ['/', '/pay', '/cart', '/search', '/login'][seed % 5]!;
      const incident = { kind: 'traffic', factor: 3 + 10 * random() } as const;
      const guilty = [{ attributes: { route: value }, incident }];
      const { series, changeWith } = world(random, () => guilty);
      if (changeWith(guilty) < 1.2) continue;
      total++;
      const explanation = explainChange(series, QUESTION);
      if (findIn(explanation, guilty).first && explanation.causes[0]!.kind === 'share') named++;
    }
    process.stdout.write(`explain: route with more traffic named in ${named} of ${days}\n`);
    expect(named).toBeGreaterThanOrEqual(0.96 * days);
  });

  test(`of ${quietDays} generated quiet days, at most one gets a verdict`, () => {
    const verdicts: string[] = [];
    for (let seed = 1001; seed <= 1000 + quietDays; seed++) {
      verdicts.push(explainChange(world(createRandom(seed)).series, QUESTION).verdict);
    }
    const wrong = verdicts.filter((verdict) => verdict === 'explained').length;
    process.stdout.write(`explain: ${wrong} verdicts on ${quietDays} quiet days\n`);
    expect(wrong).toBeLessThanOrEqual(1);
  });
}
