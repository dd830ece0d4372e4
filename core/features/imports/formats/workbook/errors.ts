import { InitError } from '../../records/index.ts'

/** Creates the error for a workbook that cannot be read. */
export const createBrokenWorkbookError = (message: string, cause?: unknown) =>
  new InitError('IMPORT_WORKBOOK_BROKEN', message, { cause })

/** Creates the error for a workbook that unpacks to more than is read. */
export const createLargeWorkbookError = (message: string) => new InitError('IMPORT_TOO_LARGE', message)
