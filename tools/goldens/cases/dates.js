/**
 * Dates that Java prints: zones and milliseconds since 1970. Without Morocco and Namibia, whose clocks Java changes from
 * 2037 on otherwise than the time zone database.
 */
const ZONES = [
  'UTC',
  'Etc/GMT-3',
  'Etc/GMT+12',
  'GMT',
  'America/Los_Angeles',
  'America/New_York',
  'America/Sao_Paulo',
  'America/St_Johns',
  'America/Argentina/Buenos_Aires',
  'Antarctica/Troll',
  'Asia/Calcutta',
  'Asia/Kolkata',
  'Asia/Dubai',
  'Asia/Kathmandu',
  'Asia/Tokyo',
  'Asia/Riyadh',
  'Asia/Saigon',
  'Australia/Sydney',
  'Australia/Lord_Howe',
  'Europe/Berlin',
  'Europe/Dublin',
  'Europe/Istanbul',
  'Europe/Kirov',
  'Europe/London',
  'Europe/Moscow',
  'Europe/Saratov',
  'Pacific/Auckland',
  'Pacific/Honolulu',
  'Pacific/Kiritimati',
];
const TIMES = [
  '-1000000000001', // 1938
  '-315619200000', // 1960
  '-1',
  '0',
  '999',
  '1000',
  '951782399999', // the last millisecond of 28 February of a leap year
  '951782400000',
  '1143338399999', // clocks go forward in Central Europe
  '1143338400000',
  '1297000000000',
  '1441812279474',
  '1504600000000',
  '1508000000000',
  '1688200000000',
  '1704067199999',
  '1704067200000',
  '2147483648000', // 2038
  '2540000000000', // 2050
  '253402300799999', // 9999
  '253402300800000', // 10000
];

/** One JSON document with a zone in each line: the dates that Java prints at each time. */
export async function formatDates(oracle) {
  const lines = [];
  for (const zone of ZONES) {
    const printed = [];
    for (const timeMs of TIMES) printed.push(await oracle.ask('date', zone, timeMs));
    lines.push(`    ${JSON.stringify(zone)}: ${JSON.stringify(printed)}`);
  }
  return `{
  "madeBy": "Java 17, java.util.Date.toString",
  "regenerate": "node tools/goldens/zone-names.js",
  "timesMs": [${TIMES.join(', ')}],
  "zones": {
${lines.join(',\n')}
  }
}
`;
}
