import { certificationJobs } from './features/certification/index.ts'
import { dppJobs } from './features/dpp/index.ts'
import { importJobs } from './features/imports/index.ts'
import type { JobDeclaration } from './kernel/job.ts'

/** Every job type there is. The worker refuses to start on one without handler or with two. */
export const jobs: JobDeclaration<unknown>[] = [...dppJobs, ...certificationJobs, ...importJobs]
