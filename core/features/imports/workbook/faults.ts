import { InitError } from '../imports.types.ts'

/** What a workbook is refused with that cannot be read. */
export const brokenBook = (message: string, cause?: unknown) => new InitError('IMPORT_WORKBOOK_BROKEN', message, { cause })

/** What one is refused with that unpacks to more than is read. */
export const largeBook = (message: string) => new InitError('IMPORT_TOO_LARGE', message)
