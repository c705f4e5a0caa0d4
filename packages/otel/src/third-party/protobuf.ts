/** The wire format of protobuf. */
export { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
