import { HdrscopeError } from '@hdrscope/core';
import { reasonOf } from '@hdrscope/kit';

/** How the map of an argument is doing, for people: each change is one note. */
export class MapState {
  /** The map, as the command line names it. */
  readonly argument: string;
  readonly #note: (line: string) => Promise<void>;
  #generation: string | undefined;
  #problem: string | undefined;

  /** @param note Gets each line. */
  constructor(argument: string, note: (line: string) => Promise<void>) {
    this.argument = argument;
    this.#note = note;
  }

  /** Why the map cannot be read now; `undefined` when it can. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The generation that was read last; `undefined` before the first one. */
  get generation(): string | undefined {
    return this.#generation;
  }

  /**
   * The map was read.
   *
   * @param counts What happens to the counts of a map that was not read before: `counts from 0`.
   */
  async readAs(generation: string, counts: string): Promise<void> {
    const [before, problem] = [this.#generation, this.#problem];
    this.#generation = generation;
    this.#problem = undefined;
    if (before !== undefined && before !== generation) {
      await this.#note(`${this.argument} is another map now, and ${counts}`);
    } else if (problem !== undefined) {
      await this.#note(
        before === undefined
          ? `${this.argument} is there now, and ${counts}`
          : `${this.argument} is there again`,
      );
    }
  }

  /** The map could not be read. */
  async failed(error: unknown): Promise<void> {
    const reason = reasonOf(error);
    if (this.#problem === reason) return;
    this.#problem = reason;
    if (!isAwaited(error, this.argument)) await this.#note(reason);
    else if (this.#generation === undefined) await this.#note(`waits for ${this.argument}: ${reason}`);
    else await this.#note(`${this.argument} has gone; waits until it comes back`);
  }
}

/** Whether an error says that a map is not there, and one may come. */
export function isAwaited(error: unknown, argument: string): boolean {
  return isMissing(error) && !isId(argument);
}

/** Whether an error says that a map has ended, and no other one can come: no other map gets the same id. */
export function isOver(error: unknown, argument: string): boolean {
  return isMissing(error) && isId(argument);
}

function isMissing(error: unknown): boolean {
  return error instanceof HdrscopeError && error.details.errno === 'ENOENT';
}

function isId(argument: string): boolean {
  return argument.startsWith('id:');
}
