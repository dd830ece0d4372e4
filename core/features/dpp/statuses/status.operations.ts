import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { CredentialStatus, StatusChange } from './status.schema.ts'
import { setStatus } from './status.ts'

const setPassportStatus = declareOperation({
  id: 'set_dpp_passport_status_v1',
  method: 'POST',
  path: '/v1/dpp/passports/:id/status',
  access: 'dpp:update',
  body: StatusChange,
  returns: { 200: CredentialStatus },
  document: {
    tag: 'Credentials',
    summary: 'Revoke or suspend the credentials of a passport',
    description:
      'Revokes or suspends those of every version, later ones too; the status lists show it at once. A revoked passport '
      + 'cannot be certified again. 422 where you host the certificate yourself.',
    mcpName: 'set_dpp_passport_status',
    mcpHints: { destructiveHint: true, idempotentHint: true },
    needsConfirmation: true,
  },
}).withTransactionHandler(({ body, caller, params, work }) => setStatus(work, caller, params.id, body))

export const statusOperations: Operation[] = [setPassportStatus]
