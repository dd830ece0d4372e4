export { formatReportCsv } from './reports.csv.ts'
export { reportOperations } from './reports.operations.ts'
export { listImports, readAllErrors, readOwnImport, readReport } from './reports.ts'
