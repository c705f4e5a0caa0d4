import type { LiteralEdit } from '../literals.ts';
import type { CodeModule } from './module.ts';
import { Obstacle } from './syntax.ts';

/** What became of a part of a program. */
export interface CodeChange {
  /** From 1. */
  readonly line: number;
  /** What it is, such as `histogram http_request_duration_seconds`. */
  readonly place: string;
  readonly verdict:
    | { readonly outcome: 'rewritten'; readonly notes: readonly CodeNote[] }
    | { readonly outcome: 'refused'; readonly reason: string };
}

/** What differs after a rewriting. */
export interface CodeNote {
  readonly code: 'labels' | 'buckets' | 'host';
  readonly text: string;
}

/** An edit of one of several modules. */
export interface LocatedEdit {
  readonly code: CodeModule;
  readonly edit: LiteralEdit;
}

/** The changes of a program, and the edits that make them. */
export interface PlannedCode {
  readonly changes: readonly CodeChange[];
  readonly edits: readonly LiteralEdit[];
}

export const NOTHING_PLANNED: PlannedCode = { changes: [], edits: [] };

/** What a function returns, or the obstacle that it meets. */
export function catchObstacle<Result>(run: () => Result): Result | Obstacle {
  try {
    return run();
  } catch (error) {
    if (error instanceof Obstacle) return error;
    throw error;
  }
}
