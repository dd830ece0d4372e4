export { suggestMapping } from './suggest.ts'
export { suggestionOperations } from './suggestions.operations.ts'
export type { Correspondence } from './suggestions.schema.ts'
