/** Reads the wire format of protobuf. */
export { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
