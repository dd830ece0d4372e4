import { bytes, json } from '../../kernel/answer.ts'
import { operation, type Operation } from '../../kernel/operation.ts'
import { Type, integer, oneOf, optional } from '../../kernel/schema.ts'
import { MagicToken, magicToken, revokeMagicToken } from './magic-tokens.ts'
import { Ownership, ownershipOf } from './ownership.ts'
import { updatePassport } from './passports.change.ts'
import { createPassport } from './passports.create.ts'
import {
  deletePassport,
  listPassports,
  readPassport,
} from './passports.ts'
import { NewPassport, Passport, PassportList, PassportPatch, passportList } from './passports.schema.ts'

const tag = 'Passports'
const publicly =
  'Callers outside the organization see published, claimed and archived passports; a draft is not there for them.'

const list = operation({
  id: 'list_dpp_passports_v1',
  method: 'GET',
  path: '/v1/dpp/passports',
  summary: 'List passports',
  description: 'Passports of all applications of the organization, the newest first.',
  tag,
  access: 'dpp:read',
  list: passportList,
  returns: { 200: PassportList },
  mcp: 'list_dpp_passports',
}).readBy(({ caller, page, work }) => listPassports(work, caller, page))

const create = operation({
  id: 'create_dpp_passport_v1',
  method: 'POST',
  path: '/v1/dpp/passports',
  summary: 'Create a passport',
  description:
    'Makes a draft of a sheet (`product` its id, `fields`) or of a product object (`application`, `product`, ' +
    '`data`). A taken `reference`, or taken numbers, is 409 with the holder in `existing`.',
  tag,
  access: 'dpp:create',
  body: NewPassport,
  returns: { 201: Passport },
  location: ({ id }: { id: string }) => `/v1/dpp/passports/${id}`,
  problems: ['NOT_FOUND', 'DPP_PASSPORT_DUPLICATE_REFERENCE'],
  mcp: 'create_dpp_passport',
  single: true,
}).handledBy(({ body, caller, work }) => createPassport(work, caller, body))

const read = operation({
  id: 'get_dpp_passport_v1',
  method: 'GET',
  path: '/v1/dpp/passports/:id',
  summary: 'Read a passport',
  description: publicly,
  tag,
  access: 'public',
  returns: { 200: Passport },
  etag: true,
  mcp: 'get_dpp_passport',
}).readBy(({ caller, params, work }) => readPassport(work, caller, params.id))

const update = operation({
  id: 'update_dpp_passport_v1',
  method: 'PATCH',
  path: '/v1/dpp/passports/:id',
  summary: 'Change a passport',
  description:
    'JSON Merge Patch (RFC 7396): objects merge deeply, arrays are replaced, null removes.',
  tag,
  access: 'dpp:update',
  body: PassportPatch,
  returns: { 200: Passport },
  etag: true,
  problems: ['DPP_PASSPORT_DUPLICATE_REFERENCE', 'DPP_PASSPORT_IDENTITY_FIXED', 'DPP_PASSPORT_SOURCE_READ_ONLY'],
  mcp: 'update_dpp_passport',
}).handledBy(({ body, caller, params, precondition, work }) =>
  updatePassport(work, caller, params.id, body, precondition),
)

const remove = operation({
  id: 'delete_dpp_passport_v1',
  method: 'DELETE',
  path: '/v1/dpp/passports/:id',
  summary: 'Delete a passport',
  description:
    'Refused once a mint or a claim was accepted, unless it failed for good.',
  tag,
  access: 'dpp:delete',
  returns: { 200: Passport },
  etag: true,
  problems: ['DPP_PASSPORT_ALREADY_MINTED', 'DPP_PASSPORT_SOURCE_READ_ONLY'],
  mcp: 'delete_dpp_passport',
  confirm: true,
}).handledBy(({ caller, params, precondition, work }) => deletePassport(work, caller, params.id, precondition))

const token = operation({
  id: 'get_dpp_passport_magic_token_v1',
  method: 'GET',
  path: '/v1/dpp/passports/:id/magic-token',
  summary: 'Get the magic token of a passport',
  description:
    'A secret: whoever has it may claim the passport, once. ' +
    'Asking again answers the same token until it is used or expires.',
  tag,
  access: 'dpp:update',
  returns: { 200: MagicToken },
  headers: { 'Cache-Control': 'no-store' },
  problems: ['DPP_PASSPORT_NOT_CLAIMABLE'],
  mcp: 'get_dpp_passport_magic_token',
  mcpType: 'tool',
  hints: { readOnlyHint: false, idempotentHint: true },
}).handledBy(({ caller, params, work }) => magicToken(work, caller, params.id))

const revokeToken = operation({
  id: 'revoke_dpp_passport_magic_token_v1',
  method: 'POST',
  path: '/v1/dpp/passports/:id/magic-token/revoke',
  summary: 'End the magic token of a passport',
  description: 'The link that was given away claims nothing any more; asking for the token makes another one.',
  tag,
  access: 'dpp:update',
  returns: { 204: null },
}).handledBy(({ caller, params, work }) => revokeMagicToken(work, caller, params.id))

const qrCode = operation({
  id: 'get_dpp_passport_qr_code_v1',
  method: 'GET',
  path: '/v1/dpp/passports/:id/qr-code',
  summary: 'Get the QR code of a passport',
  description:
    'Encodes the GS1 Digital Link of a product with a GTIN, of its own or of its batch or model, else the public address ' +
    'of the passport; with error correction M and a quiet zone of 4 modules.',
  tag,
  access: 'dpp:read',
  query: {
    format: optional(oneOf(['png', 'svg'], 'Kind of image.', { default: 'png' })),
    size: optional(integer('Width and height in pixels.', { minimum: 64, maximum: 2048, default: 512 })),
  },
  returns: {
    200: [
      { type: 'image/png', description: 'One bit a pixel.', binary: true },
      { type: 'image/svg+xml', description: 'Two paths.' },
    ],
  },
  headers: { 'X-Content-Type-Options': 'nosniff' },
  problems: ['DPP_PASSPORT_NOT_PUBLISHED'],
  mcp: 'get_dpp_passport_qr_code',
}).readBy(async ({ caller, params: { id }, query: { format = 'png', size = 512 }, work }) => {
  // What draws is loaded by the first one: the worker never does.
  const { qrPng, qrSvg, qrText } = await import('./qr.ts')
  const address = await qrText(work, caller, id)
  const headers = { 'Content-Disposition': `attachment; filename="${id}.${format}"` }
  return format === 'png'
    ? bytes(qrPng(address, size), 'image/png', headers)
    : bytes(Buffer.from(qrSvg(address, size)), 'image/svg+xml', headers)
})

const ownership = operation({
  id: 'get_dpp_passport_ownership_v1',
  method: 'GET',
  path: '/v1/dpp/passports/:id/ownership',
  summary: 'List the owners of a passport',
  description: `Every change of owner of its token, the first one first. ${publicly}`,
  tag,
  access: 'public',
  returns: { 200: Type.Array(Ownership, { description: 'Changes of owner, the first one first.' }) },
  mcp: 'get_dpp_passport_ownership',
}).readBy(async ({ caller, params, work }) => {
  const { id } = await readPassport(work, caller, params.id)
  return json(await ownershipOf(work.trx, id))
})

export const passportOperations: Operation[] = [list, create, read, update, remove, token, revokeToken, qrCode, ownership]
