import type { Slo } from './slo.ts';

/** A condition of an alert: the budget burns faster than allowed over a long window, and still does over a short one. */
export interface BurnAlert {
  readonly severity: 'page' | 'ticket';
  /** How many times faster than at a rate that lasts for the whole period. */
  readonly rate: number;
  readonly longMs: number;
  readonly shortMs: number;
}

// Source: https://sre.google/workbook/alerting-on-slos/#6-multiwindow-multi-burn-rate-alerts. For 30 days these are 1 h, 6 h, 1 d and
// 3 d. The rate follows: 2 % of the budget in 1/720 of the period is a rate of 14.4.
const ALERTS = [
  { severity: 'page', share: 0.02, partOfPeriod: 1 / 720 },
  { severity: 'page', share: 0.05, partOfPeriod: 1 / 120 },
  { severity: 'ticket', share: 0.1, partOfPeriod: 1 / 30 },
  { severity: 'ticket', share: 0.1, partOfPeriod: 1 / 10 },
] as const;
const SHORT_PART = 1 / 12;

/** The shortest period: its shortest window is a second. */
export const LEAST_PERIOD_MS: number = 1000 / (SHORT_PART * ALERTS[0].partOfPeriod);

/** The alerts of a period, fastest first. */
export function burnAlerts(periodMs: number): readonly BurnAlert[] {
  return ALERTS.map(({ severity, share, partOfPeriod }) => ({
    severity,
    rate: Number((share / partOfPeriod).toPrecision(12)),
    longMs: periodMs * partOfPeriod,
    shortMs: periodMs * partOfPeriod * SHORT_PART,
  }));
}

/** The ratio of errors above which an alert fires. */
export function alertRatio({ budget }: Slo, { rate }: BurnAlert): number {
  return Number((rate * budget).toPrecision(12));
}

/** Whether an alert can fire: no ratio of errors is above 1. */
export function canFire(slo: Slo, alert: BurnAlert): boolean {
  return alertRatio(slo, alert) < 1;
}
