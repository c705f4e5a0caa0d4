import { DIALECTS } from '../dialects.ts';
import { firstTick, lastTick, ticksInUnit } from '../slot-sql.ts';
import { NO_PERCENTILE, SEVERAL_SCALES } from './refusals.ts';

const { postgres } = DIALECTS;

const ROW = 'k integer[], c bigint[], w integer[], bits integer, scale double precision';
const TYPES = 'integer[], bigint[], integer[], integer, double precision';
const PURE = 'IMMUTABLE PARALLEL SAFE';

function typeSql(name: string, columns: string): string {
  return `DO $$ BEGIN CREATE TYPE ${name} AS (${columns}); EXCEPTION WHEN duplicate_object THEN NULL; END $$`;
}

function functionSql(call: string, returns: string, body: string, language = 'sql'): string {
  return `CREATE OR REPLACE FUNCTION ${call} RETURNS ${returns} LANGUAGE ${language} ${PURE} AS $$\n${body}\n$$`;
}

/**
 * Adds a row to the counts of a group: a hash table in an array, in which each slot has three elements, its first and its last number at 20
 * bits and its count. Before them are: how many places there are, how many are used, the fewest bits, the scale and the percentile. The
 * number of places is odd, so neighbouring slots, which differ by a power of two, get different places.
 *
 * @param more Parameters after those of a row.
 */
function addRowSql(more: string, percentile: string): string {
  return functionSql(
    `hdr_add_row(counts double precision[], ${ROW}${more})`,
    'double precision[]',
    `DECLARE
  places integer := coalesce(counts[1], 127);
  used integer := coalesce(counts[2], 0);
  found double precision[] := coalesce(counts, ARRAY[127, 0, NULL, scale, ${percentile}] || array_fill(0::double precision, ARRAY[3 * 127]));
  has_widths boolean := cardinality(w) > 0;
  slot double precision;
  last double precision;
  place integer;
BEGIN
  IF found[4] <> scale THEN RAISE EXCEPTION '${SEVERAL_SCALES}'; END IF;
  IF found[5] NOT BETWEEN 0 AND 100 THEN RAISE EXCEPTION '${NO_PERCENTILE}'; END IF;
  FOR i IN 1 .. coalesce(cardinality(k), 0) LOOP
    found[3] := least(found[3], bits);
    slot := k[i] << (20 - bits);
    last := CASE WHEN has_widths THEN (k[i] + coalesce(w[i], 0)) << (20 - bits) ELSE slot END;
    place := 6 + 3 * ((k[i] << (20 - bits)) % places);
    WHILE found[place + 2] > 0 AND (found[place] <> slot OR found[place + 1] <> last) LOOP
      place := CASE WHEN place = 3 + 3 * places THEN 6 ELSE place + 3 END;
    END LOOP;
    IF found[place + 2] = 0 THEN
      used := used + 1;
      found[place] := slot;
      found[place + 1] := last;
    END IF;
    found[place + 2] := found[place + 2] + c[i];
    IF 2 * used > places THEN
      found[2] := used;
      found := hdr_more_places(found);
      places := found[1];
    END IF;
  END LOOP;
  found[2] := used;
  RETURN found;
END`,
    'plpgsql',
  );
}

const SLOTS = `(SELECT counts[i]::bigint AS slot, counts[i + 1]::bigint AS last, counts[i + 2] AS n
  FROM generate_series(6, 3 + 3 * counts[1]::integer, 3) AS i WHERE counts[i + 2] > 0) AS slots`;

interface Steps {
  readonly state: string;
  readonly add: string;
  readonly combine: string;
  readonly final?: string;
}

const SLOT_COUNTS: Steps = { state: 'double precision[]', add: 'hdr_add_row', combine: 'hdr_add_counts' };

/** An aggregate of rows. @param more The types of parameters after those of a row. */
function aggregateSql(
  name: string,
  more: string,
  { state, add, combine, final = `${name}_of_counts` }: Steps,
): string {
  return `CREATE OR REPLACE AGGREGATE ${name}(${TYPES}${more}) (
  SFUNC = ${add}, STYPE = ${state}, COMBINEFUNC = ${combine}, FINALFUNC = ${final}, PARALLEL = SAFE)`;
}

/** Types, functions and aggregates of PostgreSQL. */
export const POSTGRES_FUNCTIONS: readonly string[] = [
  typeSql('hdr_bounds', 'lower double precision, upper double precision'),
  typeSql('hdr_count_bounds', 'lower bigint, upper bigint'),
  typeSql('hdr_slots', 'k integer[], c bigint[], w integer[], bits integer, scale double precision'),
  functionSql(
    'hdr_slot_start(slot integer, bits integer)',
    'double precision',
    `SELECT ${firstTick('slot', 'bits', postgres)}`,
  ),
  functionSql(
    'hdr_ticks_in_unit(ticks double precision, scale double precision)',
    'double precision',
    `SELECT ${ticksInUnit('ticks', 'scale')}`,
  ),
  functionSql(
    'hdr_slot_end(slot integer, last integer, bits integer)',
    'double precision',
    `SELECT ${lastTick('slot', 'last', 'bits', postgres)}`,
  ),
  functionSql(
    'hdr_more_places(counts double precision[])',
    'double precision[]',
    `DECLARE
  places integer := 2 * counts[1]::integer + 1;
  moved double precision[] := ARRAY[places, counts[2], counts[3], counts[4], counts[5]] || array_fill(0::double precision, ARRAY[3 * places]);
  place integer;
BEGIN
  FOR i IN 6 .. 3 + 3 * counts[1]::integer BY 3 LOOP
    CONTINUE WHEN counts[i + 2] = 0;
    place := 6 + 3 * (counts[i]::integer % places);
    WHILE moved[place + 2] > 0 LOOP
      place := CASE WHEN place = 3 + 3 * places THEN 6 ELSE place + 3 END;
    END LOOP;
    moved[place] := counts[i];
    moved[place + 1] := counts[i + 1];
    moved[place + 2] := counts[i + 2];
  END LOOP;
  RETURN moved;
END`,
    'plpgsql',
  ),
  addRowSql('', 'NULL'),
  addRowSql(', p double precision', 'p'),
  functionSql(
    'hdr_add_counts(others double precision[], counts double precision[])',
    'double precision[]',
    `BEGIN
  IF others IS NULL OR counts IS NULL THEN RETURN coalesce(others, counts); END IF;
  others[3] := least(others[3], counts[3]);
  RETURN (
    SELECT hdr_add_row(others, array_agg(slot::integer), array_agg(n::bigint), array_agg((last - slot)::integer), 20, counts[4])
    FROM ${SLOTS}
  );
END`,
    'plpgsql',
  ),
  functionSql(
    'hdr_percentile_of_counts(counts double precision[])',
    'hdr_bounds',
    // The percentage is the double below: see Percentiles in docs/formats/history.md.
    `SELECT ROW(hdr_ticks_in_unit(hdr_slot_start(slot, bits), scale), hdr_ticks_in_unit(hdr_slot_end(slot, last, bits), scale))::hdr_bounds
FROM (
  SELECT min(slot) FILTER (WHERE upto >= rank)::integer >> (20 - counts[3]::integer) AS slot,
    min(last) FILTER (WHERE last_upto >= rank)::integer >> (20 - counts[3]::integer) AS last, counts[3]::integer AS bits, counts[4] AS scale
  FROM (
    SELECT slot, last, sum(n) OVER (ORDER BY slot, last ROWS UNBOUNDED PRECEDING) AS upto,
      sum(n) OVER (ORDER BY last, slot ROWS UNBOUNDED PRECEDING) AS last_upto,
      greatest(1, ceil(counts[5] * (1 - power(2::double precision, -53)) * sum(n) OVER () / 100)) AS rank
    FROM ${SLOTS}
  ) AS ranked
) AS found`,
  ),
  functionSql(
    'hdr_merge_of_counts(counts double precision[])',
    'hdr_slots',
    `SELECT ROW(array_agg(slot ORDER BY slot, last), array_agg(n ORDER BY slot, last), array_agg(last - slot ORDER BY slot, last), counts[3]::integer, counts[4])::hdr_slots
FROM (
  SELECT slot::integer >> (20 - counts[3]::integer) AS slot, last::integer >> (20 - counts[3]::integer) AS last, sum(n)::bigint AS n
  FROM ${SLOTS} GROUP BY 1, 2
) AS merged`,
  ),
  functionSql(
    `hdr_add_within(counts bigint[], ${ROW}, low double precision, high double precision)`,
    'bigint[]',
    `SELECT ARRAY[
  coalesce(counts[1], 0) + coalesce(sum(n) FILTER (WHERE lower >= low AND upper <= high), 0)::bigint,
  coalesce(counts[2], 0) + coalesce(sum(n) FILTER (WHERE upper >= low AND lower <= high), 0)::bigint]
FROM (
  SELECT n, hdr_ticks_in_unit(hdr_slot_start(slot, bits), scale) AS lower,
    hdr_ticks_in_unit(hdr_slot_end(slot, slot + coalesce(width, 0), bits), scale) AS upper
  FROM unnest(k, c, w) AS used(slot, n, width)
) AS bounded`,
  ),
  functionSql(
    'hdr_add_bounds(others bigint[], counts bigint[])',
    'bigint[]',
    'SELECT ARRAY[coalesce(others[1], 0) + coalesce(counts[1], 0), coalesce(others[2], 0) + coalesce(counts[2], 0)]',
  ),
  functionSql(
    'hdr_bounds_of_counts(counts bigint[])',
    'hdr_count_bounds',
    'SELECT ROW(coalesce(counts[1], 0), coalesce(counts[2], 0))::hdr_count_bounds',
  ),
  aggregateSql('hdr_percentile', ', double precision', SLOT_COUNTS),
  aggregateSql('hdr_merge', '', SLOT_COUNTS),
  aggregateSql('hdr_count_within', ', double precision, double precision', {
    state: 'bigint[]',
    add: 'hdr_add_within',
    combine: 'hdr_add_bounds',
    final: 'hdr_bounds_of_counts',
  }),
];
