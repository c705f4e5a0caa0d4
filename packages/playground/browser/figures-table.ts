import { type Figures, UNKNOWN } from '@hdrscope/inputs/internal';
import { formatCount } from '@hdrscope/kit';
import { columnsFor, figureCells } from 'hdrscope/internal';
import type { FiguresTable, LabelledFigures } from './job.ts';

/** A document of `hdrscope log summary --json`, `hdrscope record --json` or `hdrscope query --json`. */
type FiguresDocument =
  | { readonly tags: readonly LabelledFigures[] }
  | { readonly groups: readonly LabelledFigures[] }
  | LabelledFigures;

/**
 * The table of a document that a command printed, in the words in which the command prints it for people, with the bounds of each value.
 *
 * @param areBounds Whether the values are known within wide bounds only, so that the bounds stand for them.
 */
export function tabulateFigures(document: FiguresDocument, areBounds: boolean): FiguresTable {
  const isLog = 'tags' in document;
  const all: readonly LabelledFigures[] = isLog
    ? document.tags
    : 'groups' in document
      ? document.groups
      : [document];
  const [first] = all;
  const keys = [...new Set(all.flatMap((one) => Object.keys(readLabels(one))))];
  const hasFailed = all.some(({ failed }) => typeof failed === 'number');
  const percentiles = first?.percentiles.map(({ percentile }) => percentile) ?? [];
  const columns = columnsFor({ percentiles }, ['count', ...(isLog ? ['rate'] : []), 'min', 'mean']);
  const figures = all.map((one) => ({ ...readDocument(one), areBounds }));
  const unit = first?.unit === 'ms' || first?.unit === 'bytes' || first?.unit === 'KiB' ? first.unit : '';
  const cells = figureCells(columns, figures, unit);
  const bounds = figureCells(
    columns,
    figures.map((one) => ({ ...one, areBounds: true })),
    unit,
  );
  return {
    unit: first?.unit ?? 'none',
    heads: isLog ? ['tag'] : [...keys, ...(hasFailed ? ['failed'] : [])],
    columns: columns.map(({ title }) => title),
    rows: all.map((one, row) => ({
      heads: isLog
        ? [one.tag ?? '(no tag)']
        : [
            ...keys.map((key) => readLabels(one)[key] ?? ''),
            ...(hasFailed ? [typeof one.failed === 'number' ? formatCount(one.failed) : '-'] : []),
          ],
      cells: cells[row]!.map((text, at) => ({
        text,
        ...(bounds[row]![at] !== text && { bounds: bounds[row]![at]! }),
      })),
    })),
  };
}

/** What distinguishes a distribution from others. Series may lack an attribute. */
function readLabels({ labels, attributes }: LabelledFigures): Readonly<Record<string, string>> {
  return labels ?? attributes ?? {};
}

/** The figures of a document. Numbers that it has as `null` are not known. */
function readDocument(document: LabelledFigures): Figures {
  const { name, unit, count, min, mean, max, percentiles, startSec, endSec } = document;
  return {
    ...{ name, unit, count: count ?? undefined },
    ...(startSec !== undefined && endSec !== undefined && { seconds: endSec - startSec }),
    ...{ min: readFigure(min), mean: readFigure(mean), max: readFigure(max) },
    percentiles: percentiles.map(({ percentile, ...figure }) => ({ percentile, ...readFigure(figure) })),
  };
}

function readFigure({ value, lower, upper }: LabelledFigures['min']): Figures['min'] {
  if (value === null && lower === null && upper === null) return UNKNOWN;
  const [least, most] = [lower ?? Number.NEGATIVE_INFINITY, upper ?? Number.POSITIVE_INFINITY];
  return value === null ? { lower: least, upper: most } : { value, lower: least, upper: most };
}
