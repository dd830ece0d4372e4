import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { suggestMapping } from './suggest.ts'
import { MappingQuestion, MappingSuggestion } from './suggestions.schema.ts'

const suggestOperation = declareOperation({
  id: 'suggest_import_mapping_v1',
  method: 'POST',
  path: '/v1/import/mappers/suggest-mapping',
  access: 'dpp:read',
  body: MappingQuestion,
  returns: { 200: MappingSuggestion },
  problemCodes: ['NOT_FOUND'],
  transport: { maxBodyBytes: 4 * 1024 * 1024, invalidBodyStatus: 400 },
  document: {
    tag: 'Imports',
    summary: 'Suggest a mapping of columns',
    description:
      'Says where the columns of a file can go, with the constants that they need. Apply those of confidence high and '
      + 'review; low ones are offers. A model, where one is configured, sees headings and an example of each. Nothing is stored.',
    mcpName: 'suggest_import_mapping',
    mcpHints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  },
}).withOutboundHandler(({ body, request, work }) => suggestMapping(work, body, request.signal))

export const suggestionOperations: Operation[] = [suggestOperation]
