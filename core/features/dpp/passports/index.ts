export { assertClaimable, findClaimedPassports, hasActiveClaim, mayClaim } from './claims.rules.ts'
export { countPassportsByStatus, rollUpPassportCounts } from './passports.counts.ts'
export { recordEventsByIds, recordPassportEvents, recordPassportTallies } from './passports.events.ts'
export { findDuplicateProblem, findReferenceHolder } from './passports.holders.ts'
export { passportStatus } from './passports.machine.ts'
export { passportColumns, passportEntity, PassportRow } from './passports.model.ts'
export { getInsiderOrganization, presentPassport } from './passports.present.ts'
export {
  assertCreatable,
  assertNoIssues,
  assertWritable,
  createDuplicateNumbersProblem,
  createDuplicateReferenceProblem,
  findDeletionProblem,
  findWriteProblem,
  isProductFlow,
  isSameEmail,
  type NewProductPassport,
  validateCertificateUri,
  validateFlowMembers,
  validateProductPassport,
  validateSheetMembers,
} from './passports.rules.ts'
export {
  createPhoneNumberSchema,
  NewPassport,
  Passport,
  PassportList,
  passportList,
  PassportPatch,
  passportSources,
  type PassportStatus,
  passportStatuses,
} from './passports.schema.ts'
export { readAllPassports } from './passports.reads.ts'
export {
  hasMorePassports,
  listPassportSizes,
  queryPassports,
  readPassportsInOrder,
  readRemovablePassports,
  type RemovablePassport,
  type SizedPassport,
} from './reads/passports.batches.ts'
export { readDescendants } from './reads/passports.descendants.ts'
export {
  findOpenPassport,
  iteratePublicModels,
  listPublicModelPages,
  type PublicModelPlace,
} from './reads/passports.open.ts'
export { listClaimedPassports } from './reads/passports.owned.ts'
export { readPassportLabels, readPassportStatuses } from './reads/passports.labels.ts'
export { findPublishedPassport } from './reads/passports.samples.ts'
export { type FoundPassport, type PassportSearch, searchPassports } from './reads/passports.search.ts'
export {
  abandonChangedCertification,
  abandonPendingCertification,
  awaitCertification,
  clearCertification,
  completeCertification,
  failAwaitedCertification,
  failCertification,
  queueCertification,
  restoreCertification,
} from './store/passports.store.certification.ts'
export {
  archivePassports,
  assignSheetVersion,
  changeNetworkOfSheet,
  changePassport,
  changePassports,
  deletePassportRows,
  migrateFields,
  type PassportChange,
} from './store/passports.store.change.ts'
export { type CopiedPassport, copyPassports } from './store/passports.store.copy.ts'
export { eraseClaimContacts } from './store/passports.store.erase.ts'
export { insertProductPassport, insertSheetPassport } from './store/passports.store.insert.ts'
export { insertMintBatch, type MintBatchRow } from './store/passports.store.mint.ts'
export { enrolPassports, publishPassports } from './store/passports.store.publish.ts'
export { completeStructure, queueStructure } from './store/passports.store.structure.ts'
export {
  handOverPassports,
  queueMint,
  releaseMints,
  type TokenFacts,
  updateTokens,
} from './store/passports.store.tokens.ts'
export { parseTokenBytes, tokenBytesSql } from './token-bytes.ts'
export {
  deletePassport,
  findLockedPassport,
  listPassports,
  lockPassport,
  lockPassportIds,
  lockPassports,
  type Precondition,
  presentFor,
  readOwnPassport,
  readOwnShownPassport,
  readPassport,
  readPublicPassport,
  readShownPassport,
} from './passports.ts'
export { describeWithdrawal, findWithdrawal, readWithdrawals, type Withdrawal } from './withdrawals.ts'
