export { blockApplication } from './application-blocker.ts'
export { previewPassportDeletion, previewSheetDeletion } from './deletions.ts'
export { readMigrationJob } from './migration.ts'
export { migrationJob } from './migration.jobs.ts'
export { type PassportAct, passportActs, type PassportState, readPassportState } from './passport.acts.ts'
export {
  assertIdentityChangeable,
  changesNothing,
  movesNumbers,
  updatePassport,
  validateChange,
} from './passports.change.ts'
export { createPassport, validateSheetPassport } from './passports.create.ts'
export { passportOperations } from './passports.operations.ts'
export { sheetOperations } from './sheets.operations.ts'
export { createSheet, deleteSheet, updateSheet } from './sheets.ts'
