export { historyOperations } from './history.operations.ts'
