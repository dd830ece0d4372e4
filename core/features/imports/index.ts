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

export { destinations, type Destination } from './destinations.ts'
export { changeDraft, findDraft, findTried, keepDraft, type Choices, type Draft } from './drafts.ts'
export { receiveDraft, type ReceivedDraft } from './drafts.receive.ts'
export { previewDraft, type PreviewRow } from './drafts.preview.ts'
export { mapperChoices, mapperNames, mapperRows, startDraft, suggestFor } from './drafts.start.ts'
export { duplicatePolicies, type DuplicatePolicy, type ImportJob, type ImportReport } from './imports.schema.ts'
export { InitError } from './imports.types.ts'
export { sealedHeaders } from './mappers.headers.ts'
export type { Correspondence } from './suggestions.schema.ts'
export { fileLimit } from './staging.ts'
export { importView } from './imports.view.ts'
export type { MapperRow } from './mappers.schema.ts'
export { hasColumns } from './formats.ts'
export { judgeRows } from './mapping.rules.ts'
export { peek, type Peek, type FileField } from './peek.ts'
export { reportAsCsv } from './reports.csv.ts'
export { allErrors, listImports, ownImport, reportOf } from './reports.ts'

export { startSchedules } from './schedule.ts'
export { sweepUploads } from './staging.ts'
