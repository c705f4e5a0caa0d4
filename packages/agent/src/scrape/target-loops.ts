import { formatCount, listNames, Rounds, reasonOf } from '@hdrscope/kit';
import {
  fetchExposition,
  type IngestPrometheusOptions,
  ingestPrometheus,
  type PrometheusIngestion,
  type ScrapeReport,
} from '@hdrscope/prometheus/scraper';
import { IngestMemory } from '@hdrscope/registry';
import { MemoryKind } from '../memory.ts';
import { type EntryContext, noteOnce } from '../part.ts';
import { shownUrl } from '../sinks/sending.ts';
import type { ScrapeTarget } from './target.ts';

/** How all targets of an entry are scraped. */
export interface LoopSettings {
  readonly intervalMs: number;
  /** Makes the request for a target. It is called for each scrape, since a file with a token may change. */
  request(target: ScrapeTarget, signal: AbortSignal): Promise<Parameters<typeof fetchExposition>[0]>;
  /** Options of the ingestion, besides attributes and memory. */
  readonly ingestion: IngestPrometheusOptions;
}

/** What was counted at each target, by its identity. */
const TARGETS = new MemoryKind<IngestMemory>();

/** The time between the first scrapes of two targets, so that not all begin at once. */
const STAGGER_MS = 20;
/** After so long, a pod that is gone is forgotten: pods that come later have other identities. */
const FORGET_MS = 3_600_000;
const MOST_NOTES = 100;
const MOST_SHOWN = 3;

/** Scrapes targets that come and go, each in its own rhythm. A target that fails does not affect the others. */
export class TargetLoops {
  readonly #settings: LoopSettings;
  readonly #context: EntryContext;
  readonly #loops = new Map<string, TargetLoop>();
  /** The sentence of each duty that fails: a target, or a list of targets. */
  readonly #failing = new Map<string, string>();
  readonly #noted = new Set<string>();
  /** When pods were missing first, by their identity. */
  readonly #gone = new Map<string, number>();

  constructor(settings: LoopSettings, context: EntryContext) {
    this.#settings = settings;
    this.#context = context;
  }

  /** Begins with new targets, and ends those that are listed no more. */
  async update(targets: readonly ScrapeTarget[]): Promise<void> {
    const listed = new Map(targets.map((target) => [target.id, target]));
    const ended = [...this.#loops].filter(([id, { target }]) => !isSame(target, listed.get(id)));
    for (const [id] of ended) this.#loops.delete(id);
    await Promise.all(ended.map(([, loop]) => loop.stop()));
    for (const [id, { target }] of ended) {
      this.#failing.delete(id);
      if (!target.isLasting) this.#gone.set(id, this.#context.nowMs());
    }
    let delayMs = 0;
    for (const [id, target] of listed) {
      this.#gone.delete(id);
      if (this.#loops.has(id)) continue;
      this.#loops.set(id, this.#begin(target, Math.min(delayMs, this.#settings.intervalMs)));
      delayMs += STAGGER_MS;
    }
    this.#forgetGone();
  }

  /** A target was scraped. The entry works when all of its duties are done. */
  #succeed(duty: string): void {
    this.#failing.delete(duty);
    if (this.#failing.size === 0) this.#context.succeeded();
  }

  /** A duty is done again that may have failed before, such as to list targets. */
  recover(duty: string): void {
    if (this.#failing.has(duty)) this.#succeed(duty);
  }

  /** A duty has failed, and goes on. */
  fail(duty: string, problem: string): void {
    this.#failing.set(duty, problem);
    const others = [...this.#failing.values()].filter((one) => one !== problem);
    // The one that fails now comes first.
    const text = listNames([problem, ...others], MOST_SHOWN, '; ');
    const { size } = this.#failing;
    this.#context.failed(new Error(size === 1 ? text : `${formatCount(size)} failures: ${text}`));
  }

  async stop(): Promise<void> {
    const loops = [...this.#loops.values()];
    this.#loops.clear();
    await Promise.all(loops.map((loop) => loop.stop()));
  }

  #begin(target: ScrapeTarget, delayMs: number): TargetLoop {
    const { registry, memory } = this.#context;
    const { ingestion, intervalMs, request } = this.#settings;
    const ending = new AbortController();
    const ingested = ingestPrometheus(
      registry,
      async () => fetchExposition(await request(target, ending.signal)),
      {
        ...ingestion,
        attributes: target.attributes,
        memory: memory.ensure(TARGETS, target.id, () => new IngestMemory()),
      },
    );
    return new TargetLoop(target, ingested, ending, {
      ...{ delayMs, intervalMs },
      done: (report) => this.#take(target, report),
      failed: (error) => this.fail(target.id, `${shownUrl(target.url)}: ${reasonOf(error)}`),
    });
  }

  #take({ id, url }: ScrapeTarget, { values, refused, problems, unsupported }: ScrapeReport): void {
    this.#context.added(values);
    // The last answer of a target that has ended counts, and is no duty any more.
    if (!this.#loops.has(id)) return;
    this.#noteUnsupported(unsupported);
    if (refused === 0) this.#succeed(id);
    else {
      const what =
        refused === 1 ? '1 histogram is refused' : `${formatCount(refused)} histograms are refused`;
      this.fail(id, `${shownUrl(url)}: ${what}: ${listNames(problems, MOST_SHOWN, '; ')}`);
    }
  }

  /** Says once of each family that it is left out: in one line for all with one reason. */
  #noteUnsupported(refusals: ScrapeReport['unsupported']): void {
    const byProblem = new Map<string, string[]>();
    for (const { family, problem } of refusals) {
      if (this.#noted.has(family) || this.#noted.size >= MOST_NOTES) continue;
      this.#noted.add(family);
      const families = byProblem.get(problem);
      if (families === undefined) byProblem.set(problem, [family]);
      else families.push(family);
    }
    for (const [problem, families] of byProblem) {
      const subject = families.length === 1 ? 'it' : 'each';
      noteOnce(`left out: ${listNames(families, MOST_SHOWN)}: ${subject} ${problem}`, this.#context);
    }
  }

  #forgetGone(): void {
    const memories = this.#context.memory.of(TARGETS);
    for (const [id, sinceMs] of this.#gone) {
      if (this.#context.nowMs() - sinceMs < FORGET_MS) continue;
      this.#gone.delete(id);
      memories.delete(id);
    }
  }
}

function isSame(a: ScrapeTarget, b: ScrapeTarget | undefined): boolean {
  return b !== undefined && a.url === b.url && JSON.stringify(a.attributes) === JSON.stringify(b.attributes);
}

interface LoopOptions {
  readonly delayMs: number;
  readonly intervalMs: number;
  done(report: ScrapeReport): void;
  failed(error: unknown): void;
}

/** Scrapes one target at intervals. A scrape that takes longer than an interval leaves out the next one. */
class TargetLoop {
  readonly target: ScrapeTarget;
  readonly #ingestion: PrometheusIngestion;
  readonly #ending: AbortController;
  readonly #rounds = new Rounds<void>();
  #timer: NodeJS.Timeout;

  constructor(
    target: ScrapeTarget,
    ingestion: PrometheusIngestion,
    ending: AbortController,
    options: LoopOptions,
  ) {
    this.target = target;
    this.#ingestion = ingestion;
    this.#ending = ending;
    const scrape = async (): Promise<void> => {
      try {
        options.done(await ingestion.scrape());
      } catch (error) {
        if (!ending.signal.aborted) options.failed(error);
      }
    };
    this.#timer = setTimeout(() => {
      this.#rounds.tick(scrape);
      this.#timer = setInterval(() => this.#rounds.tick(scrape), options.intervalMs);
    }, options.delayMs);
  }

  /** Cuts a request off that is under way. An answer that has come is taken. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#ending.abort();
    await this.#rounds.idle();
    await this.#ingestion.close();
  }
}
