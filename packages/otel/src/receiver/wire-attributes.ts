import { HdrscopeError } from '@hdrscope/core';
import { bytesText, DEEPEST_VALUE, integerValue } from './attribute-values.ts';
import { delimited, fixed64, type MessageReader, readMessage, varint } from './wire.ts';

// https://github.com/open-telemetry/opentelemetry-proto/blob/v1.9.0/opentelemetry/proto/common/v1/common.proto
const KEY = delimited(1);
const VALUE = delimited(2);

const STRING = delimited(1);
const BOOL = varint(2);
const INT = varint(3);
const DOUBLE = fixed64(4);
const ARRAY = delimited(5);
const LIST = delimited(6);
const BYTES = delimited(7);

const ITEM = delimited(1);

/** An attribute. One without a value counts as absent. */
export type Entry = [key: string, value: unknown];

/** Reads a `KeyValue`. */
export function readEntry(reader: MessageReader, depth = 0): Entry {
  let key = '';
  let value: unknown;
  // A pair and a property.
  reader.budget.takeElements();
  readMessage(reader, (tag) => {
    if (tag === KEY) key = reader.string();
    else if (tag === VALUE) value = readValue(reader, depth);
    else return false;
    return true;
  });
  return [key, value];
}

/** Reads an `AnyValue`. */
function readValue(reader: MessageReader, depth: number): unknown {
  if (depth > DEEPEST_VALUE) {
    throw new HdrscopeError('ERR_DECODE', `an attribute is nested more than ${DEEPEST_VALUE} deep`);
  }
  let value: unknown;
  readMessage(reader, (tag) => {
    if (tag === STRING) value = reader.string();
    else if (tag === BOOL) value = reader.bool();
    else if (tag === INT) value = integerValue(BigInt(reader.int64()));
    else if (tag === DOUBLE) value = reader.double();
    else if (tag === BYTES) value = bytesText(reader.bytes());
    else if (tag === ARRAY) value = readItems(reader, () => readValue(reader, depth + 1));
    else if (tag === LIST) value = Object.fromEntries(readItems(reader, () => readEntry(reader, depth + 1)));
    else return false;
    return true;
  });
  return value;
}

function readItems<Item>(reader: MessageReader, readItem: () => Item): Item[] {
  const items: Item[] = [];
  readMessage(reader, (tag) => {
    if (tag !== ITEM) return false;
    items.push(readItem());
    return true;
  });
  return items;
}
