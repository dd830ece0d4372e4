import { operation, type Operation } from '../../kernel/operation.ts'
import { suggestMapping } from './suggest.ts'
import { MappingQuestion, MappingSuggestion } from './suggestions.schema.ts'

const suggest = operation({
  id: 'suggest_import_mapping_v1',
  method: 'POST',
  path: '/v1/import/mappers/suggest-mapping',
  summary: 'Suggest a mapping of columns',
  description: 'Says where the columns of a file can go, with the constants that they need. Apply those of confidence high and '
    + 'review; low ones are offers. A model, where one is configured, sees headings and an example of each. Nothing is stored.',
  tag: 'Imports',
  access: 'dpp:read',
  body: MappingQuestion,
  bodyLimit: 4 * 1024 * 1024,
  invalidBody: 400,
  returns: { 200: MappingSuggestion },
  problems: ['NOT_FOUND'],
  mcp: 'suggest_import_mapping',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
}).performedBy(({ body, request, work }) => suggestMapping(work, body, request.signal))

export const suggestionOperations: Operation[] = [suggest]
