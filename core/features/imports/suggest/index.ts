export { suggestMapping } from './suggest.ts'
export { suggestionOperations } from './suggestions.operations.ts'
export type { Correspondence, SourceField } from './suggestions.schema.ts'
