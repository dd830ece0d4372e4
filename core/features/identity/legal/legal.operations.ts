import { answerJson } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { oneOf } from '../../../kernel/schema.ts'
import { acceptDocuments, listMissingDocuments, readAudience } from './acceptances.ts'
import { listCurrentDocuments, presentDocument } from './documents.ts'
import { createIntentCookie } from './intent.ts'
import { legalAudiences, LegalAcceptances, LegalDocuments, LegalState } from './legal.schema.ts'

const tag = 'Legal'

const listOperation = declareOperation({
  id: 'list_legal_documents_v1',
  method: 'GET',
  path: '/v1/legal/documents',
  access: 'public',
  query: { audience: oneOf(legalAudiences, 'Who the documents are for.') },
  returns: { 200: LegalDocuments },
  document: {
    tag,
    summary: 'List legal documents',
    description: 'The current version of each document that customers of this kind accept; none for individuals.',
  },
}).withReadHandler(async ({ query, work }) =>
  listCurrentDocuments(query.audience).map((document) => presentDocument(work.context, document)),
)

const intendOperation = declareOperation({
  id: 'create_signup_intent_v1',
  method: 'POST',
  path: '/v1/legal/signup-intent',
  access: { rule: 'public', changesSession: true },
  body: LegalAcceptances,
  returns: { 204: null },
  document: {
    tag,
    summary: 'Accept documents before signing up',
    description:
      'Keeps what is accepted in a signed cookie for 30 minutes. The next sign-in of a member with this cookie, or the '
      + 'organization that they create, takes it over, once.',
  },
}).withOutboundHandler(async ({ body, context, request }) =>
  answerJson(null, { 'Set-Cookie': createIntentCookie(context, body.acceptances, request.address) }),
)

const stateOperation = declareOperation({
  id: 'get_legal_state_v1',
  method: 'GET',
  path: '/v1/legal/me',
  access: 'session',
  returns: { 200: LegalState },
  document: { tag, summary: 'What is still to be accepted', description: 'By the person of the session.' },
}).withReadHandler(async ({ caller, work }) => {
  const audience = await readAudience(work.trx, caller)
  const missing = await listMissingDocuments(work.trx, caller.user, audience)
  return { audience, missing: missing.map((document) => presentDocument(work.context, document)) }
})

const acceptOperation = declareOperation({
  id: 'accept_legal_documents_v1',
  method: 'POST',
  path: '/v1/legal/acceptances',
  access: 'session',
  body: LegalAcceptances,
  returns: { 204: null },
  document: {
    tag,
    summary: 'Accept documents',
    description:
      'In their current versions. What is kept is the document, its version, the SHA-256 of its text, the time and the '
      + 'network address; it never changes. Accepting again changes nothing.',
  },
}).withTransactionHandler(async ({ body, caller, request, work }) => {
  await acceptDocuments(work, caller, { acceptances: body.acceptances, address: request.address })
})

/** The operations of legal documents. */
export const legalOperations: Operation[] = [listOperation, intendOperation, stateOperation, acceptOperation]
