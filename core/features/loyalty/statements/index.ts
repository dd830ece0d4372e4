export { readPointDates } from './dates.ts'
export { readStatement, type Statement, type StatementEntry } from './statement.ts'
