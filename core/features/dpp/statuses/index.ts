export { statusOperations } from './status.operations.ts'
export { copyStatusToVersions, findRevokedPassports } from './status.rows.ts'
export type { CredentialStatus } from './status.schema.ts'
