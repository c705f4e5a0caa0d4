export { wantsGzip } from './accept-encoding.ts';
export { Budget, type BudgetLimits } from './budget.ts';
export { countBytes, joinBytes } from './bytes.ts';
export {
  type Channel,
  type ChannelEvents,
  openChannel,
  type ProcessPort,
  type RemotePort,
  type ThreadPort,
} from './channel.ts';
export { type ClosableServer, type CloseOptions, closeServer } from './close-server.ts';
export { formatCount, groupDecimal, groupDigits, trimZeros, valuesText } from './digits.ts';
export { asArray, asCount, asFinite, asObject, asText, isObject, type JsonObject } from './json.ts';
export { listNames } from './list-names.ts';
export { describeListenError } from './listen-error.ts';
export { nearest, suggestion } from './nearest.ts';
export { notify, warn } from './notify.ts';
export { type JsonCosts, parseJson } from './parse-json.ts';
export { parseSmallYaml, type YamlLimits, type YamlParser } from './parse-yaml.ts';
export { placesIn } from './places.ts';
export { ProtobufWriter } from './protobuf-writer.ts';
export {
  DURATION_FORMS,
  durationNs,
  formatDuration,
  formatDurationParts,
  formatSize,
  type Quantity,
  quantityOf,
  SIZE_FORMS,
  sizeBytes,
} from './quantity.ts';
export { reasonOf } from './reason-of.ts';
export { roundToDigits } from './round-to-digits.ts';
export { Duties, Rounds } from './rounds.ts';
export { areWide, formatBar, formatBounds, formatShare, percentileName } from './shown.ts';
export { type Patience, Slices, type SlicesOptions } from './slices.ts';
export { splitMs } from './split-ms.ts';
export { atOnce, inSlices, type Steps } from './steps.ts';
export { listTelemetryAddresses, noteClientRequest } from './telemetry-addresses.ts';
export { nanosecondsPer } from './time-unit.ts';
export {
  firstMoment,
  formatOffset,
  formatZonedTime,
  type OffsetSpan,
  offsetSpans,
  readTimeZone,
  zoneOffsetMs,
} from './time-zone.ts';
export { DAY_MS, formatTime, MINUTE_MS } from './times.ts';
export { Turns } from './turns.ts';
export { VMRANGE_BOUNDARIES, VMRANGES } from './vmrange.ts';
export { wildcard } from './wildcard.ts';
export { WireReader } from './wire-reader.ts';
export { endsWithin, LONGEST_TIMER_MS, TimeoutError, type WithinOptions, within } from './within.ts';
