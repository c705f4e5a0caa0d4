import { caseCount } from '@hdrscope/testing/case-count';
import { describeGeneratedIncidents } from './generated-incidents.ts';

describeGeneratedIncidents({
  incidents: caseCount(25, 100),
  others: caseCount(8, 200),
  days: caseCount(8, 25),
  quietDays: caseCount(25, 100),
});
