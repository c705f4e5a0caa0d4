/** The wire format of protobuf. */
export { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
