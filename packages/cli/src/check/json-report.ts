import { boundsJson, jsonDocument } from '../figures.ts';
import { isKept } from './conclusion.ts';
import type { Judged } from './verdicts.ts';

/** Formats the verdicts for a program. Values are in the unit of their subject. */
export function jsonReport(all: readonly Judged[], confidence: number): string {
  return jsonDocument({
    isKept: isKept(all),
    confidence,
    subjects: all.map(({ subject: { name, tag, unit, evidence, errors, notes }, rows }) => ({
      name,
      tag: tag ?? null,
      unit,
      count: typeof evidence === 'string' ? null : evidence.count,
      errors: typeof errors === 'string' ? null : errors,
      objectives: rows.map((row) => ({
        kind: row.kind,
        objective: row.objective,
        percentile: row.percentile ?? null,
        threshold: row.threshold ?? null,
        verdict: row.verdict,
        isFailure: row.isFailure,
        actual: row.actual === undefined ? null : boundsJson(row.actual),
        interval: row.interval === undefined ? null : boundsJson(row.interval),
        within: row.within === undefined ? null : boundsJson(row.within),
        note: row.note ?? null,
      })),
      notes,
    })),
  });
}
