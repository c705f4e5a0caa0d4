import { DIALECTS } from '../dialects.ts';
import { firstTick, lastTick, ticksInUnit } from '../slot-sql.ts';
import { SEVERAL_SCALES } from './refusals.ts';

const { clickhouse } = DIALECTS;

const VALUE_BOUNDS = "'Tuple(lower Nullable(Float64), upper Nullable(Float64))'";
const FEWEST_BITS = 'minIf(bits, notEmpty(k))';
const ONE_SCALE = `(min(scale) + throwIf(min(scale) <> max(scale), ${clickhouse.text(SEVERAL_SCALES)}))`;
// Equal to `k` where a call has [] for w: both aggregates are then one.
const LASTS = 'if(empty(w), k, k + arrayResize(w, length(k)))';

/**
 * The slot of the percentile, at the fewest bits. The slots of all rows are at 20 bits before: a shift keeps the order, so one pass is
 * enough. The percentage is the double below: see Percentiles in docs/formats/history.md.
 */
function slotOfRank(slots: string): string {
  const level = 'p * (1 - exp2(-53)) / 100';
  return `bitShiftRight(quantileExactWeightedArray(${level})(${slots} * toInt32(exp2(20 - bits)), CAST(c, 'Array(UInt64)')), 20 - ${FEWEST_BITS})`;
}

/** Counts of the slots whose bounds `hdr_slot` follow a condition. */
function countWhere(condition: (slot: string) => string): string {
  const bounds = 'hdr_bounds(hdr_first, hdr_first + hdr_width, bits, scale)';
  return `sum(arraySum((hdr_first, hdr_n, hdr_width) -> if(${condition(bounds)}, hdr_n, 0), k, c, arrayResize(w, length(k))))`;
}

const MERGED =
  'sumMap(arrayMap((hdr_first, hdr_last) -> bitShiftLeft(toInt64(hdr_first), 52 - bits) + bitShiftLeft(toInt64(hdr_last), 20 - bits), k, k + arrayResize(w, length(k))), c)';
// Slots that differ in the bits that are cut off become one.
const CUT = `arrayReduce('sumMap', [arrayMap(hdr_pair -> bitShiftLeft(bitShiftRight(hdr_pair, 52 - ${FEWEST_BITS}), 32) + bitShiftRight(bitAnd(hdr_pair, 4294967295), 20 - ${FEWEST_BITS}), (${MERGED}).1)], [(${MERGED}).2])`;

const LAMBDAS: readonly (readonly [name: string, parameters: string, body: string])[] = [
  ['hdr_slot_start', 'slot, bits', firstTick('slot', 'bits', clickhouse)],
  ['hdr_ticks_in_unit', 'ticks, scale', ticksInUnit('ticks', 'scale')],
  [
    'hdr_bounds',
    'first, last, bits, scale',
    `CAST(tuple(${ticksInUnit(`(${firstTick('first', 'bits', clickhouse)})`, 'scale')}, ${ticksInUnit(`(${lastTick('first', 'last', 'bits', clickhouse)})`, 'scale')}), 'Tuple(lower Float64, upper Float64)')`,
  ],
  [
    'hdr_percentile',
    'k, c, w, bits, scale, p',
    `if(max(length(k)) = 0, CAST(tuple(NULL, NULL), ${VALUE_BOUNDS}), CAST(hdr_bounds(${slotOfRank('k')}, ${slotOfRank(LASTS)}, ${FEWEST_BITS}, ${ONE_SCALE}), ${VALUE_BOUNDS}))`,
  ],
  [
    'hdr_merge',
    'k, c, w, bits, scale',
    `CAST(tuple(arrayMap(hdr_pair -> bitShiftRight(hdr_pair, 32), (${CUT}).1), (${CUT}).2, arrayMap(hdr_pair -> bitAnd(hdr_pair, 4294967295) - bitShiftRight(hdr_pair, 32), (${CUT}).1), ${FEWEST_BITS}, ${ONE_SCALE}), 'Tuple(k Array(Int32), c Array(Int64), w Array(Int32), bits Int32, scale Float64)')`,
  ],
  [
    'hdr_count_within',
    'k, c, w, bits, scale, low, high',
    `CAST(tuple(${countWhere((slot) => `(${slot}).lower >= low AND (${slot}).upper <= high`)}, ${countWhere((slot) => `(${slot}).upper >= low AND (${slot}).lower <= high`)}), 'Tuple(lower Int64, upper Int64)')`,
  ],
];

/** SQL functions of ClickHouse. */
export const CLICKHOUSE_FUNCTIONS: readonly string[] = LAMBDAS.map(
  ([name, parameters, body]) => `CREATE OR REPLACE FUNCTION ${name} AS (${parameters}) ->\n  ${body}`,
);
