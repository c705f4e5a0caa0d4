import { caseCount } from '@hdrscope/testing/case-count';
import { describeGeneratedIncidents } from './generated-incidents.ts';

describeGeneratedIncidents(caseCount(1, 25));
