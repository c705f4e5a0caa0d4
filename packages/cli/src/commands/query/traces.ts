import { type HistoryExemplar, queryExemplars } from '@hdrscope/history';
import { scaled, valueFormat } from '@hdrscope/inputs/internal';
import { formatTime } from '@hdrscope/kit';
import type { Io } from '../../command.ts';
import { wrapToScreen } from '../../screen/help-text.ts';
import { shownTable } from '../../screen/table.ts';
import { shownUnitOf } from './answer.ts';
import { type AskedHistory, withEngine } from './engine.ts';

/** The largest values of a metric that have a trace. */
export async function readTraces(
  { folder, query }: AskedHistory,
  question: Parameters<typeof queryExemplars>[1],
): Promise<HistoryExemplar[]> {
  return withEngine(folder, () => queryExemplars(folder, question, query));
}

/** A table for each unit; empty when there are no traces. */
export function tracesText(traces: readonly HistoryExemplar[], io: Io): string {
  return [...new Set(traces.map(({ unit }) => unit))]
    .map((unit) => {
      const ofUnit = traces.filter((one) => one.unit === unit);
      const { title, scale } = shownUnitOf(unit);
      const value = valueFormat(
        ofUnit.map((one) => one.value),
        scale,
      );
      const columns = [
        { title: 'value' },
        { title: 'recorded', isText: true },
        { title: 'trace', isText: true },
        { title: 'span', isText: true, spare: 2 },
        { title: 'attributes', isText: true, spare: 1 },
      ];
      const rows = ofUnit.map((one) => [
        value(one.value),
        formatTime(one.timeMs / 1000),
        one.traceId,
        one.spanId,
        Object.entries(one.attributes)
          .map(([key, text]) => `${key}=${text}`)
          .join(', '),
      ]);
      const head = `The largest values with a trace${title === '' ? '' : `, in ${title}`}`;
      return `\n${wrapToScreen(head, io)}\n\n${shownTable(columns, rows, io).join('\n')}\n`;
    })
    .join('');
}

export function tracesJson(traces: readonly HistoryExemplar[]): object[] {
  return traces.map(({ attributes, unit: ucum, value, timeMs, traceId, spanId }) => {
    const { unit, scale } = shownUnitOf(ucum);
    return { value: scaled(value, scale), unit, timeSec: timeMs / 1000, traceId, spanId, attributes };
  });
}
