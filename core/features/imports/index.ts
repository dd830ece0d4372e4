export { validateMapperRows } from './mapping/index.ts'
export {
  createDraft,
  createDrafts,
  type Draft,
  openPastedText,
  findDraft,
  findDraftByTrial,
  findMapperNames,
  findMapperRows,
  listMapperChoices,
  type DraftPreview,
  previewDraft,
  type PreviewRow,
  type ReceivedDraft,
  receiveDraft,
  startDraftImport,
  suggestCorrespondences,
  updateDraft,
} from './drafts/index.ts'
export {
  duplicatePolicies,
  type ImportJob,
  type ImportReport,
  InitError,
  type Mapper,
  MapperPatch,
  MapperRow,
  mapperTypes,
} from './records/index.ts'
export {
  deleteMapper,
  listMappers,
  listRunningMappers,
  previewMapperDeletion,
  readMapper,
  runMapper,
  sealedHeaders,
  updateMapper,
} from './mappers/index.ts'
export { type FileField, type FileSample, readFileSample } from './samples/index.ts'
export {
  applyChange,
  type Correspondence,
  detectGranularity,
  type Fix,
  type Granularity,
  isFilled,
  type MappingChange,
  type SourceField,
  toMapperRow,
} from './suggest/index.ts'
export { maxFileBytes } from './staging/index.ts'

export { hasColumns } from './formats/index.ts'
export { formatReportCsv, listImports, readAllErrors, readOwnImport, readReport } from './reports/index.ts'
export type { Preview } from './mappers/index.ts'
