import { emptyTable, type TableRow, type TableState } from '../../browser/state.ts';
import type { FamilyFacts, TableMessage } from '../../src/messages.ts';

/** A family of durations. */
export const familyOf = (id: number, name = `family ${id}`): FamilyFacts => ({
  ...{ id, name, description: '', counted: 's', digits: 2, unit: 's' },
});

/** A message without changes. */
export const MESSAGE: TableMessage = {
  ...{
    isWhole: false,
    title: '',
    opensFiles: false,
    everyMs: 1000,
    timeMs: 0,
    leftOut: 0,
    epoch: 'a',
    isRecord: false,
    isReading: false,
  },
  history: {
    ...{ range: { fromMs: 0, toMs: 0 }, intervals: 0, finestMs: 0, coarsestMs: 0, bytes: 0, mostBytes: 0 },
    ...{ gaps: [], gapCount: 0, gapMs: 0 },
  },
  past: null,
  ...{ families: [], series: [], rows: [], removed: [], exporters: [], tabs: [], errors: [], refusals: [] },
};

/** A row of a family, with values that tests do not read. */
export function rowOf(name: string, ...attributes: string[]): TableRow {
  const label = `${name} ${attributes.join(', ')}`.trim();
  return {
    ...{ family: familyOf(0, name), attributes, label, searched: label.toLowerCase(), seriesCount: 1 },
    row: [0, 0, 0, null, null],
  };
}

/** A table with families and no series. */
export function tableOf(...families: FamilyFacts[]): TableState {
  const state = emptyTable();
  for (const family of families) state.families.set(family.id, family);
  return state;
}
