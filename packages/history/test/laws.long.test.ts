// The laws of these files have more cases in the long run.
import './killed.test.ts';
import './objective/objective-history.test.ts';
import './parquet/round-trip.test.ts';
import './query/law.test.ts';
import './query/merged-rows.test.ts';
import './rollup/rollup.test.ts';
import './rows/revisions.test.ts';
import './rows/rows-between.test.ts';
import './rows/slots.test.ts';
import './rows/snapshots-of-rows.test.ts';
import './rows/ticks.test.ts';
import './rows/widths.test.ts';
import './sql/folder-sql.test.ts';
import './sql/hostile-texts.test.ts';
import './tables/rollups.test.ts';
import './verify/missing.test.ts';
import './verify/verify-history.test.ts';
