import * as z from '#zod';
import { CONFIG_SCHEMA } from './schema.ts';

/** The schema of the file for editors: https://json-schema.org/draft/2020-12. */
export function configJsonSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(CONFIG_SCHEMA, { io: 'input', unrepresentable: 'any' }), title: 'hdrscope run' };
}
