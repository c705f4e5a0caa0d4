export { BuiltPackages, buildPackages } from './built-packages.ts';
export { javaScriptOf } from './java-script.ts';
export { spawnNodeAsNobody, whyNotAsNobody } from './nobody.ts';
export { importOpenTelemetry3, typeErrorsWithOpenTelemetry3 } from './open-telemetry-3.ts';
export { describeWithPeers, isInstalled, type PeerName, programOf } from './peers.ts';
