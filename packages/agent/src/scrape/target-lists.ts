import { listNames, reasonOf } from '@hdrscope/kit';
import { listFiles, readTargetFile } from './file-sd.ts';
import { type KubernetesApi, listPods } from './kubernetes-pods.ts';
import { formatInstance, metricsUrl, type ScrapeTarget } from './target.ts';

/** Hears which duties fail, and which are done again. */
export interface DutyReport {
  fail(duty: string, problem: string): void;
  recover(duty: string): void;
}

/** Where targets come from. It never rejects: what cannot be listed is reported, and stays as it was listed before. */
export type TargetList = (report: DutyReport) => Promise<readonly ScrapeTarget[]>;

/** The targets of URLs. */
export function listUrls(urls: readonly string[], job: string): TargetList {
  const targets = urls.map((text): ScrapeTarget => {
    const url = metricsUrl(text);
    return {
      id: url.href,
      url: url.href,
      attributes: { job, instance: formatInstance(url) },
      isLasting: true,
    };
  });
  return async () => targets;
}

/** The targets of all files that a path names. A file that cannot be read does not affect the others. */
export function listTargetFiles(path: string, job: string): TargetList {
  const known = new Map<string, readonly ScrapeTarget[]>();
  return async (report) => {
    const files = await attempt(`files ${path}`, report, () => listFiles(path));
    for (const file of known.keys()) {
      if (files === undefined || files.includes(file)) continue;
      known.delete(file);
      report.recover(`file ${file}`);
    }
    for (const file of files ?? []) {
      const targets = await attempt(`file ${file}`, report, () => readTargetFile(file, job));
      if (targets !== undefined) known.set(file, targets);
    }
    return [...known.values()].flat();
  };
}

const MOST_SHOWN = 3;

/** The pods that ask to be scraped. One with wrong annotations does not affect the others. */
export function listScrapedPods(api: KubernetesApi, job: string): TargetList {
  let known: readonly ScrapeTarget[] = [];
  return async (report) => {
    const wrong: string[] = [];
    known =
      (await attempt('pods', report, () => listPods(api, job, (problem) => wrong.push(problem)))) ?? known;
    if (wrong.length === 0) report.recover('annotations');
    else report.fail('annotations', listNames(wrong, MOST_SHOWN, '; '));
    return known;
  };
}

async function attempt<Result>(
  duty: string,
  { fail, recover }: DutyReport,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    const result = await work();
    recover(duty);
    return result;
  } catch (error) {
    fail(duty, reasonOf(error));
    return undefined;
  }
}
