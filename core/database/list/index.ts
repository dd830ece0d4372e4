export type { Columns, Sql } from './filters.ts'
export { listPage } from './list.ts'
export { applyFilters, createModelSource } from './model-source.ts'
export { createStatementSource } from './statement-source.ts'
