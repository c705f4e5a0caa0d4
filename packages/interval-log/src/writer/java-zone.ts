import { ODD_PERIODS, ZONE_NAMES } from './zone-names.ts';

/** Java's abbreviations of a zone's standard and summer time. */
interface ZoneNames {
  readonly standard: string;
  readonly summer: string;
}

/** A time zone with Java's abbreviations. `Intl` knows the same offsets, but abbreviates few zones, and some differently. */
export class JavaZone {
  readonly #dates: Intl.DateTimeFormat;
  readonly #offsets: Intl.DateTimeFormat;
  readonly #longNames: Intl.DateTimeFormat;
  readonly #names: ZoneNames | undefined;
  readonly #oddPeriods: readonly (readonly [fromSec: number, toSec: number])[];

  /** @param timeZone A zone that `Intl` knows. @default the zone of the process */
  constructor(
    timeZone?: string,
    { names = readZoneNames(), oddPeriods = readOddPeriods() }: ZoneTables = {},
  ) {
    const zone = timeZone === undefined ? {} : { timeZone };
    this.#dates = new Intl.DateTimeFormat('en-US', { ...DATE, ...zone, timeZoneName: 'short' });
    this.#offsets = new Intl.DateTimeFormat('en-US', { ...zone, timeZoneName: 'longOffset' });
    this.#longNames = new Intl.DateTimeFormat('en-US', { ...zone, timeZoneName: 'long' });
    const resolved = this.#dates.resolvedOptions().timeZone;
    this.#names = names.get(timeZone ?? resolved) ?? names.get(resolved);
    this.#oddPeriods = oddPeriods.get(timeZone ?? resolved) ?? oddPeriods.get(resolved) ?? [];
  }

  /** Formats a date as `Date.toString` of Java. */
  format(timeMs: number): string {
    const parts = new Map(this.#dates.formatToParts(timeMs).map(({ type, value }) => [type, value]));
    const [weekday, month, day, hour, minute, second, year] = DATE_PARTS.map((type) => parts.get(type));
    return `${weekday} ${month} ${day} ${hour}:${minute}:${second} ${this.nameAt(timeMs)} ${year}`;
  }

  /** Returns the abbreviation that `zzz` prints in Java's date formats. */
  nameAt(timeMs: number): string {
    if (this.#names !== undefined) {
      const { standard, summer } = this.#names;
      return standard !== summer && this.isSummerAt(timeMs) ? summer : standard;
    }
    const name = findZoneName(this.#dates, timeMs);
    return name.startsWith('GMT') ? findZoneName(this.#offsets, timeMs) : name;
  }

  /** Whether daylight is being saved. `Intl` shows it only in the zone's long name, and some zones have no such name. */
  isSummerAt(timeMs: number): boolean {
    const isOdd = this.#oddPeriods.some(([from, to]) => timeMs >= from * 1000 && timeMs < to * 1000);
    return this.#seemsSummerAt(timeMs) !== isOdd;
  }

  #seemsSummerAt(timeMs: number): boolean {
    const longName = findZoneName(this.#longNames, timeMs);
    if (SUMMER.test(longName)) return true;
    return NAMELESS.test(longName) && this.#isBetweenLowerOffsets(timeMs);
  }

  /** Whether offsets are lower both in the year before and in the year after, so that clocks are ahead for a while. */
  #isBetweenLowerOffsets(timeMs: number): boolean {
    const offset = this.offsetMinutesAt(timeMs);
    const isLowerWithin = (stepMs: number): boolean => {
      for (let step = 1; step <= 12; step++)
        if (this.offsetMinutesAt(timeMs + step * stepMs) < offset) return true;
      return false;
    };
    return isLowerWithin(-MONTH_MS) && isLowerWithin(MONTH_MS);
  }

  /** Minutes by which clocks are ahead of UTC; negative west of it. */
  offsetMinutesAt(timeMs: number): number {
    const [, sign, hours, minutes] = OFFSET.exec(findZoneName(this.#offsets, timeMs)) ?? [];
    if (hours === undefined) return 0;
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  }
}

/** Facts about zones that `Intl` lacks, by zone. */
export interface ZoneTables {
  readonly names?: ReadonlyMap<string, ZoneNames>;
  readonly oddPeriods?: ReadonlyMap<string, readonly (readonly [fromSec: number, toSec: number])[]>;
}

const DATE = {
  weekday: 'short',
  month: 'short',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  year: 'numeric',
} as const;
const DATE_PARTS = ['weekday', 'month', 'day', 'hour', 'minute', 'second', 'year'] as const;

// Ireland calls its summer time standard time.
const SUMMER = /Summer|Daylight|^Irish Standard/;
const NAMELESS = /^GMT[+-]/;
const OFFSET = /^GMT([+-])(\d\d):(\d\d)/;
const MONTH_MS = 30 * 24 * 3600 * 1000;

function findZoneName(format: Intl.DateTimeFormat, timeMs: number): string {
  return format.formatToParts(timeMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

let knownNames: Map<string, ZoneNames> | undefined;

function readZoneNames(): ReadonlyMap<string, ZoneNames> {
  if (knownNames !== undefined) return knownNames;
  knownNames = new Map();
  for (const [names, areas] of Object.entries(ZONE_NAMES)) {
    const [standard = '', summer = standard] = names.split('/');
    for (const area of areas.split(' ')) {
      const slash = area.indexOf('/') + 1;
      for (const place of area.slice(slash).split(',')) {
        knownNames.set(area.slice(0, slash) + place, { standard, summer });
      }
    }
  }
  return knownNames;
}

let knownPeriods: Map<string, (readonly [fromSec: number, toSec: number])[]> | undefined;

function readOddPeriods(): NonNullable<ZoneTables['oddPeriods']> {
  if (knownPeriods !== undefined) return knownPeriods;
  knownPeriods = new Map();
  for (const [zones, periods] of Object.entries(ODD_PERIODS)) {
    const ranges = periods.split(' ').map((period) => {
      const [from, to] = period.split('..');
      return [Number(from), Number(to)] as const;
    });
    for (const zone of zones.split(' ')) knownPeriods.set(zone, ranges);
  }
  return knownPeriods;
}
