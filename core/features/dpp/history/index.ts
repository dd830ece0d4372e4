export { historyOperations } from './history.operations.ts'
export type { HistoryEntry } from './history.schema.ts'
export { listHistory } from './history.ts'
export { readUsedOperations } from './used-units.ts'
