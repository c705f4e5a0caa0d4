import { HdrscopeError } from '@hdrscope/core';
import type { Budget } from '@hdrscope/kit';
import { WireType } from '#protobuf';
import {
  ATTRIBUTE_VALUE,
  BUCKETS_COUNT_ALONE,
  BUCKETS_COUNTS,
  DATA_POINT,
  EXEMPLAR_ATTRIBUTE,
  EXPLICIT_ATTRIBUTE,
  EXPLICIT_BOUND_ALONE,
  EXPLICIT_BOUNDS,
  EXPLICIT_COUNT_ALONE,
  EXPLICIT_COUNTS,
  EXPLICIT_EXEMPLAR,
  EXPONENTIAL_ATTRIBUTE,
  EXPONENTIAL_EXEMPLAR,
  EXPONENTIAL_NEGATIVE,
  EXPONENTIAL_POSITIVE,
  METRIC,
  METRIC_EXPONENTIAL,
  METRIC_GAUGE,
  METRIC_HISTOGRAM,
  METRIC_SUM,
  METRIC_SUMMARY,
  NUMBER_ATTRIBUTE,
  REQUEST_RESOURCE_METRICS,
  RESOURCE,
  RESOURCE_ATTRIBUTE,
  SCOPE,
  SCOPE_METRICS,
  VALUE_ARRAY,
  VALUE_ITEM,
  VALUE_LIST,
} from './fields.ts';
import { FIELD_COST, NUMBER_COST } from './limits.ts';
import { countVarints, endOfMessage, MessageReader, type Pausing, readTag, truncated } from './wire.ts';

/** The content of a field that costs more than `fieldCost`. */
type Content = Message | 'number' | 'packed 64 bits' | 'packed varints';

interface Message {
  readonly cost: number;
  readonly fieldCost: number;
  /** By tag. Fields without content are skipped. */
  readonly contents: (Content | undefined)[];
}

type Field = readonly [tag: number, content: Content];

function message(...fields: Field[]): Message {
  const contents: Message['contents'] = [];
  for (const [tag, content] of fields) contents[tag] = content;
  return { cost: 1, fieldCost: FIELD_COST, contents };
}

/** A message that is read with a pause after each field. A pause takes time, so each field is an element. */
function longMessage(...fields: Field[]): Message {
  return { ...message(...fields), fieldCost: FIELD_COST + 1 };
}

const ANY_VALUE = message();
// A pair and a property.
const ATTRIBUTE = { ...message([ATTRIBUTE_VALUE, ANY_VALUE]), cost: 2 };
ANY_VALUE.contents[VALUE_ARRAY] = message([VALUE_ITEM, ANY_VALUE]);
ANY_VALUE.contents[VALUE_LIST] = message([VALUE_ITEM, ATTRIBUTE]);

const EXEMPLAR = message([EXEMPLAR_ATTRIBUTE, ATTRIBUTE]);
const EXPLICIT_POINT = message(
  [EXPLICIT_ATTRIBUTE, ATTRIBUTE],
  [EXPLICIT_EXEMPLAR, EXEMPLAR],
  [EXPLICIT_COUNTS, 'packed 64 bits'],
  [EXPLICIT_COUNT_ALONE, 'number'],
  [EXPLICIT_BOUNDS, 'packed 64 bits'],
  [EXPLICIT_BOUND_ALONE, 'number'],
);
const BUCKETS = message([BUCKETS_COUNTS, 'packed varints'], [BUCKETS_COUNT_ALONE, 'number']);
const EXPONENTIAL_POINT = message(
  [EXPONENTIAL_ATTRIBUTE, ATTRIBUTE],
  [EXPONENTIAL_EXEMPLAR, EXEMPLAR],
  [EXPONENTIAL_POSITIVE, BUCKETS],
  [EXPONENTIAL_NEGATIVE, BUCKETS],
);
const NUMBER_POINT = message([NUMBER_ATTRIBUTE, ATTRIBUTE]);
const NUMBER_DATA = longMessage([DATA_POINT, NUMBER_POINT]);
// Their points are counted, not read.
const OTHER_DATA = longMessage();
const METRIC_MESSAGE = longMessage(
  [METRIC_HISTOGRAM, longMessage([DATA_POINT, EXPLICIT_POINT])],
  [METRIC_EXPONENTIAL, longMessage([DATA_POINT, EXPONENTIAL_POINT])],
  [METRIC_GAUGE, NUMBER_DATA],
  [METRIC_SUM, NUMBER_DATA],
  [METRIC_SUMMARY, OTHER_DATA],
);
const RESOURCE_METRICS = longMessage(
  [RESOURCE, message([RESOURCE_ATTRIBUTE, ATTRIBUTE])],
  [SCOPE_METRICS, longMessage([SCOPE, message()], [METRIC, METRIC_MESSAGE])],
);
const REQUEST = longMessage([REQUEST_RESOURCE_METRICS, RESOURCE_METRICS]);
// Groups are skipped, and their fields cost as others do.
const GROUP = message();

// Fields up to 15.
const HIGHEST_TAG = 128;
const BYTES_OF_64_BITS = 8;
const FIELDS_BETWEEN_PAUSES = 1024;

/**
 * Counts the elements of an `ExportMetricsServiceRequest` before anything is made of it, and makes no objects itself: a
 * request that is too large leaves no garbage. V8 makes room for more of it after each request of which much is alive while it collects.
 *
 * @throws HdrscopeError `ERR_TOO_LARGE` when a limit of the budget is passed; `ERR_DECODE` or an error of `BinaryReader` when the bytes
 *   are no such request.
 */
export function* measureProtobuf(bytes: Uint8Array, budget: Budget): Pausing {
  const reader = new MessageReader(bytes);
  // The messages and groups around the position, the innermost last, and where each one ends.
  const messages = [REQUEST];
  const ends = [reader.len];
  let depth = 0;
  const enter = (message: Message, end: number): void => {
    budget.enter();
    depth++;
    messages[depth] = message;
    ends[depth] = end;
  };
  for (let fields = 1; ; fields++) {
    if (fields % FIELDS_BETWEEN_PAUSES === 0) yield;
    const message = messages[depth]!;
    const end = ends[depth]!;
    if (end >= 0 && reader.pos >= end) {
      if (reader.pos > end) throw truncated();
      if (depth === 0) return;
      depth--;
      budget.leave();
      continue;
    }
    const tag = readTag(reader);
    const type: WireType = tag & 7;
    const field = tag >>> 3;
    budget.takeElements(message.fieldCost);
    const content = tag < HIGHEST_TAG ? message.contents[tag] : undefined;
    if (type === WireType.StartGroup) enter(GROUP, -field);
    else if (type === WireType.EndGroup) {
      if (end !== -field) throw new HdrscopeError('ERR_DECODE', `the group ${field} ends, but did not begin`);
      depth--;
      budget.leave();
    } else if (content === undefined) reader.skipField(type, field);
    else if (content === 'number') {
      budget.takeElements();
      reader.skipField(type, field);
    } else if (content === 'packed 64 bits' || content === 'packed varints') {
      const last = endOfMessage(reader);
      const numbers =
        content === 'packed varints'
          ? countVarints(bytes, reader.pos, last)
          : (last - reader.pos) / BYTES_OF_64_BITS;
      budget.takeElements(1 + numbers * NUMBER_COST);
      reader.pos = last;
    } else {
      budget.takeElements(content.cost);
      enter(content, endOfMessage(reader));
    }
  }
}
