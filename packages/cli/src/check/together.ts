import { Refusal } from '../command.ts';
import type { ErrorCount } from '../inputs/load-tools/load-summary.ts';
import { CountedEvidence } from './counted-evidence.ts';
import type { Subject } from './subject.ts';

/**
 * All subjects as one.
 *
 * @throws Refusal when their values cannot be added up.
 */
export function together(subjects: readonly Subject[]): Subject {
  const [first, ...others] = subjects;
  if (first !== undefined && others.length === 0) return first;
  const counted: CountedEvidence[] = [];
  for (const { evidence, name } of subjects) {
    if (evidence instanceof CountedEvidence) counted.push(evidence);
    else
      throw new Refusal(
        `${name} has percentiles of one run, and those of several cannot be added up: leave out --together`,
      );
  }
  const evidence = CountedEvidence.sum(counted);
  if (first === undefined || evidence === undefined || others.some(({ unit }) => unit !== first.unit)) {
    throw new Refusal(
      'values of different units, or integers and doubles, cannot be added up: leave out --together',
    );
  }
  const names = [...new Set(subjects.map(({ name }) => name))];
  const name =
    names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
  const notes = [...new Set(subjects.flatMap((one) => one.notes))];
  return { name, unit: first.unit, evidence, errors: sumOfErrors(subjects), notes };
}

function sumOfErrors(subjects: readonly Subject[]): ErrorCount | string {
  let sum: ErrorCount | undefined;
  for (const { errors, name } of subjects) {
    if (typeof errors === 'string') return `${name}: ${errors}`;
    const { failed = 0, requests = 0 } = sum ?? {};
    sum = { ...errors, failed: failed + errors.failed, requests: requests + errors.requests };
  }
  return sum!;
}
