import { HdrscopeError } from '@hdrscope/core';
import { MINUTE_MS, valuesText } from '@hdrscope/kit';
import {
  type GeneratedQuestion,
  loadMigration,
  type Proof,
  type ProvingServer,
  type RewrittenQuery,
} from '@hdrscope/prometheus/internal';
import { type Io, Refusal } from '../../command.ts';
import { explained } from '../../inputs/input.ts';
import { type SpanOptions, spanOf } from '../../moment.ts';
import type { DocumentQuery } from './find-queries.ts';
import { type StartedPrometheus, startPrometheus } from './start-prometheus.ts';

/** Where the answers come from. */
export interface ProverOptions extends SpanOptions {
  readonly prometheus?: URL | undefined;
  readonly generate?: boolean | undefined;
  /** What `generate` starts. @default prometheus */
  readonly prometheusProgram?: string | undefined;
  /** Decides the generated values. @default 1 */
  readonly seed?: number | undefined;
}

/** Asks for queries before and after their rewriting. */
export interface Prover {
  /** What the proofs rest on, as in `of the server`. */
  readonly basis: string;
  prove(query: DocumentQuery, before: string, rewriting: RewrittenQuery): Promise<Proof>;
  /** Ends what the prover has started. */
  close(): Promise<void>;
}

/** Opens the prover that the options ask for. `undefined` where they ask for none. @throws Refusal when Prometheus does not start */
export async function openProver(
  options: ProverOptions,
  io: Pick<Io, 'signal'>,
): Promise<Prover | undefined> {
  if (options.prometheus !== undefined) return new ServerProver({ ...options, url: options.prometheus }, io);
  return options.generate === true ? GeneratedProver.open(options, io.signal) : undefined;
}

/** A sentence about what a proof has shown. */
export function describeProof(proof: Proof, { basis }: Pick<Prover, 'basis'>): string {
  return proof.outcome === 'equal'
    ? `${valuesText(proof.values)} ${basis} agree`
    : `not proven: ${proof.reason}`;
}

const HOUR_MS = 60 * MINUTE_MS;

/** Asks a server that stores both forms. */
class ServerProver implements Prover {
  readonly basis = 'of the server';
  readonly #server: ProvingServer;

  constructor({ url, ...options }: ProverOptions & { readonly url: URL }, { signal }: Pick<Io, 'signal'>) {
    const { sinceMs, untilMs = Date.now() } = spanOf(options);
    this.#server = { url, sinceMs: sinceMs ?? untilMs - HOUR_MS, untilMs, signal };
  }

  async prove({ use }: DocumentQuery, before: string, rewriting: RewrittenQuery): Promise<Proof> {
    if (rewriting.records.length > 0) {
      return {
        outcome: 'unknown',
        reason: 'it reads series that are recorded under their new names only later',
      };
    }
    if (use === 'series') return { outcome: 'unknown', reason: 'it asks for labels, and not for values' };
    const { proveRewriting } = await loadMigration();
    return explained(() => proveRewriting({ ...rewriting, before }, this.#server));
  }

  async close(): Promise<void> {}
}

/** A server with the series of more questions takes more memory than a new one takes time. */
const MOST_QUESTIONS = 200;
/** The oldest samples that come after others, for queries with an offset. They make everything three times as slow. */
const FAR = '400d';
const NEAR = '0s';

/** A started server, and what it has been asked. */
interface AskedPrometheus extends StartedPrometheus {
  readonly untilMs: number;
  questions: number;
}

/** Makes up series for each query in a Prometheus that it starts, and in another one for queries that read far back. */
class GeneratedProver implements Prover {
  readonly basis: string;
  readonly #program: string;
  readonly #seed: number;
  readonly #signal: AbortSignal;
  /** By the queries before and after: dashboards repeat each other. */
  readonly #proofs: Map<string, Proof> = new Map<string, Proof>();
  readonly #started: Map<string, AskedPrometheus> = new Map<string, AskedPrometheus>();

  private constructor({ prometheusProgram = 'prometheus', seed = 1 }: ProverOptions, signal: AbortSignal) {
    this.#program = prometheusProgram;
    this.#seed = seed;
    this.#signal = signal;
    this.basis = `on generated data (seed ${seed})`;
  }

  /** Starts Prometheus at once, since nothing can be proven without it. */
  static async open(options: ProverOptions, signal: AbortSignal): Promise<GeneratedProver> {
    const prover = new GeneratedProver(options, signal);
    await prover.#start(NEAR);
    return prover;
  }

  async prove({ use }: DocumentQuery, before: string, rewriting: RewrittenQuery): Promise<Proof> {
    const isOfLabels = use === 'series';
    const key = JSON.stringify([isOfLabels, before, rewriting.after, rewriting.records]);
    const proof = this.#proofs.get(key) ?? (await this.#ask({ ...rewriting, before, isOfLabels }));
    this.#proofs.set(key, proof);
    return proof;
  }

  async #ask(question: Omit<GeneratedQuestion, 'name'>): Promise<Proof> {
    const { proveOnGenerated, readsFarBack } = await loadMigration();
    const started = await this.#start(readsFarBack(question.before) ? FAR : NEAR);
    const name = String(started.questions++);
    const { url, untilMs } = started;
    const server = { url, untilMs, seed: this.#seed, signal: this.#signal };
    try {
      return await explained(() => proveOnGenerated({ ...question, name }, server));
    } catch (error) {
      throw explainVersion(error, this.#program);
    }
  }

  async close(): Promise<void> {
    for (const started of this.#started.values()) await started.close();
  }

  async #start(oldest: string): Promise<AskedPrometheus> {
    const known = this.#started.get(oldest);
    if (known !== undefined && known.questions < MOST_QUESTIONS) return known;
    await known?.close();
    this.#started.delete(oldest);
    const started = await startPrometheus(this.#program, oldest, this.#signal);
    const asked = { ...started, untilMs: Date.now(), questions: 0 };
    this.#started.set(oldest, asked);
    return asked;
  }
}

/** An old Prometheus takes no remote write 2. */
function explainVersion(error: unknown, program: string): unknown {
  const { cause } = error as { readonly cause?: unknown };
  if (!(cause instanceof HdrscopeError) || cause.code !== 'ERR_REMOTE_WRITE') return error;
  return new Refusal(
    `${program} does not take generated series: ${cause.message}: --generate needs Prometheus 3, and is tried with 3.16`,
    { cause },
  );
}
