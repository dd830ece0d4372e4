import { Ajv } from 'ajv'
import { Type, type Static, type TSchema } from 'typebox'
import { SigningRefusedError } from './refusal.ts'

const object = <T extends Record<string, TSchema>>(members: T) => Type.Object(members, { additionalProperties: false })
const address = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })
const word = Type.String({ pattern: '^0x[0-9a-f]{64}$' })
const uuid = Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' })
const place = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })
/** Whole numbers that a double cannot hold, as decimal digits. */
const amount = Type.String({ pattern: '^(0|[1-9][0-9]{0,30})$' })
const createWordsSchema = (maxItems: number) =>
  Type.Immutable(Type.Array(word, { minItems: 1, maxItems, uniqueItems: true }))

const passportsContract = object({
  kind: Type.Literal('passports'),
  application: uuid,
  name: Type.String({ maxLength: 400 }),
  symbol: Type.String({ minLength: 1, maxLength: 16 }),
  baseUri: Type.String({ maxLength: 2_000 }),
  issuer: address,
})
const pointsContract = object({
  kind: Type.Literal('points'),
  application: uuid,
  name: Type.String({ maxLength: 400 }),
  symbol: Type.String({ minLength: 1, maxLength: 16 }),
})
const sharedContract = object({
  kind: Type.Union([Type.Literal('anchors'), Type.Literal('keys'), Type.Literal('handovers')]),
})
/** Maximum number of entries of points in one transaction. */
const maxEntries = 500
/** Signed points of an entry, of at most 18 digits. */
const points = Type.String({ pattern: '^-?[1-9][0-9]{0,17}$' })
const createEntriesSchema = <T extends TSchema>(member: T) =>
  Type.Immutable(Type.Array(member, { minItems: 1, maxItems: maxEntries }))
const keyMembers = { contract: address, organization: uuid, key: word }

/**
 * The acts that the signer accepts, one schema for each. Any other act is refused. They are those of `ChainAct`, spelled
 * again because the signer believes no other process; what differs does not compile where an act is sent to it.
 */
export const actSchemas = {
  deploy: object({
    kind: Type.Literal('deploy'),
    contract: Type.Union([passportsContract, pointsContract, sharedContract]),
  }),
  mintBatch: object({
    kind: Type.Literal('mintBatch'),
    contract: address,
    issuer: address,
    tokenIds: createWordsSchema(767),
  }),
  mint: object({ kind: Type.Literal('mint'), contract: address, to: address, tokenId: word }),
  transfer: object({
    kind: Type.Literal('transfer'),
    contract: address,
    to: address,
    tokenId: word,
    batch: place,
    index: place,
  }),
  /** `delegation`: which code the wallet `from` runs from now on, signed under which of its nonces; null: it runs it. */
  passOn: object({
    kind: Type.Literal('passOn'),
    contract: address,
    from: address,
    to: address,
    tokenId: word,
    operation: word,
    until: Type.Integer({ minimum: 0, maximum: 2 ** 40 }),
    delegation: Type.Union([
      object({ contract: address, nonce: Type.Integer({ minimum: 0, maximum: 2 ** 48 }) }),
      Type.Null(),
    ]),
  }),
  anchor: object({ kind: Type.Literal('anchor'), contract: address, roots: createWordsSchema(500) }),
  registerKey: object({ kind: Type.Literal('registerKey'), ...keyMembers }),
  rotateKey: object({ kind: Type.Literal('rotateKey'), ...keyMembers, previous: word }),
  revokeKey: object({
    kind: Type.Literal('revokeKey'),
    ...keyMembers,
    /** Seconds since 1970; null means from the beginning. */
    compromisedAt: Type.Union([Type.Integer({ minimum: 0, maximum: 2 ** 40 }), Type.Null()]),
  }),
  /** The operations, accounts and amounts with one index belong together. */
  postPoints: object({
    kind: Type.Literal('postPoints'),
    contract: address,
    operations: createWordsSchema(maxEntries),
    accounts: createEntriesSchema(address),
    amounts: createEntriesSchema(points),
  }),
  fill: object({ kind: Type.Literal('fill') }),
} as const

export type IntentActKind = keyof typeof actSchemas
export type IntentAct = { [K in IntentActKind]: Static<(typeof actSchemas)[K]> }[IntentActKind]

/** One act of one wallet on one network: all that the signer needs to create a transaction, which carries no value. */
export interface Intent {
  network: string
  chainId: number
  /** Name of the wallet that signs. */
  account: string
  nonce: number
  gas: string
  /** Fees per unit of gas, in wei. Without `tip` the chain has no fee market. */
  fees: { most: string; tip?: string }
  act: IntentAct
}

export const intentSchema = object({
  network: Type.String({ maxLength: 40 }),
  chainId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  account: Type.String({ minLength: 1, maxLength: 200 }),
  nonce: Type.Integer({ minimum: 0, maximum: 2 ** 48 }),
  gas: amount,
  fees: object({ most: amount, tip: Type.Optional(amount) }),
  act: Type.Object({ kind: Type.String() }),
})

// A test holds the schemas to the meta-schema, which would take longer to compile than all of them.
const validator = new Ajv({ strict: false, validateSchema: false })
const isIntent = validator.compile<Intent>(intentSchema)
const actValidators = new Map(Object.entries(actSchemas).map(([name, schema]) => [name, validator.compile(schema)]))

/**
 * Parses an intent. Refuses a member that does not belong to the act, and never ignores one.
 * @throws SigningRefusedError
 */
export function parseIntent(value: unknown): Intent {
  const createMalformedError = (what: string) =>
    new SigningRefusedError(400, 'MALFORMED', `The intent is not one: ${what}.`)
  if (!isIntent(value))
    throw createMalformedError(`${isIntent.errors?.[0]?.instancePath ?? ''} ${isIntent.errors?.[0]?.message ?? ''}`)
  const validate = actValidators.get(value.act.kind)
  if (!validate) throw createMalformedError('no such act is signed')
  if (!validate(value.act))
    throw createMalformedError(`${validate.errors?.[0]?.instancePath ?? ''} ${validate.errors?.[0]?.message ?? ''}`)
  const { act } = value
  if (
    act.kind === 'postPoints'
    && new Set([act.operations, act.accounts, act.amounts].map(({ length }) => length)).size > 1
  )
    throw createMalformedError('an operation of points has one account and one amount')
  return value
}
