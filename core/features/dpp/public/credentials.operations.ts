import { answerBytes, answerText } from '../../../kernel/answer.ts'
import { declareOperation, type MediaContent, type Operation } from '../../../kernel/operation.ts'
import { createNotFoundProblem, createProblem } from '../../../kernel/problem.ts'
import { Type, oneOf, optional } from '../../../kernel/schema.ts'
import {
  credentialMediaTypes,
  cryptosuites,
  negotiateMediaType,
  findContextBody,
  findStatusList,
  formatVocabulary,
  type CredentialMediaType,
} from '../../certification/index.ts'
import { buildPassportCredential } from './credentials.build.ts'
import { readCredential } from './credentials.ts'
import { createVersionSchema } from '../certificates/index.ts'
import { NewPassport, passportEntity } from '../passports/index.ts'

const tag = 'Credentials'

/** Describes the forms of a credential, by media type. */
const describeForms = (what: string): MediaContent[] => [
  { type: 'application/ld+json', description: `${what}, with an embedded proof (eddsa-jcs-2022).`, isJson: true },
  { type: 'application/vc', description: `${what}, the same bytes.`, isJson: true },
  { type: 'application/vc+jwt', description: `${what}, as a compact JWS (EdDSA).` },
]

const readPassportCredential = declareOperation({
  id: 'get_dpp_passport_vc_v1',
  method: 'GET',
  path: '/v1/dpp/passports/:id/vc.jsonld',
  access: { rule: 'public', isOpenToAllOrigins: true },
  scope: { params: { id: passportEntity } },
  query: {
    cryptosuite: optional(
      oneOf(cryptosuites, 'Suite of the embedded proof; 406 where it is not stored.', {
        default: 'eddsa-jcs-2022',
      }),
    ),
    version: optional(createVersionSchema()),
  },
  returns: { 200: describeForms('The credential') },
  problemCodes: ['NOT_ACCEPTABLE', 'DPP_VC_IPFS_UNAVAILABLE', 'DPP_VC_SELF_HOSTED_UNAVAILABLE'],
  transport: { headers: { Vary: 'Accept' }, hasEtag: true },
  document: {
    tag,
    summary: 'Read the credential of a passport',
    description:
      'The W3C Verifiable Credential (UNTP Digital Product Passport), in the form that Accept asks for. Until it is '
      + 'certified: an unsigned one that only identifies the product. There is none of an archived passport; of a draft '
      + 'only its organization sees one.',
    mcpName: 'get_dpp_passport_vc',
  },
}).withReadHandler(async ({ caller, params, query: { cryptosuite, version }, request, work }) => {
  const credentialRequest = {
    accept: getAcceptHeader(request.headers),
    cryptosuite,
    version: version ?? null,
    address: request.address,
  }
  const { body, type } = await readCredential(work, caller, params.id, credentialRequest)
  return answerBytes(body, type)
})

const buildCredentialWithoutPassport = declareOperation({
  id: 'build_dpp_passport_vc_v1',
  method: 'POST',
  path: '/v1/dpp/passports/build-vc',
  access: 'dpp:update',
  body: NewPassport,
  returns: {
    200: {
      type: 'application/ld+json',
      description: 'The credential, with an embedded proof and no status.',
      isJson: true,
    },
  },
  problemCodes: ['NOT_FOUND', 'DPP_VC_NOTHING_TO_CERTIFY', 'DPP_KEY_ROTATION_PENDING'],
  document: {
    tag,
    summary: 'Build a credential without a passport',
    description:
      'Signs what a passport of this body would certify, and keeps nothing. The passport would have the same '
      + 'content hash (product flow).',
    mcpName: 'build_dpp_passport_vc',
  },
}).withTransactionHandler(async ({ body, caller, work }) =>
  answerBytes(await buildPassportCredential(work, caller, body), 'application/ld+json'),
)

const readList = declareOperation({
  id: 'get_dpp_status_list_v1',
  method: 'GET',
  path: '/v1/dpp/status-lists/:id',
  access: { rule: 'public', isOpenToAllOrigins: true },
  returns: { 200: describeForms('The list') },
  problemCodes: ['NOT_ACCEPTABLE'],
  transport: { headers: { Vary: 'Accept' }, hasEtag: true },
  document: {
    tag,
    summary: 'Read a status list',
    description:
      'Which credentials are revoked, or suspended: a W3C Bitstring Status List credential of its organization.',
    mcpName: 'get_dpp_status_list',
  },
}).withReadHandler(async ({ params, request, work: { trx, context } }) => {
  const type = negotiateMediaType<CredentialMediaType>(getAcceptHeader(request.headers), credentialMediaTypes)
  if (type === null) throw createProblem('NOT_ACCEPTABLE', `There is ${credentialMediaTypes.join(' or ')}.`)
  const list = await findStatusList(trx, context, params.id, type)
  if (!list) throw createNotFoundProblem()
  return answerBytes(list, type)
})

const context = declareOperation({
  id: 'get_dpp_context_v1',
  method: 'GET',
  path: '/v1/dpp/contexts/:sha256',
  access: { rule: 'public', isOpenToAllOrigins: true },
  params: {
    sha256: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'SHA-256 of the document, in small hexadecimal digits.',
    }),
  },
  returns: { 200: { type: 'application/ld+json', description: 'The context.', isJson: true } },
  transport: { headers: { 'Cache-Control': 'public, max-age=31536000, immutable' } },
  document: {
    tag,
    summary: 'Read a JSON-LD context',
    description: 'Maps the keys of the data that a credential names it for. It never changes.',
  },
}).withReadHandler(async ({ params, work }) => {
  const body = await findContextBody(work.trx, params.sha256)
  if (body === undefined) throw createNotFoundProblem()
  return answerText(body, 'application/ld+json')
})

const vocabulary = declareOperation({
  id: 'get_dpp_vocabulary_v1',
  method: 'GET',
  path: '/v1/dpp/contexts',
  access: { rule: 'public', isOpenToAllOrigins: true },
  returns: { 200: { type: 'application/ld+json', description: 'The vocabulary.', isJson: true } },
  transport: { headers: { 'Cache-Control': 'public, max-age=86400' } },
  document: {
    tag,
    summary: 'Read what the keys of certified data stand below',
    description:
      'Where contexts of this installation map keys to. Each key is the words of the issuer whose credential has it.',
  },
}).withReadHandler(
  async ({
    work: {
      context: { settings },
    },
  }) => answerText(formatVocabulary(settings.baseUrl), 'application/ld+json'),
)

/** Returns the header `Accept`. Several fields of this name stand for one list. Source: RFC 9110, section 5.3. */
const getAcceptHeader = ({ accept }: Record<string, string | string[] | undefined>) =>
  [accept].flat().filter(Boolean).join(', ') || undefined

export const credentialOperations: Operation[] = [
  readPassportCredential,
  buildCredentialWithoutPassport,
  readList,
  vocabulary,
  context,
]
