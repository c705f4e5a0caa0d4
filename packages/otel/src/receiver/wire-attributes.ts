import { HdrscopeError } from '@hdrscope/core';
import type { Attributes } from '@hdrscope/registry';
import { bytesText, DEEPEST_VALUE, integerValue } from './attribute-values.ts';
import {
  ATTRIBUTE_KEY,
  ATTRIBUTE_VALUE,
  VALUE_ARRAY,
  VALUE_BOOL,
  VALUE_BYTES,
  VALUE_DOUBLE,
  VALUE_INT,
  VALUE_ITEM,
  VALUE_LIST,
  VALUE_STRING,
} from './fields.ts';
import { NO_ATTRIBUTES } from './received.ts';
import { type MessageReader, readMessage } from './wire.ts';

/** An attribute. One without a value counts as absent. */
export type Entry = [key: string, value: unknown];

/** The attributes of some entries. Those without any share one object. */
export function attributesOf(entries: readonly Entry[]): Attributes {
  return entries.length === 0 ? NO_ATTRIBUTES : Object.fromEntries(entries);
}

/** Reads a `KeyValue`. */
export function readEntry(reader: MessageReader, depth = 0): Entry {
  let key = '';
  let value: unknown;
  readMessage(reader, (tag) => {
    if (tag === ATTRIBUTE_KEY) key = reader.string();
    else if (tag === ATTRIBUTE_VALUE) value = readValue(reader, depth);
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
    if (tag === VALUE_STRING) value = reader.string();
    else if (tag === VALUE_BOOL) value = reader.bool();
    else if (tag === VALUE_INT) value = integerValue(BigInt(reader.int64()));
    else if (tag === VALUE_DOUBLE) value = reader.double();
    else if (tag === VALUE_BYTES) value = bytesText(reader.bytes());
    else if (tag === VALUE_ARRAY) value = readItems(reader, () => readValue(reader, depth + 1));
    else if (tag === VALUE_LIST)
      value = Object.fromEntries(readItems(reader, () => readEntry(reader, depth + 1)));
    else return false;
    return true;
  });
  return value;
}

function readItems<Item>(reader: MessageReader, readItem: () => Item): Item[] {
  const items: Item[] = [];
  readMessage(reader, (tag) => {
    if (tag !== VALUE_ITEM) return false;
    items.push(readItem());
    return true;
  });
  return items;
}
