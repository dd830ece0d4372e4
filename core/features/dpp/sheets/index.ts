export { checkConformance, type Conformance, createPassportValidator, isCompatible } from './conformance.ts'
export { listSheets, readAllSheets, readOwnSheet, readOwnSheetStats } from './sheets.list.ts'
export { presentSheet, sheetEntity, SheetRow } from './sheets.model.ts'
export {
  findSheetsByName,
  listSheetChoices,
  lockSheet,
  readLockedSheet,
  readSheet,
  readSheetNames,
  readSheetTitles,
  readSheetsById,
  readVisibleSheet,
  type SheetTitle,
} from './sheets.reads.ts'
export { assertConsistentSheet, type SheetContent, validateCertifiedPaths } from './sheets.rules.ts'
export {
  NewSheet,
  Sheet,
  SheetList,
  SheetPatch,
  SheetsStats,
  SheetStats,
  type SheetStatus,
  sheetStatuses,
} from './sheets.schema.ts'
export { changeSheet, countSheets, deleteSheetRow, insertSheet, insertSheetVersion } from './sheets.store.ts'
export { readOrganizationStats } from './sheets.stats.ts'
export {
  assertConformance,
  createDryRun,
  getDefinitions,
  readVersionedSheets,
  type VersionedSheet,
} from './versions.ts'
