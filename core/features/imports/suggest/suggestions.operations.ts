import { getRecordSink, recordPermissions } from '../../../kernel/ports/record-sinks.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { createProblem } from '../../../kernel/problem.ts'
import { applicationEntity } from '../../applications/index.ts'
import { authorizeRecords } from '../records/index.ts'
import { readSentSample } from '../samples/index.ts'
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
      'Where columns can go, and the constants and templates they need. Apply high and review, offer low. With `sample`, '
      + 'they are tried by the rules of the import. A configured model sees headings and an example of each. Stores nothing.',
    mcpName: 'suggest_import_mapping',
    mcpHints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  },
}).withOutboundHandler(async ({ body: { fields, sample, ...question }, caller, request, work }) => {
  authorizeRecords(caller, getRecordSink(question.entityName), 'read')
  const read = sample === undefined ? undefined : await readSentSample(sample)
  const known = fields ?? read?.fields.map(({ id, example }) => ({ id, ...(example !== undefined && { example }) }))
  if (!known) throw createProblem('INVALID_REQUEST', 'Send `sample`, or else `fields`.', { path: 'sample' })
  return suggestMapping(work, { ...question, fields: known, sample: read }, request.signal)
})

export const suggestionOperations: Operation[] = [suggestOperation]
