import { createRandom } from '@hdrscope/testing/random';
import { explainChange } from '../../src/explain/explain-change.ts';
import type { ChangeExplanation } from '../../src/explain/explanation.ts';
import { type Guilty, incidentWorld, world } from './incidents.ts';
import { back, namesOf, QUESTION } from './questions.ts';

/** Whether the guilty attribute comes first, and is the cause that is named. */
function isFound(
  { verdict, causes }: ChangeExplanation,
  { key, value }: Guilty,
): { first: boolean; named: boolean } {
  const first = causes[0] !== undefined && namesOf(causes[0]).includes(`${key}=${value}`);
  return { first, named: first && verdict === 'explained' };
}

/** How many worlds are generated. */
export interface WorldCounts {
  readonly incidents: number;
  /** Days with more traffic of one route. */
  readonly days: number;
  readonly quietDays: number;
}

/** Describes how often explainChange finds the cause that a generator has hidden. */
export function describeGeneratedIncidents({ incidents, days, quietDays }: WorldCounts): void {
  test(`of ${incidents} generated incidents, and of their ends, the guilty attribute comes first in at least 95 %, and is named`, () => {
    const found = { incidents: { first: 0, named: 0 }, ends: { first: 0, named: 0 } };
    for (let seed = 1; seed <= incidents; seed++) {
      const { series, guilty } = incidentWorld(createRandom(seed));
      for (const [name, all] of [['incidents', series] as const, ['ends', back(series)] as const]) {
        const { first, named } = isFound(explainChange(all, QUESTION), guilty);
        found[name].first += Number(first);
        found[name].named += Number(named);
      }
    }
    process.stdout.write(`explain: guilty attribute of ${incidents} incidents ${JSON.stringify(found)}\n`);
    for (const { first, named } of Object.values(found)) {
      expect(first).toBeGreaterThanOrEqual(0.95 * incidents);
      expect(named).toBeGreaterThanOrEqual(0.95 * incidents);
    }
  });

  test(`of ${days} generated days with more traffic of one route, the route is the cause in at least 96 %, by its share`, () => {
    let total = 0;
    let named = 0;
    for (let seed = 1; total < days; seed++) {
      const random = createRandom(seed);
      const value = ['/', '/pay', '/cart', '/search', '/login'][seed % 5]!;
      const guilty = {
        key: 'route',
        value,
        incident: { kind: 'traffic', factor: 3 + 10 * random() },
      } as const;
      const { series, change } = world(random, () => guilty);
      if (change < 1.2) continue;
      total++;
      const explanation = explainChange(series, QUESTION);
      if (isFound(explanation, guilty).named && explanation.causes[0]!.kind === 'share') named++;
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
