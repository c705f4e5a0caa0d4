import type { Resolution } from '@hdrscope/core';
import type { Exemplar } from '@hdrscope/registry';
import type { Distribution, RowExemplar } from './row.ts';
import { valueInTicks } from './ticks.ts';

/** A row has those of its largest values. */
const MOST_EXEMPLARS = 4;
/** Identifiers of OpenTelemetry have 32 and 16. */
const MOST_CHARACTERS = 64;

/** The exemplars of a series with a trace, as rows have them. */
export function rowExemplars(exemplars: readonly Exemplar[], resolution: Resolution): RowExemplar[] {
  return largest(
    exemplars.flatMap(({ value, timeMs, attributes: { trace_id: traceId, span_id: spanId } }) =>
      isIdentifier(traceId)
        ? [
            {
              value: valueInTicks(value, resolution),
              timeMs: Math.floor(timeMs),
              traceId,
              spanId: isIdentifier(spanId) ? spanId : '',
            },
          ]
        : [],
    ),
  );
}

function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MOST_CHARACTERS;
}

/** The exemplars that a row has, of those of all rows that it is the sum of: the largest value first, and one of each trace. */
export function largest(exemplars: readonly RowExemplar[]): RowExemplar[] {
  const sorted = exemplars.toSorted((a, b) => b.value - a.value || b.timeMs - a.timeMs);
  const distinct = new Map<string, RowExemplar>();
  for (const one of sorted) if (!distinct.has(one.traceId)) distinct.set(one.traceId, one);
  return [...distinct.values()].slice(0, MOST_EXEMPLARS);
}

/** Exemplars as a property of a row, which most rows do not have. */
export function exemplarsProperty(exemplars: readonly RowExemplar[]): Pick<Distribution, 'exemplars'> {
  return exemplars.length === 0 ? {} : { exemplars };
}

/** Formats exemplars as the column `exemplars` of the history format has them: empty, or a list in JSON. */
export function formatExemplars(exemplars: readonly RowExemplar[] | undefined = []): string {
  if (exemplars.length === 0) return '';
  return JSON.stringify(
    exemplars.map(({ value, timeMs, traceId, spanId }) => ({
      value,
      time: timeMs,
      trace_id: traceId,
      span_id: spanId,
    })),
  );
}

/** Parses the column `exemplars` of the history format. What is no list of exemplars has none: counts do not depend on it. */
export function parseExemplars(text: string): RowExemplar[] {
  if (text === '') return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? largest(list.flatMap(readExemplar)) : [];
  } catch {
    return [];
  }
}

function readExemplar(json: unknown): RowExemplar[] {
  const { value, time, trace_id: traceId, span_id: spanId } = Object(json) as Record<string, unknown>;
  const isValid =
    typeof value === 'number' && value >= 0 && typeof time === 'number' && isIdentifier(traceId);
  return isValid ? [{ value, timeMs: time, traceId, spanId: isIdentifier(spanId) ? spanId : '' }] : [];
}
