import { restoreGlobals } from './zod-globals.ts';

/** The part of zod that reads a configuration. */
export {
  array,
  boolean,
  type core,
  discriminatedUnion,
  enum,
  int,
  literal,
  NEVER,
  number,
  type output,
  record,
  strictObject,
  string,
  toJSONSchema,
  union,
  url,
  type ZodArray,
  type ZodBoolean,
  type ZodDefault,
  type ZodEnum,
  type ZodLiteral,
  type ZodNumber,
  type ZodObject,
  type ZodOptional,
  type ZodPipe,
  type ZodPrefault,
  type ZodRawShape,
  type ZodString,
  type ZodTransform,
  type ZodType,
} from 'zod';

restoreGlobals();
