import type { LogSource } from '@hdrscope/interval-log';
import type { RequestsKind } from './load-kind.ts';

/** The requests of a load generator, not read yet. */
export interface LoadInput {
  readonly kind: RequestsKind;
  /** Its name in messages. */
  readonly name: string;
  readonly source: LogSource;
}
