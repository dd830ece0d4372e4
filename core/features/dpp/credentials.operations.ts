import { bytes, text } from '../../kernel/answer.ts'
import { operation, type Media, type Operation } from '../../kernel/operation.ts'
import { notFound, problem } from '../../kernel/problem.ts'
import { Type, oneOf, optional } from '../../kernel/schema.ts'
import { credentialTypes, cryptosuites, negotiate, readContext, readStatusList, vocabularyText, type CredentialType } from '../certification/index.ts'
import { buildPassportCredential } from './credentials.build.ts'
import { readCredential } from './credentials.ts'
import { versionNumber } from './credentials.schema.ts'
import { NewPassport } from './passports.schema.ts'

const tag = 'Credentials'

/** The forms of a credential, by media type. */
const forms = (what: string): Media[] => [
  { type: 'application/ld+json', description: `${what}, with an embedded proof (eddsa-jcs-2022).`, json: true },
  { type: 'application/vc', description: `${what}, the same bytes.`, json: true },
  { type: 'application/vc+jwt', description: `${what}, as a compact JWS (EdDSA).` },
]

const read = operation({
  id: 'get_dpp_passport_vc_v1',
  method: 'GET',
  path: '/v1/dpp/passports/:id/vc.jsonld',
  summary: 'Read the credential of a passport',
  description:
    'The W3C Verifiable Credential (UNTP Digital Product Passport), in the form that Accept asks for. Until it is ' +
    'certified: an unsigned one that only identifies the product. There is none of an archived passport; of a draft ' +
    'only its organization sees one.',
  tag,
  access: 'public',
  query: {
    cryptosuite: optional(oneOf(cryptosuites, 'Suite of the embedded proof; 406 where it is not stored.', {
      default: 'eddsa-jcs-2022',
    })),
    version: optional(versionNumber()),
  },
  returns: { 200: forms('The credential') },
  headers: { Vary: 'Accept' },
  etag: true,
  cors: true,
  problems: ['NOT_ACCEPTABLE', 'DPP_VC_IPFS_UNAVAILABLE', 'DPP_VC_SELF_HOSTED_UNAVAILABLE'],
  mcp: 'get_dpp_passport_vc',
}).readBy(async ({ caller, params, query: { cryptosuite, version }, request, work }) => {
  const wish = { accept: acceptOf(request.headers), cryptosuite, version: version ?? null, address: request.address }
  const { body, type } = await readCredential(work, caller, params.id, wish)
  return bytes(body, type)
})

const build = operation({
  id: 'build_dpp_passport_vc_v1',
  method: 'POST',
  path: '/v1/dpp/passports/build-vc',
  summary: 'Build a credential without a passport',
  description:
    'Signs what a passport made of this body would certify, and keeps nothing. In the product flow a passport of the ' +
    'same body gets the same content hash.',
  tag,
  access: 'dpp:update',
  body: NewPassport,
  returns: { 200: { type: 'application/ld+json', description: 'The credential, with an embedded proof and no status.', json: true } },
  problems: ['NOT_FOUND', 'DPP_VC_NOTHING_TO_CERTIFY', 'DPP_KEY_ROTATION_PENDING'],
  mcp: 'build_dpp_passport_vc',
}).handledBy(async ({ body, caller, work }) =>
  bytes(await buildPassportCredential(work, caller, body), 'application/ld+json'))

const statusList = operation({
  id: 'get_dpp_status_list_v1',
  method: 'GET',
  path: '/v1/dpp/status-lists/:id',
  summary: 'Read a status list',
  description: 'Which credentials are revoked, or suspended: a W3C Bitstring Status List credential of its organization.',
  tag,
  access: 'public',
  returns: { 200: forms('The list') },
  headers: { Vary: 'Accept' },
  etag: true,
  cors: true,
  problems: ['NOT_ACCEPTABLE'],
  mcp: 'get_dpp_status_list',
}).readBy(async ({ params, request, work: { trx, context } }) => {
  const type = negotiate<CredentialType>(acceptOf(request.headers), credentialTypes)
  if (type === null) throw problem('NOT_ACCEPTABLE', `There is ${credentialTypes.join(' or ')}.`)
  const list = await readStatusList(trx, context, params.id, type)
  if (!list) throw notFound()
  return bytes(list, type)
})

const context = operation({
  id: 'get_dpp_context_v1',
  method: 'GET',
  path: '/v1/dpp/contexts/:sha256',
  summary: 'Read a JSON-LD context',
  description: 'Maps the keys of the data that a credential names it for. It never changes.',
  tag,
  access: 'public',
  params: { sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the document, in small hexadecimal digits.' }) },
  returns: { 200: { type: 'application/ld+json', description: 'The context.', json: true } },
  headers: { 'Cache-Control': 'public, max-age=31536000, immutable' },
  cors: true,
}).readBy(async ({ params, work }) => {
  const body = await readContext(work.trx, params.sha256)
  if (body === undefined) throw notFound()
  return text(body, 'application/ld+json')
})

const vocabulary = operation({
  id: 'get_dpp_vocabulary_v1',
  method: 'GET',
  path: '/v1/dpp/contexts',
  summary: 'Read what the keys of certified data stand below',
  description: 'Where contexts of this installation map keys to. Each key is the words of the issuer whose credential has it.',
  tag,
  access: 'public',
  returns: { 200: { type: 'application/ld+json', description: 'The vocabulary.', json: true } },
  headers: { 'Cache-Control': 'public, max-age=86400' },
  cors: true,
}).readBy(async ({ work: { context: { settings } } }) =>
  text(vocabularyText(settings.baseUrl), 'application/ld+json'))

/** Fields of one name stand for one list. Source: RFC 9110, section 5.3. */
const acceptOf = ({ accept }: Record<string, string | string[] | undefined>) => [accept].flat().filter(Boolean).join(', ') || undefined

export const credentialOperations: Operation[] = [read, build, statusList, vocabulary, context]
