import { readFile } from 'node:fs/promises';
import { asArray, asObject, asText, Budget, isObject, type JsonObject, parseJson } from '@hdrscope/kit';
import { inUrl } from '@hdrscope/kit/server';
import { requestAnswer } from '@hdrscope/prometheus/internal';
import { formatInstance, type ScrapeTarget } from './target.ts';

/** How the API server is asked. */
export interface KubernetesApi {
  /** The URL of the API server. @default that of the cluster in which the process runs */
  readonly server?: string | undefined;
  /** The file with the token of the account. @default that of the service account of the pod */
  readonly tokenFile?: string | undefined;
  /** The certificates that the API server may have. @default those of the cluster */
  readonly caFile?: string | undefined;
  /** The namespaces of the pods. Empty: all. */
  readonly namespaces: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

// https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const PODS_PER_REQUEST = 500;
const MOST_PODS = 20_000;
const MOST_ANSWER_BYTES = 64 * 2 ** 20;
const LIMITS = { elements: 4_000_000, depth: 64 };

/**
 * The running pods that ask to be scraped, by their annotations `prometheus.io/scrape`, `/scheme`, `/port` and `/path`.
 *
 * @param refuse Hears of each pod whose annotations are wrong.
 * @throws HdrscopeError `ERR_SCRAPE` when the API server cannot be asked; `ERR_DECODE` when its answer is no list of pods.
 */
export async function listPods(
  api: KubernetesApi,
  job: string,
  refuse: (problem: string) => void,
): Promise<readonly ScrapeTarget[]> {
  const paths =
    api.namespaces.length === 0
      ? ['/api/v1/pods']
      : api.namespaces.map((namespace) => `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`);
  const targets: ScrapeTarget[] = [];
  for (const path of paths) {
    let rest: string | undefined;
    do {
      const { items, metadata } = await askList(api, path, rest);
      for (const pod of asArray(items, 'items')) {
        const target = targetOfPod(asObject(pod, 'items[]'), job, refuse);
        if (target !== undefined) targets.push(target);
        if (targets.length > MOST_PODS)
          throw new Error(`more than ${MOST_PODS} pods ask to be scraped: name fewer namespaces`);
      }
      rest = isObject(metadata) && typeof metadata.continue === 'string' ? metadata.continue : undefined;
    } while (rest !== undefined && rest !== '');
  }
  return targets;
}

async function askList(api: KubernetesApi, path: string, rest: string | undefined): Promise<JsonObject> {
  const url = new URL(path, api.server ?? clusterServer());
  url.searchParams.set('fieldSelector', 'status.phase=Running');
  url.searchParams.set('limit', `${PODS_PER_REQUEST}`);
  if (rest !== undefined) url.searchParams.set('continue', rest);
  // The token is renewed while the pod runs.
  const token = await readFile(api.tokenFile ?? `${ACCOUNT}/token`, 'utf8');
  const { bytes } = await requestAnswer({
    url,
    headers: { accept: 'application/json', authorization: `Bearer ${token.trim()}` },
    tls: { caFile: api.caFile ?? (api.server === undefined ? `${ACCOUNT}/ca.crt` : undefined) },
    timeoutMs: api.timeoutMs,
    maxBytes: MOST_ANSWER_BYTES,
    signal: api.signal,
    failure: `the API server ${url.host} does not list pods`,
  });
  const what = 'the list of pods';
  return asObject(parseJson(Buffer.from(bytes).toString(), what, new Budget(what, LIMITS)), what);
}

function clusterServer(): string {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = process.env;
  if (host !== undefined) return `https://${inUrl(host)}:${port}`;
  throw new Error(
    'this process runs in no pod (KUBERNETES_SERVICE_HOST is not set): name the API server with kubernetes.server',
  );
}

/** The target of a pod; `undefined` for one that does not ask to be scraped, is refused, or has no address yet. */
function targetOfPod(
  pod: JsonObject,
  job: string,
  refuse: (problem: string) => void,
): ScrapeTarget | undefined {
  const { name, namespace, uid, annotations = {} } = asObject(pod.metadata, 'metadata');
  const wishes = asObject(annotations, 'metadata.annotations');
  if (wishes['prometheus.io/scrape'] !== 'true') return undefined;
  const { podIP } = isObject(pod.status) ? pod.status : {};
  if (typeof podIP !== 'string' || podIP === '') return undefined;
  const where = `the pod ${asText(namespace, 'metadata.namespace')}/${asText(name, 'metadata.name')}`;
  const wish = (key: string, usual: string): string => `${wishes[key] ?? usual}`;
  const port = wish('prometheus.io/port', firstPort(pod));
  const scheme = wish('prometheus.io/scheme', 'http');
  const text = `${scheme}://${inUrl(podIP)}${port === '' ? '' : `:${port}`}`;
  if (!/^https?$/.test(scheme) || !/^\d*$/.test(port) || !URL.canParse(text)) {
    refuse(
      `${where} has wrong annotations: the port must be a number, and the scheme http or https, got ${scheme} and ${port}`,
    );
    return undefined;
  }
  const url = new URL(text);
  // Not resolved: a whole URL would send the credentials of the source to another host.
  url.pathname = wish('prometheus.io/path', '/metrics');
  const attributes = { job, instance: formatInstance(url), namespace: `${namespace}`, pod: `${name}` };
  return { id: `${uid} ${url.href}`, url: url.href, attributes, isLasting: false };
}

/** The first port that a container of the pod declares; `''` without one. */
function firstPort({ spec }: JsonObject): string {
  const containers = isObject(spec) && Array.isArray(spec.containers) ? spec.containers : [];
  const ports = containers.flatMap((container: JsonObject) =>
    Array.isArray(container.ports) ? container.ports : [],
  );
  const port: unknown = ports[0]?.containerPort;
  return port === undefined ? '' : `${port}`;
}
