import { describeRotations } from './support/rotations.ts';

describeRotations({ ofEach: 25, inTurn: 104, duringLooks: 12 });
