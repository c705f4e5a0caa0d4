import { applyChanges, distinguishingAttributes, emptyTable, type TableState } from '../browser/state.ts';
import type { FamilyFacts, SeriesFacts, TableMessage } from '../src/messages.ts';

const family = (id: number): FamilyFacts => ({
  ...{ id, name: `family ${id}`, description: '', counted: 's', unit: 's' },
});

function tableWith(series: readonly SeriesFacts[], families = [family(0), family(1)]): TableMessage {
  return {
    ...{ isWhole: false, title: '', opensFiles: false, everyMs: 1000, timeMs: 0 },
    ...{ families, series, rows: [], removed: [], views: [], errors: [], refusals: [] },
  };
}

const series = (id: number, of: number, ...attributes: string[]): SeriesFacts => ({
  ...{ id, family: of, attributes },
});

/** The attributes that rows show, by the id of the series. */
const shown = ({ series: all }: TableState): (readonly string[])[] =>
  [...all.values()].map(distinguishingAttributes);

test('attributes that all series of a family share are left out of their rows', () => {
  const state = emptyTable();
  applyChanges(
    state,
    tableWith([
      series(0, 0, 'method=GET', 'route=/a', 'scheme=http'),
      series(1, 0, 'method=GET', 'route=/b', 'scheme=http'),
      series(2, 0, 'method=POST', 'route=/b', 'scheme=http'),
      series(3, 1, 'scheme=http'),
    ]),
  );
  expect(shown(state)).toEqual([
    ['method=GET', 'route=/a'],
    ['method=GET', 'route=/b'],
    ['method=POST', 'route=/b'],
    // It has no siblings.
    ['scheme=http'],
  ]);
});

test('the shared attributes of a family change with its series', () => {
  const state = emptyTable();
  applyChanges(state, tableWith([series(0, 0, 'a=1', 'b=1')]));
  expect(shown(state)).toEqual([['a=1', 'b=1']]);
  applyChanges(state, tableWith([series(1, 0, 'a=1', 'b=2')], []));
  expect(shown(state)).toEqual([['b=1'], ['b=2']]);
  applyChanges(state, tableWith([series(2, 0, 'otel.metric.overflow=true')], []));
  expect(shown(state)).toEqual([['a=1', 'b=1'], ['a=1', 'b=2'], ['otel.metric.overflow=true']]);
  applyChanges(state, { ...tableWith([series(0, 0, 'a=1', 'b=1')]), isWhole: true });
  expect(shown(state)).toEqual([['a=1', 'b=1']]);
});

test('a search finds series by attributes that their rows leave out', () => {
  const state = emptyTable();
  applyChanges(state, tableWith([series(0, 0, 'a=1', 'b=1'), series(1, 0, 'a=1', 'b=2')]));
  expect([...state.series.values()].map(({ label, searched }) => [label, searched])).toEqual([
    ['family 0 a=1, b=1', 'family 0 a=1, b=1'],
    ['family 0 a=1, b=2', 'family 0 a=1, b=2'],
  ]);
});

test('a series that is removed loses its row, and its siblings show what distinguishes them', () => {
  const state = emptyTable();
  const all = [
    series(0, 0, 'a=1', 'b=1'),
    series(1, 0, 'a=1', 'b=2'),
    series(2, 0, 'a=2', 'b=2'),
    series(3, 1),
  ];
  applyChanges(state, tableWith(all));
  expect(shown(state)).toEqual([['a=1', 'b=1'], ['a=1', 'b=2'], ['a=2', 'b=2'], []]);

  applyChanges(state, { ...tableWith([], []), removed: [0, 3, 99] });
  expect([...state.series.keys()]).toEqual([1, 2]);
  expect(shown(state)).toEqual([['a=1'], ['a=2']]);
  expect([...state.families.keys()]).toEqual([0]);

  applyChanges(state, { ...tableWith([], []), removed: [2] });
  expect(shown(state)).toEqual([['a=1', 'b=2']]);
  applyChanges(state, tableWith([series(4, 1, 'c=1')], [family(1)]));
  expect([...state.series.keys()]).toEqual([1, 4]);
});
