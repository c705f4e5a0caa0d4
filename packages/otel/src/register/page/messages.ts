import type { Attributes } from '@opentelemetry/api';
import type { MetricSettings } from '../../metric-settings.ts';
import type { HandedNumbers, NumbersState } from './numbers.ts';

// The processes of a service send these to each other, beside the messages of their registries.
//
//   hello  ─▶  the process that leads
//          ◀─  welcome
//          ◀─  numbers?, each second and at each scrape
// numbers  ─▶
//     bye  ─▶  when the process takes part no more, and goes on
//
// What a process leaves at its end is a `Left`.

/** A process as others see it. */
interface Identity {
  /** A UUID. */
  readonly name: string;
  /** For people: `process 4711`. */
  readonly title: string;
  /** The attributes of levels that cannot be added up. */
  readonly mark: Attributes;
}

/** The first message of a process. */
export interface Hello extends Identity {
  readonly page: 'hello';
}

/** The answer of the process that leads. */
export interface Welcome {
  readonly page: 'welcome';
  /** The name of the process that leads. */
  readonly leads: string;
  /** The processes whose pages this one has taken. */
  readonly heirOf: readonly string[];
}

/** Asks for numbers. */
export interface Question {
  readonly page: 'numbers?';
  /** The sequence of the state that was taken last; 0 before the first one. */
  readonly taken: number;
  /** Whether a scrape waits for the answer. */
  readonly isForScrape: boolean;
}

/** The numbers of a process, and what its readers know of its histograms. */
export interface Answer {
  readonly page: 'numbers';
  /** When the numbers were collected, in milliseconds since 1970. */
  readonly timeMs: number;
  readonly numbers: HandedNumbers;
  /** By `familyKey`. */
  readonly settings: readonly (readonly [string, MetricSettings])[];
}

/** The last message of a process that goes on without the page. */
export interface Bye {
  readonly page: 'bye';
}

/** A message of the page. */
export type Message = Hello | Welcome | Question | Answer | Bye;

/** What a process leaves at its end. */
export interface Left extends Identity {
  /** The name of the process that took its counts last. */
  readonly ledBy: string | undefined;
  /** The last messages of its registry. */
  readonly changes: readonly object[];
  readonly numbers: Answer;
  /** What a process that led leaves besides. */
  readonly page: LeftPage | undefined;
}

/** The page of a process that led. */
interface LeftPage {
  readonly heirOf: readonly string[];
  /** The sequences of the states that it has taken from registries: see `takenStates`. */
  readonly taken: Readonly<Record<string, number>>;
  /** The message of the registry that adds up. */
  readonly changes: object;
  readonly numbers: NumbersState;
}
