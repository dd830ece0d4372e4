import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { oneOf, optional } from '../../../kernel/schema.ts'
import { passportList, passportEntity } from '../passports/index.ts'
import { createRuleSchema, PassportToValidate, Readiness, ReadinessSummary, severities } from './readiness.schema.ts'
import { maxSummarizedPassports, summarizeReadiness } from './readiness.summary.ts'
import { readReadiness } from './readiness.ts'
import { validatePassport } from './readiness.validate.ts'
import { applicationEntity } from '../../applications/index.ts'
import { sheetEntity } from '../sheets/index.ts'

const tag = 'Passports'
const standardsDescription =
  'Judged by its sheet, UNTP 0.7.0, its model and batch, GTIN, countries, units, and Regulations (EU) 2024/1781 '
  + 'and 2023/1542.'

const readOne = declareOperation({
  id: 'get_dpp_passport_readiness_v1',
  method: 'GET',
  path: '/v1/dpp/passports/:id/readiness',
  access: 'dpp:read',
  scope: { params: { id: passportEntity } },
  returns: { 200: Readiness },
  document: {
    tag,
    summary: 'Read the readiness of a passport',
    description: `What keeps the passport from being taken elsewhere, and what will be asked of it. ${standardsDescription}`,
    mcpName: 'get_dpp_passport_readiness',
  },
}).withReadHandler(({ caller, params, work }) => readReadiness(work, caller, params.id))

const summarize = declareOperation({
  id: 'list_dpp_readiness_v1',
  method: 'GET',
  path: '/v1/dpp/readiness',
  access: 'dpp:read',
  scope: { list: 'application.id' },
  query: {
    severity: optional(oneOf(severities, 'The least severe findings to tell.', { default: 'info' })),
    rule: optional(createRuleSchema('Only this rule, with up to 100 of its passports.')),
  },
  list: { filters: passportList.filters, sorters: passportList.sorters },
  returns: { 200: ReadinessSummary },
  problemCodes: ['VALIDATION_FAILED'],
  document: {
    tag,
    summary: 'Read the readiness of many passports',
    description:
      'Counts by rule which of the passports that the filters match are not ready, and names some; at most '
      + `${maxSummarizedPassports.toLocaleString('en')} (422).`,
    mcpName: 'list_dpp_readiness',
  },
}).withReadHandler(({ caller, page, query: { severity = 'info', rule = null }, request, work }) =>
  summarizeReadiness(work, caller, page, { severity, rule }, request.signal),
)

const validateOne = declareOperation({
  id: 'validate_dpp_passport_v1',
  method: 'POST',
  path: '/v1/dpp/passports/validate',
  access: 'dpp:read',
  scope: { body: { application: applicationEntity, product: sheetEntity } },
  body: PassportToValidate,
  returns: { 200: Readiness },
  problemCodes: ['NOT_FOUND'],
  document: {
    tag,
    summary: 'Validate a passport before it is made',
    description: `What creating it would be refused for, and its readiness. Stores nothing. ${standardsDescription}`,
    mcpName: 'validate_dpp_passport',
    mcpHints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
}).withOutboundHandler(({ body, caller, work }) => validatePassport(work, caller, body as Record<string, unknown>))

export const readinessOperations: Operation[] = [readOne, summarize, validateOne]
