import { getRecordSink, recordPermissions } from '../../../kernel/ports/record-sinks.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { applicationEntity } from '../../applications/index.ts'
import { authorizeRecords } from '../records/index.ts'
import { suggestMapping } from './suggest.ts'
import { MappingQuestion, MappingSuggestion } from './suggestions.schema.ts'

const suggestOperation = declareOperation({
  id: 'suggest_import_mapping_v1',
  method: 'POST',
  path: '/v1/import/mappers/suggest-mapping',
  access: { rule: recordPermissions.read },
  scope: { body: { application: applicationEntity } },
  body: MappingQuestion,
  returns: { 200: MappingSuggestion },
  problemCodes: ['NOT_FOUND'],
  transport: { maxBodyBytes: 4 * 1024 * 1024, invalidBodyStatus: 400 },
  document: {
    tag: 'Imports',
    summary: 'Suggest a mapping of columns',
    description:
      'Where columns can go, and the constants they need. Apply confidence high, review low. A configured model '
      + 'sees headings and an example of each. Stores nothing.',
    mcpName: 'suggest_import_mapping',
    mcpHints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  },
}).withOutboundHandler(({ body, caller, request, work }) => {
  authorizeRecords(caller, getRecordSink(body.entityName), 'read')
  return suggestMapping(work, body, request.signal)
})

export const suggestionOperations: Operation[] = [suggestOperation]
