import type { Knex } from 'knex'
import { answerText } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import { getRequestHost } from '../../../kernel/request/request-host.ts'
import type { Context } from '../../../kernel/work.ts'
import { findProvenOwner } from '../../applications/index.ts'
import { readDidDocument } from './did-web.ts'
import type { DidDocument } from '../keys/index.ts'
import type { DomainRow } from '../rotation/index.ts'

const mediaType = 'application/did+json'

const readDidDocumentOperation = declareOperation({
  id: 'get_did_document_v1',
  method: 'GET',
  path: '/.well-known/did.json',
  access: { rule: 'public', isOpenToAllOrigins: true },
  returns: { 200: { type: mediaType, description: 'The DID document.', isJson: true } },
  problemCodes: ['NOT_FOUND'],
  transport: { headers: { 'Cache-Control': 'public, max-age=60' } },
  document: {
    tag: 'Certification keys',
    summary: 'Read the DID document of a proven domain',
    description:
      'Answers for the host of the request: a domain that an organization has proven by DNS and that points to this '
      + 'platform needs no web server of its own. Only where the same organization has set it for did:web, now or earlier, '
      + 'since what was signed under an earlier domain goes on to be verified there.',
    isHidden: true,
  },
}).withReadHandler(async ({ request, work: { trx, context } }) => {
  const document = await readServedDocument(trx, context, getRequestHost(request, context.settings.trustProxy))
  if (document === null) throw createNotFoundProblem()
  return answerText(JSON.stringify(document), mediaType)
})

/** Reads the document of a domain that its organization has proven and has set for did:web, now or earlier. */
async function readServedDocument(db: Knex, context: Context, host: string): Promise<DidDocument | null> {
  const owner = await findProvenOwner(db, host)
  if (!owner) return null
  const row = await db<DomainRow>('did_web_domains')
    .where({ organization: owner.organization, domain: host })
    .first('domain')
  return row ? readDidDocument(db, context, owner.organization, row.domain) : null
}

export const didDocumentOperations: Operation[] = [readDidDocumentOperation]
