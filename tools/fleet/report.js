/** What a run of the fleet has measured, and what it costs at full size. */

/** @typedef {{ title: string, seconds: number, cpuSeconds?: number, peakBytes?: number, rows?: number }} StepTime */

/**
 * @typedef {object} Measured
 * @property {number} hosts
 * @property {number} series Of a host.
 * @property {number} minutes
 * @property {number} gateways
 * @property {boolean} isDropped Whether gateways drop the name of the host.
 * @property {string} protocol
 * @property {number} rows
 * @property {number} files
 * @property {{ written: number, compacted: number }} bytes
 * @property {readonly { rows: number, bytes: number }[]} rollups Of hosts, and of the fleet.
 * @property {readonly { cpuSeconds: number, peakBytes: number }[]} intake By gateway.
 * @property {number} longestMs
 * @property {number} requests
 * @property {number} points
 * @property {number} values
 * @property {number} sentBytes
 * @property {number} repeated
 * @property {number} late
 * @property {number} retries
 * @property {readonly StepTime[]} steps
 */

const MIB = 2 ** 20;
const FULL = { hosts: 10_000, series: 500 };
const MINUTES_OF_DAY = 1440;
const SECONDS_OF_DAY = 86_400;

/** @param {number} number @param {number} [digits] */
const count = (number, digits = 0) =>
  number.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: digits });

/** @param {number} bytes */
function size(bytes) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  let at = 0;
  let left = bytes;
  for (; left >= 1000 && at < units.length - 1; at++) left /= 1000;
  return `${left.toPrecision(left >= 100 ? 3 : 2)} ${units[at]}`;
}

/** @param {readonly (readonly string[])[]} rows The first one has the titles. */
function markdown([titles = [], ...rows]) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(' | ')} |`;
  return [line(titles), `|---${'|--:'.repeat(titles.length - 1)}|`, ...rows.map(line)].join('\n');
}

/** @param {Measured} measured */
export function measuredText(measured) {
  const { intake, points, requests, rows, steps, bytes, rollups } = measured;
  const cpuSeconds = intake.reduce((sum, one) => sum + one.cpuSeconds, 0);
  const peak = Math.max(...intake.map(({ peakBytes }) => peakBytes));
  const seconds = (/** @type {number | undefined} */ time) =>
    time === undefined ? '' : `${time.toFixed(2)} s`;
  const mib = (/** @type {number | undefined} */ some) =>
    some === undefined ? '' : `${count(some / MIB)} MiB`;
  const each = (/** @type {number | undefined} */ time) =>
    time === undefined || rows === 0 ? '' : `${((time / rows) * 1e6).toFixed(1)} µs`;
  const hosts = `${count(measured.hosts)} hosts with ${count(measured.series)} series each sent ${count(measured.minutes)} times by ${measured.protocol}`;
  const sent = `${count(requests)} requests with ${count(points)} points, ${count(measured.values)} values and ${size(measured.sentBytes)}`;
  return [
    `${hosts}${measured.isDropped ? ', and gateways dropped their names' : ''}: ${sent}. ${count(measured.repeated)} of them came twice, ${count(measured.late)} late, and ${count(measured.retries)} again after a refusal.`,
    markdown([
      ['step', 'clock', 'processors', 'for each row', 'memory at most'],
      [
        `receive and write, ${measured.gateways === 1 ? 'one gateway' : `${measured.gateways} gateways`}`,
        ...['', seconds(cpuSeconds), `${((cpuSeconds / points) * 1e6).toFixed(1)} µs a point`, mib(peak)],
      ],
      ...steps.map((step) => [
        step.title,
        ...[seconds(step.seconds), seconds(step.cpuSeconds), each(step.cpuSeconds), mib(step.peakBytes)],
      ]),
    ]),
    markdown([
      ['files', 'rows', 'bytes', 'bytes of a row'],
      ...[
        { title: `as written, ${count(measured.files)} files`, rows, bytes: bytes.written },
        { title: 'compacted', rows, bytes: bytes.compacted },
        { title: 'rolled up by the hour', ...rollups[0] },
        { title: 'rolled up by the hour, over hosts', ...rollups[1] },
      ].map(({ title, rows = 0, bytes = 0 }) => [title, count(rows), size(bytes), count(bytes / rows, 1)]),
    ]),
  ].join('\n\n');
}

/** @param {Measured} measured */
export function costText({ intake, points, rows, steps, bytes, hosts, series, minutes, isDropped }) {
  const cpuSeconds = intake.reduce((sum, one) => sum + one.cpuSeconds, 0);
  const ofPoint = cpuSeconds / points;
  const pointsOfMinute = FULL.hosts * FULL.series;
  const pointsOfDay = pointsOfMinute * MINUTES_OF_DAY;
  const capacity = 60 / ofPoint;
  const gateways = Math.ceil(pointsOfMinute / capacity);
  // With dropped hosts, each gateway has a row for each series and minute.
  const rowsOfDay = isDropped ? gateways * FULL.series * MINUTES_OF_DAY : pointsOfDay;
  const ofRow = (/** @type {string} */ title) =>
    (steps.find((step) => step.title === title)?.cpuSeconds ?? 0) / rows;
  const core = (/** @type {number} */ seconds) =>
    count(seconds / SECONDS_OF_DAY, seconds < SECONDS_OF_DAY * 10 ? 2 : 0);
  const disk = bytes.compacted / rows;
  return [
    `At ${count(FULL.hosts)} hosts with ${count(FULL.series)} series and a row a minute, if costs stay those of a row and a point:`,
    markdown([
      ['', 'a day', 'a month', 'a year'],
      ['points', ...[1, 30, 365].map((days) => count(pointsOfDay * days))],
      ['rows', ...[1, 30, 365].map((days) => count(rowsOfDay * days))],
      ['disk, compacted', ...[1, 30, 365].map((days) => size(rowsOfDay * disk * days))],
    ]),
    markdown([
      ['processors that are busy all day', 'cores'],
      ['receive and write', core(pointsOfDay * ofPoint)],
      ['compact', core(rowsOfDay * ofRow('compact'))],
      ['roll up by the hour, over hosts', core(rowsOfDay * ofRow('roll up by the hour, over hosts'))],
    ]),
    `A gateway is one process, and takes ${count(capacity / 1e6, 2)} million series-minutes a minute of one core: ${count(gateways)} of them take this fleet${isDropped ? ', each with rows of its own' : ''}. Measured with ${count(hosts * series)} series of hosts and ${count(minutes)} minutes.`,
  ].join('\n\n');
}
