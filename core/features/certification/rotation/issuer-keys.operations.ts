import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import { string } from '../../../kernel/schema.ts'
import { findIssuerKeys } from './issuer-keys.ts'
import { IssuerKeys } from './issuer-keys.schema.ts'

const readIssuerKeysOperation = declareOperation({
  id: 'get_issuer_keys_v1',
  method: 'GET',
  path: '/v1/dpp/issuers/:did/keys',
  access: { rule: 'public', isOpenToAllOrigins: true },
  params: {
    did: string('A DID, as issuers of credentials have it.', {
      minLength: 9,
      maxLength: 300,
      pattern: '^did:(key:z[1-9A-HJ-NP-Za-km-z]+|web:[a-z0-9.-]+)$',
      examples: ['did:web:brand.example'],
    }),
  },
  returns: { 200: IssuerKeys },
  transport: { headers: { 'Cache-Control': 'public, max-age=60' } },
  document: {
    tag: 'Certification keys',
    summary: 'Read the keys of an issuer',
    description:
      'For verifiers without an account: which keys signed when, which are revoked and since when, with the receipts of '
      + 'networks. Credentials with an embedded proof name it as `statusReference` of their status, DID documents as a service.',
    mcpName: 'get_issuer_keys',
  },
}).withReadHandler(async ({ params, work }) => {
  const keys = await findIssuerKeys(work.trx, params.did)
  if (keys === null) throw createNotFoundProblem()
  return keys
})

export const issuerKeyOperations: Operation[] = [readIssuerKeysOperation]
