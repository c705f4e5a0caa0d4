import { LONGEST_TIMER_MS } from '@hdrscope/kit';

/** The time limits of a scrape, in milliseconds. */
export interface Deadline {
  /** Until this, the work may rest. */
  readonly patientMs: number;
  /** After this, the answer leaves out sources that have not finished. */
  readonly softMs: number;
  /** After this, the scrape is refused. At least `softMs`. */
  readonly hardMs: number;
}

// Time kept for rendering the answer and for its way to the scraper.
const SHARE_LEFT = 0.1;
const MOST_LEFT_MS = 500;

// A scraper that says that it waits for ten seconds may wait for five. What it gets is no older than that. Of others, nobody knows how long
// they wait: somebody may look at the page.
const PATIENT_SHARE = 0.5;
const MOST_PATIENT_MS = 5000;
const MOST_PATIENT_UNASKED_MS = 500;

/**
 * The time limits of a scrape. Both are shorter than the scraper waits, so that it gets an answer in any case.
 *
 * @param header `X-Prometheus-Scrape-Timeout-Seconds`. Anything but a positive number counts as absent.
 * @param defaultMs The wait of a scraper that does not send the header.
 */
export function deadlineOf(header: string | undefined, defaultMs: number): Deadline {
  const seconds = Number(header);
  const waitsMs = Math.min(seconds > 0 ? seconds * 1000 : defaultMs, LONGEST_TIMER_MS);
  const leftMs = Math.min(waitsMs * SHARE_LEFT, MOST_LEFT_MS);
  const mostMs = seconds > 0 ? MOST_PATIENT_MS : MOST_PATIENT_UNASKED_MS;
  const patientMs = Math.min(waitsMs * PATIENT_SHARE, mostMs);
  return { patientMs, softMs: waitsMs - 2 * leftMs, hardMs: waitsMs - leftMs };
}
