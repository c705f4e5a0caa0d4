import { javaFixture } from './java.ts';

/** Declares a test for each case that can be replayed, and prints what the other cases need. */
export function replay<Case extends { readonly name: string }>(
  fixtureName: string,
  skip: (one: Case) => string | undefined,
  run: (one: Case) => void,
): void {
  const fixture = javaFixture<Case>(fixtureName);
  for (const reason of new Set(fixture.cases.map(skip))) {
    if (reason === undefined) continue;
    const names = fixture.cases.filter((one) => skip(one) === reason).map((one) => one.name);
    console.log(`${fixtureName}: left out for ${reason}: ${names.join('; ')}`);
  }
  const replayed = fixture.cases.filter((one) => skip(one) === undefined);
  test.each(replayed.map((one) => [one.name, one] as const))('%s', (_name, one) => run(one));
}
