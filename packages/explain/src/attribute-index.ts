import type { AttributeValue, Candidate, SeriesChange } from './series-change.ts';

/** The attribute values of some series as numbers, so that thousands of them are added up in one pass. */
export interface AttributeIndex {
  /** All attribute values. Their places are the numbers. */
  readonly values: readonly AttributeValue[];
  /** The numbers of each series. */
  readonly ofSeries: readonly Int32Array[];
}

export function indexAttributes(series: readonly Pick<SeriesChange, 'attributes'>[]): AttributeIndex {
  const values: AttributeValue[] = [];
  const known = new Map<string, Map<string, number>>();
  const ofSeries = series.map(({ attributes }) =>
    Int32Array.from(Object.entries(attributes), ([key, value]) => {
      const ofKey = known.get(key) ?? new Map<string, number>();
      known.set(key, ofKey);
      const number = ofKey.get(value) ?? values.push({ key, value }) - 1;
      ofKey.set(value, number);
      return number;
    }),
  );
  return { values, ofSeries };
}

/**
 * Each attribute value with its series, of those in `among`. Values that select the same series are one candidate, the first of them is
 * that of the earlier key.
 */
export function listCandidates(
  { values, ofSeries }: AttributeIndex,
  among: Iterable<number> = ofSeries.keys(),
): Candidate[] {
  const members: number[][] = values.map(() => []);
  for (const i of among) for (const number of ofSeries[i]!) members[number]!.push(i);
  const candidates: { attributes: AttributeValue[][]; members: readonly number[] }[] = [];
  // Values of one key share no series, so a series is the first one of few.
  const byFirst = new Map<number, typeof candidates>();
  for (const [number, own] of members.entries()) {
    if (own.length === 0) continue;
    const alike = byFirst.get(own[0]!) ?? [];
    byFirst.set(own[0]!, alike);
    const same = alike.find(
      (one) => one.members.length === own.length && one.members.every((member, i) => member === own[i]),
    );
    if (same !== undefined) same.attributes.push([values[number]!]);
    else {
      const candidate = { attributes: [[values[number]!]], members: own };
      candidates.push(candidate);
      alike.push(candidate);
    }
  }
  return candidates;
}

/** The series in `among` that have all of some attribute values. */
export function selectSeries(
  among: readonly number[],
  series: readonly Pick<SeriesChange, 'attributes'>[],
  attributes: readonly AttributeValue[],
): number[] {
  return among.filter((i) => attributes.every(({ key, value }) => series[i]!.attributes[key] === value));
}
