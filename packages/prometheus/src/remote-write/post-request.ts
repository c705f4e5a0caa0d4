import { type PostedRequest, post } from '@hdrscope/kit/delivery';
import { type Verdict, verdictOf } from './answer.ts';
import type { RequestEncoder } from './encode.ts';
import { snappy } from './snappy.ts';

/** Sends what an encoder has, as one request of remote write 2. Never rejects. */
export async function postRequest(
  encoder: RequestEncoder,
  { headers, ...target }: Omit<PostedRequest, 'bytes'>,
): Promise<Verdict> {
  const { contents } = encoder;
  const outcome = await post({
    ...target,
    headers: { ...headers, ...PROTOCOL_HEADERS },
    bytes: snappy(encoder.finish()),
  });
  return verdictOf(outcome, contents);
}

const PROTOCOL_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '2.0.0',
  'user-agent': 'hdrscope',
};
