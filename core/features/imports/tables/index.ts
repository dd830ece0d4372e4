export { tableOperations } from './tables.operations.ts'
