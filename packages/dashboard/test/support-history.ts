import { createRegistry, type FamilyOptions, type Registry } from '@hdrscope/registry';
import { type Answer, Answers } from '../src/answer/answers.ts';
import { History, type HistoryLimits } from '../src/history/history.ts';
import { LiveTable } from '../src/live-table.ts';
import { NO_QUESTION, type Question } from '../src/question.ts';

export const START_MS = 1_700_000_000_000;

const LIMITS: HistoryLimits = { spanMs: 3_600_000, mostBytes: 2 ** 26, coarsening: 'older' };

/** A registry with a clock that the test sets, and what a page remembers of it. */
export class TimedPage {
  readonly registry: Registry;
  readonly table: LiveTable = new LiveTable({ keepMs: 300_000 });
  readonly history: History;
  readonly answers: Answers;
  nowMs: number = START_MS;

  constructor(limits: Partial<HistoryLimits> = {}, exporters: readonly string[] = []) {
    this.registry = createRegistry({ clock: { nowMs: () => this.nowMs, monotonicMs: () => this.nowMs } });
    this.history = new History({ ...LIMITS, ...limits });
    this.answers = new Answers(this.table, this.history, {
      isRecord: false,
      listExporters: () => exporters,
    });
  }

  family(options: Partial<FamilyOptions> = {}) {
    return this.registry.histogram({ name: 'rpc.duration', unit: 's', significantDigits: 3, ...options });
  }

  /** Ends an interval, and begins the next. */
  async pass(ms: number): Promise<void> {
    this.nowMs += ms;
    await this.update();
  }

  async update(): Promise<void> {
    const isFirst = this.table.updates === 0;
    await this.table.update(await this.registry.gather());
    if (!isFirst)
      await this.history.add(this.table.startMs, this.table.snapshot.timeMs, this.table.increases());
  }

  ask(question: Partial<Question>): Promise<Answer> {
    const tabOf = () => ({ plots: [], series: this.table.series });
    return this.answers.of({ ...NO_QUESTION, ...question }, tabOf);
  }
}
