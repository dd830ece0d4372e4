export { readFirstRecords } from './formats.csv.ts'
export { getMarkBytes } from './formats.text.ts'
export { countRows, hasColumns, openSource } from './formats.ts'
export { maxWorkbookBytes, openWorkbook } from './workbook/workbook.ts'
