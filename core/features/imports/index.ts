import type { JobDeclaration } from '../../kernel/job.ts'
import type { Operation } from '../../kernel/operation.ts'
import { importJob } from './imports.jobs.ts'
import { intakeOperations } from './intake.operations.ts'
import { mapperOperations } from './mappers.operations.ts'
import { reportOperations } from './reports.operations.ts'
import { suggestionOperations } from './suggestions.operations.ts'

export const importOperations: Operation[] = [
  ...intakeOperations, ...reportOperations, ...mapperOperations, ...suggestionOperations,
]
export const importJobs: JobDeclaration<unknown>[] = [importJob]
