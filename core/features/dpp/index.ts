import type { JobDeclaration } from '../../kernel/job.ts'
import type { Operation } from '../../kernel/operation.ts'
import { certifyJob } from './certify.jobs.ts'
import { certifyOperations } from './certify.operations.ts'
import { claimJob } from './claims.jobs.ts'
import { claimOperations } from './claims.operations.ts'
import { credentialOperations } from './credentials.operations.ts'
import { mintJob } from './mint.jobs.ts'
import { mintOperations } from './mint.operations.ts'
import { passportOperations } from './passports.operations.ts'
import { publishJob } from './publish.jobs.ts'
import { publishOperations } from './publish.operations.ts'
import { sheetOperations } from './sheets.operations.ts'
import { structureJob } from './structure.jobs.ts'

export const dppOperations: Operation[] = [
  ...sheetOperations, ...mintOperations, ...passportOperations, ...publishOperations, ...certifyOperations,
  ...credentialOperations, ...claimOperations,
]
export const dppJobs: JobDeclaration<unknown>[] = [mintJob, publishJob, certifyJob, claimJob, structureJob]

export { settleAnchors } from './anchors.ts'
export { claimByToken } from './claims.ts'
export { findClaimJob } from './claims.operations.ts'
export { holdStructure, releaseStructure } from './structure.ts'
export { HopeLost } from './import.clash.ts'
export { importedNetwork, prepareImport, storeImport } from './import.ts'
export type { Hung, ImportOptions, ImportRow, PreparedRow, RowProblem, Stored, StoreOptions } from './import.types.ts'
export { unusable } from './networks.rules.ts'
export { passportOfToken, passportView, tokenView, type LabelledValue, type PassportView } from './page-views.ts'
export { NewPassport, Passport } from './passports.schema.ts'
export { rollUpPassportCounts } from './passports.counts.ts'
export { forgetScans, recordScan } from './scans.ts'
export { settlePassports } from './settle.ts'
