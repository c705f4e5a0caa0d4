export { BuiltPackages, buildPackages } from './built-packages.ts';
export { javaScriptOf } from './java-script.ts';
export {
  describeUnless,
  describeWithPeers,
  findProgram,
  type Lack,
  lack,
  lackByTrial,
  lackOfBuild,
  lackOfFile,
  lackOfPeer,
  lackOfProgram,
  lackOfRegistry,
  lackOfRoot,
  testUnless,
} from './needs.ts';
export { lackOfNobody, spawnNodeAsNobody } from './nobody.ts';
export { importOpenTelemetry3, typeErrorsWithOpenTelemetry3 } from './open-telemetry-3.ts';
export { isInstalled, type PeerName, programOf } from './peers.ts';
export { lackOfShared, sharedPath, testShared } from './shared-data.ts';
export { typeErrors } from './type-errors.ts';
