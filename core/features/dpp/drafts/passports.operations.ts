import { answerBytes, answerJson } from '../../../kernel/answer.ts'
import { dryRunQuery, orDryRun } from '../../../kernel/dry-run.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { Type, integer, oneOf, optional } from '../../../kernel/schema.ts'
import { createMagicToken, MagicToken, revokeMagicToken } from '../claims/index.ts'
import { listOwnership, Ownership } from '../tokens/index.ts'
import { previewPassportDeletion } from './deletions.ts'
import { updatePassport } from './passports.change.ts'
import { createPassport } from './passports.create.ts'
import {
  deletePassport,
  listPassports,
  NewPassport,
  Passport,
  PassportList,
  passportList,
  PassportPatch,
  readPassport,
  passportEntity,
} from '../passports/index.ts'
import { applicationEntity } from '../../applications/index.ts'
import { sheetEntity } from '../sheets/index.ts'

const tag = 'Passports'
const publicDescription =
  'Callers outside the organization see published, claimed and archived passports; a draft is not there for them.'

const listOwnPassports = declareOperation({
  id: 'list_dpp_passports_v1',
  method: 'GET',
  path: '/v1/dpp/passports',
  access: 'dpp:read',
  scope: { list: 'application.id' },
  list: passportList,
  returns: { 200: PassportList },
  document: {
    tag,
    summary: 'List passports',
    description: 'Passports of all applications of the organization, the newest first.',
    mcpName: 'list_dpp_passports',
  },
}).withReadHandler(({ caller, page, work }) => listPassports(work, caller, page))

const createOne = declareOperation({
  id: 'create_dpp_passport_v1',
  method: 'POST',
  path: '/v1/dpp/passports',
  access: 'dpp:create',
  scope: { body: { application: applicationEntity, product: sheetEntity } },
  body: NewPassport,
  returns: { 201: Passport },
  problemCodes: ['NOT_FOUND', 'DPP_PASSPORT_DUPLICATE_REFERENCE', 'QUOTA_EXCEEDED'],
  transport: { location: ({ id }: { id: string }) => `/v1/dpp/passports/${id}` },
  execution: { isSingleStatement: true },
  document: {
    tag,
    summary: 'Create a passport',
    description:
      'A draft, in the sheet flow (`fields`) or the product flow (`application`, `data`). Taken `reference` or number: '
      + '409, holder in `existing`.',
    mcpName: 'create_dpp_passport',
  },
}).withTransactionHandler(({ body, caller, work }) => createPassport(work, caller, body))

const readOne = declareOperation({
  id: 'get_dpp_passport_v1',
  method: 'GET',
  path: '/v1/dpp/passports/:id',
  access: 'public',
  scope: { params: { id: passportEntity } },
  returns: { 200: Passport },
  transport: { hasEtag: true, selectsFields: true },
  document: { tag, summary: 'Read a passport', description: publicDescription, mcpName: 'get_dpp_passport' },
}).withReadHandler(({ caller, params, work }) => readPassport(work, caller, params.id))

const updateOne = declareOperation({
  id: 'update_dpp_passport_v1',
  method: 'PATCH',
  path: '/v1/dpp/passports/:id',
  access: 'dpp:update',
  scope: { params: { id: passportEntity } },
  body: PassportPatch,
  returns: { 200: Passport },
  problemCodes: ['DPP_PASSPORT_DUPLICATE_REFERENCE', 'DPP_PASSPORT_IDENTITY_FIXED', 'DPP_PASSPORT_SOURCE_READ_ONLY'],
  transport: { hasEtag: true },
  document: {
    tag,
    summary: 'Change a passport',
    description: 'JSON Merge Patch (RFC 7396): objects merge, arrays are replaced, null removes.',
    mcpName: 'update_dpp_passport',
  },
}).withTransactionHandler(({ body, caller, params, precondition, work }) =>
  updatePassport(work, caller, params.id, body, precondition),
)

const deleteOne = declareOperation({
  id: 'delete_dpp_passport_v1',
  method: 'DELETE',
  path: '/v1/dpp/passports/:id',
  access: 'dpp:delete',
  scope: { params: { id: passportEntity } },
  query: dryRunQuery,
  returns: { 200: orDryRun(Passport) },
  problemCodes: ['DPP_PASSPORT_ALREADY_MINTED', 'DPP_PASSPORT_SOURCE_READ_ONLY'],
  transport: { hasEtag: true },
  execution: { hasDryRun: true },
  document: {
    tag,
    summary: 'Delete a passport',
    description: 'Refused once a mint or claim was accepted, unless it failed for good.',
    mcpName: 'delete_dpp_passport',
    needsConfirmation: true,
  },
}).withTransactionHandler(async ({ caller, params, precondition, query, work }) =>
  query.dryRun
    ? previewPassportDeletion(work, caller, params.id, precondition)
    : deletePassport(work, caller, params.id, precondition),
)

const getMagicToken = declareOperation({
  id: 'get_dpp_passport_magic_token_v1',
  method: 'GET',
  path: '/v1/dpp/passports/:id/magic-token',
  access: 'dpp:update',
  scope: { params: { id: passportEntity } },
  returns: { 200: MagicToken },
  problemCodes: ['DPP_PASSPORT_NOT_CLAIMABLE'],
  transport: { headers: { 'Cache-Control': 'no-store' } },
  document: {
    tag,
    summary: 'Get the magic token of a passport',
    description: 'A secret: its holder may claim the passport, once. The same until used or expired.',
    mcpName: 'get_dpp_passport_magic_token',
    mcpType: 'tool',
    mcpHints: { readOnlyHint: false, idempotentHint: true },
  },
}).withTransactionHandler(({ caller, params, work }) => createMagicToken(work, caller, params.id))

const revokeToken = declareOperation({
  id: 'revoke_dpp_passport_magic_token_v1',
  method: 'POST',
  path: '/v1/dpp/passports/:id/magic-token/revoke',
  access: 'dpp:update',
  scope: { params: { id: passportEntity } },
  returns: { 204: null },
  document: {
    tag,
    summary: 'End the magic token of a passport',
    description: 'The link that was given away claims nothing any more; asking for the token makes another one.',
  },
}).withTransactionHandler(({ caller, params, work }) => revokeMagicToken(work, caller, params.id))

const getQrCode = declareOperation({
  id: 'get_dpp_passport_qr_code_v1',
  method: 'GET',
  path: '/v1/dpp/passports/:id/qr-code',
  access: 'dpp:read',
  scope: { params: { id: passportEntity } },
  query: {
    format: optional(oneOf(['png', 'svg'], 'Kind of image.', { default: 'png' })),
    size: optional(integer('Width and height in pixels.', { minimum: 64, maximum: 2048, default: 512 })),
  },
  returns: {
    200: [
      { type: 'image/png', description: 'One bit a pixel.', isBinary: true },
      { type: 'image/svg+xml', description: 'Two paths.' },
    ],
  },
  problemCodes: ['DPP_PASSPORT_NOT_PUBLISHED'],
  transport: { headers: { 'X-Content-Type-Options': 'nosniff' } },
  document: {
    tag,
    summary: 'Get the QR code of a passport',
    description:
      'Encodes the GS1 Digital Link of a product with a GTIN, of its own or of its batch or model, else the '
      + 'public address '
      + 'of the passport; with error correction M and a quiet zone of 4 modules.',
    mcpName: 'get_dpp_passport_qr_code',
  },
}).withReadHandler(async ({ caller, params: { id }, query: { format = 'png', size = 512 }, work }) => {
  // The code that draws is loaded at the first QR code, so the worker never loads it.
  const { createQrPng, createQrSvg, readQrText } = await import('../gs1/qr.ts')
  const address = await readQrText(work, caller, id)
  const headers = { 'Content-Disposition': `attachment; filename="${id}.${format}"` }
  return format === 'png'
    ? answerBytes(createQrPng(address, size), 'image/png', headers)
    : answerBytes(Buffer.from(createQrSvg(address, size)), 'image/svg+xml', headers)
})

const getOwnership = declareOperation({
  id: 'get_dpp_passport_ownership_v1',
  method: 'GET',
  path: '/v1/dpp/passports/:id/ownership',
  access: 'public',
  scope: { params: { id: passportEntity } },
  returns: { 200: Type.Array(Ownership, { description: 'Changes of owner, the first one first.' }) },
  document: {
    tag,
    summary: 'List the owners of a passport',
    description: `Every change of owner of its token, the first one first. ${publicDescription}`,
    mcpName: 'get_dpp_passport_ownership',
  },
}).withReadHandler(async ({ caller, params, work }) => {
  const { id } = await readPassport(work, caller, params.id)
  return answerJson(await listOwnership(work.trx, id))
})

export const passportOperations: Operation[] = [
  listOwnPassports,
  createOne,
  readOne,
  updateOne,
  deleteOne,
  getMagicToken,
  revokeToken,
  getQrCode,
  getOwnership,
]
