/** Reads the wire format of protobuf. */
export { BinaryReader } from '@bufbuild/protobuf/wire';
