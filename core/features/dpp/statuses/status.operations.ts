import { dryRunQuery, orDryRun } from '../../../kernel/dry-run.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { previewStatusChange } from './status.preview.ts'
import { CredentialStatus, StatusChange } from './status.schema.ts'
import { setStatus } from './status.ts'
import { passportEntity } from '../passports/index.ts'

const setPassportStatus = declareOperation({
  id: 'set_dpp_passport_status_v1',
  method: 'POST',
  path: '/v1/dpp/passports/:id/status',
  access: 'dpp:update',
  scope: { params: { id: passportEntity } },
  query: dryRunQuery,
  body: StatusChange,
  returns: { 200: orDryRun(CredentialStatus) },
  execution: { hasDryRun: true },
  document: {
    tag: 'Credentials',
    summary: 'Revoke or suspend the credentials of a passport',
    description:
      'Of all versions, at once. A revoked passport cannot be certified again. 422 where you host the certificate.',
    mcpName: 'set_dpp_passport_status',
    mcpHints: { destructiveHint: true, idempotentHint: true },
    needsConfirmation: true,
    preview: 'many',
  },
}).withTransactionHandler(async ({ body, caller, params, query, work }) =>
  query.dryRun
    ? previewStatusChange(work, caller, params.id, body)
    : (await setStatus(work, caller, params.id, body)).status,
)

export const statusOperations: Operation[] = [setPassportStatus]
