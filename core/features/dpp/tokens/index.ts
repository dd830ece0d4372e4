export { mintJob } from './mint.jobs.ts'
export { mintOperations } from './mint.operations.ts'
export { listOwnership, Ownership, passportTransfersSql, recordTransfers } from './ownership.ts'
export type { MintJob } from './mint.schema.ts'
