import type { Knex } from 'knex'
import { text } from '../../../kernel/answer.ts'
import { operation, type Operation } from '../../../kernel/operation.ts'
import { notFound } from '../../../kernel/problem.ts'
import { requestHost } from '../../../kernel/request-host.ts'
import type { Context } from '../../../kernel/work.ts'
import { findProvenOwner } from '../../applications/index.ts'
import { publishedDocument } from '../did-web.ts'
import type { DidDocument } from '../did.ts'
import type { DomainRow } from './domain-rows.ts'

const mediaType = 'application/did+json'

const read = operation({
  id: 'get_did_document_v1',
  method: 'GET',
  path: '/.well-known/did.json',
  summary: 'Read the DID document of a proven domain',
  description:
    'Answers for the host of the request: a domain that an organization has proven by DNS and that points to this ' +
    'platform needs no web server of its own. Only where the same organization has set it for did:web, now or earlier, ' +
    'since what was signed under an earlier domain goes on to be verified there.',
  tag: 'Certification keys',
  hidden: true,
  access: 'public',
  cors: true,
  headers: { 'Cache-Control': 'public, max-age=60' },
  returns: { 200: { type: mediaType, description: 'The DID document.', json: true } },
  problems: ['NOT_FOUND'],
}).readBy(async ({ request, work: { trx, context } }) => {
  const document = await readServedDocument(trx, context, requestHost(request, context.settings.trustProxy))
  if (document === null) throw notFound()
  return text(JSON.stringify(document), mediaType)
})

/** Reads the document of a domain that its organization has proven and signs, or signed, under. */
async function readServedDocument(db: Knex, context: Context, host: string): Promise<DidDocument | null> {
  const owner = await findProvenOwner(db, host)
  if (!owner) return null
  const row = await db<DomainRow>('did_web_domains').where({ organization: owner.organization, domain: host }).first('domain')
  return row ? publishedDocument(db, context, owner.organization, row.domain) : null
}

export const didDocumentOperations: Operation[] = [read]
