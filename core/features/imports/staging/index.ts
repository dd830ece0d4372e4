export { detectDialect, detectTextFormat, type Format, workbookType } from './staging.detect.ts'
export {
  deleteStaleUploads,
  deleteUpload,
  eraseUploads,
  maxFileBytes,
  openPieces,
  type StagedFile,
  type StageOptions,
  stageStream,
} from './staging.ts'
export { stageWorkbook, stageWorkbookSheets } from './staging.workbook.ts'
