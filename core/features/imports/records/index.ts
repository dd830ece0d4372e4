export { delimiterPattern, parseDelimiter } from './delimiters.ts'
export { findInvalidBytes, isMostlyBroken, LineSurvey, surveyLines } from './encodings.survey.ts'
export { areBothUtf16, createEncodingError, type Encoding, parseEncoding } from './encodings.ts'
export {
  AcceptedImport,
  duplicatePolicies,
  duplicatePolicy,
  type DuplicatePolicy,
  entityName,
  fileNotes,
  ImportJob,
  importJobResult,
  ImportList,
  importList,
  importNetwork,
  ImportReport,
  ImportRowError,
} from './imports.schema.ts'
export {
  type Checkpoint,
  type Dialect,
  type FileNotes,
  type ImportPayload,
  type ImportWarning,
  InitError,
  pieceBytes,
  type Pieces,
  type RowBatch,
  type Source,
  type SourceRow,
} from './imports.types.ts'
export { authorizeRecords, authorizeUpdate, listReadableEntities } from './records.access.ts'
export {
  Mapper,
  mapperFormats,
  MapperList,
  mapperList,
  MapperPatch,
  MapperRow,
  mapperTypes,
  maxMapperRows,
  NewMapper,
} from './mappers.schema.ts'
