/**
 * Writes `packages/interval-log/src/writer/zone-names.ts`: what Java 17 calls the time zones that `Intl` calls otherwise.
 * And dates as Java prints them, which the tests of `@hdrscope/interval-log` read.
 *
 *   node tools/goldens/zone-names.js           writes them
 *   node tools/goldens/zone-names.js --check   exits 1 when the name of a zone or a date differs from those of Java
 *
 * The dates need a built `@hdrscope/interval-log`: npm run build
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { OracleUnavailable, withOracle } from './oracle.js';

const PACKAGE = new URL('../../packages/interval-log/', import.meta.url);
const TABLE = fileURLToPath(new URL('src/writer/zone-names.ts', PACKAGE));
const DATES = fileURLToPath(new URL('test/fixtures/java-dates.json', PACKAGE));
const JAVA = '17';
const DAY = 24 * 3600;
// Where the oracle's eras end.
const YEAR_2036 = 2_082_758_400;
// In 1912, 1938 and 9999.
const FAR_SECONDS = [-1_830_000_000, -1_000_000_000, 253_390_000_000];

// The package does not export the class.
const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('src/writer/java-zone.ts', PACKAGE))],
  bundle: true,
  format: 'esm',
  write: false,
});
const { JavaZone } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);

await withOracle('zone names', false, async (oracle) => {
  const java = await oracle.ask('java');
  if (java !== JAVA) throw new OracleUnavailable(`names are those of Java ${JAVA}, this is Java ${java}`);
  return process.argv.includes('--check') ? check(oracle) : write(oracle);
});

async function write(oracle) {
  const zones = (await zonesOf(oracle)).filter(isKnownHere);
  const bare = { names: new Map(), oddPeriods: new Map() };
  const named = zones.filter((zone) => isOwnNameFar(zone, bare) || faultsOf(zone, bare).length > 0);
  const text = tableText(named, oddPeriodsOf(named));
  writeFileSync(TABLE, text);
  spawnSync('npx', ['biome', 'format', '--write', TABLE]);
  console.log(`zone names: ${named.length} of ${zones.length} zones, ${text.length} bytes`);
  const dates = await formatDates(oracle);
  writeFileSync(DATES, dates);
  console.log(`zone names: dates, ${dates.length} bytes`);
  return 0;
}

async function check(oracle) {
  const zones = (await zonesOf(oracle)).filter(isKnownHere).map(untilClocksDiffer);
  const faults = zones.flatMap((zone) => faultsOf(zone));
  const dates = await formatDates(oracle);
  if (dates !== readFileSync(DATES, 'utf8')) faults.push('the dates of the tests are not what Java prints');
  for (const fault of faults.slice(0, 20)) console.error(`zone names: ${fault}`);
  console.log(`zone names: ${zones.length} zones checked against Java ${JAVA}, ${faults.length} faults`);
  return faults.length === 0 ? 0 : 1;
}

async function zonesOf(oracle) {
  const zones = await oracle.ask('zones');
  return zones.map(([id, standard, summer, eras]) => ({
    id,
    standard,
    summer,
    eras: eras.map(([fromSec, offsetSec, isSummer], i) => ({
      fromSec,
      offsetSec,
      toSec: eras[i + 1]?.[0] ?? YEAR_2036,
      isSummer,
    })),
  }));
}

function isKnownHere({ id }) {
  try {
    return new JavaZone(id) !== undefined;
  } catch {
    return false;
  }
}

/** Without the eras from a year before clocks differ: Java and Node.js have each their own time zone database. */
function untilClocksDiffer(zone) {
  const here = new JavaZone(zone.id);
  const differs = ({ offsetSec, ...era }) =>
    secondsOf(era).some((second) => Math.abs(here.offsetMinutesAt(second * 1000) - offsetSec / 60) >= 1);
  const first = zone.eras.find((era) => era.fromSec > 0 && differs(era));
  if (first === undefined) return zone;
  const end = first.fromSec - 400 * DAY;
  return { ...zone, eras: zone.eras.filter(({ toSec }) => toSec <= end) };
}

/** The beginning, some days and the end of an era. */
function secondsOf({ fromSec, toSec }) {
  const seconds = [fromSec, toSec - 1];
  for (let day = 1; day < 400 && fromSec + day * DAY < toSec; day += 45) seconds.push(fromSec + day * DAY);
  return seconds;
}

/** Where a zone is not called as Java calls it. */
function faultsOf({ id, standard, summer, eras }, tables) {
  const zone = new JavaZone(id, tables);
  const faults = [];
  for (const era of eras) {
    const expected = era.isSummer ? summer : standard;
    for (const second of secondsOf(era)) {
      const name = zone.nameAt(second * 1000);
      if (name !== expected) faults.push(`${id} at ${second}: ${name}, Java says ${expected}`);
    }
  }
  return faults;
}

/** Whether `Intl` forgets the name of a zone in a far past or future. */
function isOwnNameFar({ id, standard, summer }, tables) {
  const zone = new JavaZone(id, tables);
  return FAR_SECONDS.some((second) => ![standard, summer].includes(zone.nameAt(second * 1000)));
}

/** Eras whose long name in `Intl` does not show whether they are summer, by zone: `from..to`. */
function oddPeriodsOf(zones) {
  const oddPeriods = new Map();
  for (const { id, standard, summer, eras } of zones) {
    if (standard === summer) continue;
    const zone = new JavaZone(id, { names: new Map(), oddPeriods: new Map() });
    const odd = eras
      .filter((era) => secondsOf(era).some((second) => zone.isSummerAt(second * 1000) !== era.isSummer))
      .flatMap((era) => [...wrongPeriods(zone, era)])
      .reduce(joined, [])
      .map((period) => period.join('..'));
    if (odd.length > 0) oddPeriods.set(id, odd.join(' '));
  }
  return oddPeriods;
}

/** The parts of an era in which the data of a zone do not show its summer time, to the second. */
function* wrongPeriods(zone, { fromSec, toSec, isSummer }) {
  const isWrong = (second) => zone.isSummerAt(second * 1000) !== isSummer;
  let began = fromSec;
  for (let second = fromSec; second < toSec; second += DAY) {
    const next = Math.min(second + DAY, toSec - 1);
    const [was, is] = [isWrong(second), isWrong(next)];
    if (was === is) continue;
    let [before, after] = [second, next];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (isWrong(middle) === was) before = middle;
      else after = middle;
    }
    if (was) yield [began, after];
    began = after;
  }
  if (isWrong(toSec - 1)) yield [began, toSec];
}

function joined(periods, [fromSec, toSec]) {
  const last = periods.at(-1);
  if (last?.[1] === fromSec) last[1] = toSec;
  else periods.push([fromSec, toSec]);
  return periods;
}

function tableText(zones, oddPeriods) {
  const byNames = grouped(zones, ({ standard, summer }) =>
    standard === summer ? standard : `${standard}/${summer}`,
  );
  const names = [...byNames].map(([key, members]) => [key, areas(members.map(({ id }) => id))]);
  const periods = [...grouped([...oddPeriods], ([, ranges]) => ranges)].map(([ranges, members]) => [
    members.map(([id]) => id).join(' '),
    ranges,
  ]);
  return `// Generated by tools/goldens/zone-names.js from Java ${JAVA}.

/** Zones by their abbreviations in standard and summer time. Commas separate the places of an area. */
export const ZONE_NAMES: Readonly<Record<string, string>> = {
${entries(names)}};

/**
 * Periods in which a zone was on summer time and \`Intl\` does not show it, or the other way round: seconds since 1970, by
 * zones. Most are the last summers of a zone, after which clocks stayed ahead.
 */
export const ODD_PERIODS: Readonly<Record<string, string>> = {
${entries(periods)}};
`;
}

function grouped(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function areas(ids) {
  const byArea = grouped(ids, (id) => id.slice(0, id.indexOf('/') + 1));
  return [...byArea]
    .map(([area, members]) => area + members.map((id) => id.slice(area.length)).join(','))
    .join(' ');
}

function entries(pairs) {
  return pairs.map(([key, value]) => `  '${key}': '${value}',\n`).join('');
}

/**
 * One JSON document with a zone in each line: the dates that Java prints at each time. The zones and times are those of the committed
 * document, without Morocco and Namibia, whose clocks Java changes from 2037 on otherwise than the time zone database.
 */
async function formatDates(oracle) {
  const { zones, timesMs, ...head } = JSON.parse(readFileSync(DATES, 'utf8'));
  const lines = [];
  for (const zone of Object.keys(zones)) {
    const printed = [];
    for (const timeMs of timesMs) printed.push(await oracle.ask('date', zone, timeMs));
    lines.push(`    ${JSON.stringify(zone)}: ${JSON.stringify(printed)}`);
  }
  const opening = JSON.stringify(head, undefined, 2).slice(0, -2);
  return `${opening},\n  "timesMs": [${timesMs.join(', ')}],\n  "zones": {\n${lines.join(',\n')}\n  }\n}\n`;
}
