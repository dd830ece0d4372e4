import { operation, type Operation } from '../../kernel/operation.ts'
import { CredentialStatus, StatusChange } from './status.schema.ts'
import { setStatus } from './status.ts'

const set = operation({
  id: 'set_dpp_passport_status_v1',
  method: 'POST',
  path: '/v1/dpp/passports/:id/status',
  summary: 'Revoke or suspend the credentials of a passport',
  description:
    'Of every version, signed already or later. Readers of the status lists see it at once. A suspension can be ' +
    'lifted (`value` false); a revocation is for good, and the passport cannot be certified again. ' +
    'Needs a credential of ours (422): a certificate that you host yourself has none.',
  tag: 'Credentials',
  access: 'dpp:update',
  body: StatusChange,
  returns: { 200: CredentialStatus },
  mcp: 'set_dpp_passport_status',
  hints: { destructiveHint: true, idempotentHint: true },
  confirm: true,
}).handledBy(({ body, caller, params, work }) => setStatus(work, caller, params.id, body))

export const statusOperations: Operation[] = [set]
