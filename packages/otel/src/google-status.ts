import { delimited, varint } from './receiver/wire.ts';

// The tags of the details of a failed call of gRPC, which a receiver writes and a sender reads.

// https://github.com/googleapis/googleapis/blob/master/google/rpc/status.proto
export const STATUS_CODE: number = /* @__PURE__ */ varint(1);
export const STATUS_MESSAGE: number = /* @__PURE__ */ delimited(2);
export const STATUS_DETAIL: number = /* @__PURE__ */ delimited(3);
export const ANY_TYPE: number = /* @__PURE__ */ delimited(1);
export const ANY_VALUE: number = /* @__PURE__ */ delimited(2);

// https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto
export const RETRY_DELAY: number = /* @__PURE__ */ delimited(1);
export const SECONDS: number = /* @__PURE__ */ varint(1);
export const NANOSECONDS: number = /* @__PURE__ */ varint(2);
