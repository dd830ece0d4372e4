import { applicationOperations } from './features/applications/index.ts'
import { certificationOperations } from './features/certification/index.ts'
import { dppOperations } from './features/dpp/index.ts'
import { eventOperations } from './features/events/events.operations.ts'
import { identityOperations } from './features/identity/index.ts'
import { importOperations } from './features/imports/index.ts'
import { jobOperations } from './features/jobs/index.ts'
import { jobs } from './jobs.ts'
import type { Operation } from './kernel/operation.ts'
import { pageOperations } from './pages/index.ts'

/** Every operation there is, in the order of the document. */
export const operations: Operation[] = [
  ...identityOperations, ...applicationOperations, ...dppOperations, ...certificationOperations, ...importOperations,
  ...jobOperations(jobs), ...eventOperations, ...pageOperations,
]
