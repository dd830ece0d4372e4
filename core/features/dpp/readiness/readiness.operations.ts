import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { Readiness, PassportToValidate } from './readiness.schema.ts'
import { readReadiness } from './readiness.ts'
import { validatePassport } from './readiness.validate.ts'

const tag = 'Passports'
const standardsDescription =
  'Judged by the fields of its sheet, the JSON Schema of UNTP 0.7.0, its model and batch, GTIN, countries, units, '
  + 'and Regulations (EU) 2024/1781 and 2023/1542.'

const readOne = declareOperation({
  id: 'get_dpp_passport_readiness_v1',
  method: 'GET',
  path: '/v1/dpp/passports/:id/readiness',
  access: 'dpp:read',
  returns: { 200: Readiness },
  document: {
    tag,
    summary: 'Read the readiness of a passport',
    description: `What keeps the passport from being taken elsewhere, and what will be asked of it. ${standardsDescription}`,
    mcpName: 'get_dpp_passport_readiness',
  },
}).withReadHandler(({ caller, params, work }) => readReadiness(work, caller, params.id))

const validateOne = declareOperation({
  id: 'validate_dpp_passport_v1',
  method: 'POST',
  path: '/v1/dpp/passports/validate',
  access: 'dpp:read',
  body: PassportToValidate,
  returns: { 200: Readiness },
  document: {
    tag,
    summary: 'Validate a passport before it is made',
    description:
      'Finds what creating it would be refused for, and what its readiness would lack. Nothing is stored, no other '
      + `server asked. ${standardsDescription}`,
    mcpName: 'validate_dpp_passport',
    mcpHints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
}).withOutboundHandler(({ body, caller, work }) => validatePassport(work, caller, body as Record<string, unknown>))

export const readinessOperations: Operation[] = [readOne, validateOne]
