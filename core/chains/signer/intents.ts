import { Ajv } from 'ajv'
import { Type, type Static, type TSchema } from 'typebox'
import { Refusal } from './refusal.ts'

const object = <T extends Record<string, TSchema>>(members: T) => Type.Object(members, { additionalProperties: false })
const address = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })
const word = Type.String({ pattern: '^0x[0-9a-f]{64}$' })
const uuid = Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' })
const place = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })
/** Whole numbers that a double cannot carry: decimal digits. */
const amount = Type.String({ pattern: '^(0|[1-9][0-9]{0,30})$' })
const words = (maxItems: number) => Type.Array(word, { minItems: 1, maxItems, uniqueItems: true })

const passportsContract = object({
  kind: Type.Literal('passports'), application: uuid, name: Type.String({ maxLength: 400 }),
  symbol: Type.String({ minLength: 1, maxLength: 16 }), baseUri: Type.String({ maxLength: 2_000 }), issuer: address,
})
const sharedContract = object({ kind: Type.Union([Type.Literal('anchors'), Type.Literal('keys')]) })
const keyMembers = { contract: address, organization: uuid, key: word }

/** What may be asked of the signer, one schema an act. An act that is not here is refused. */
export const actSchemas = {
  deploy: object({ kind: Type.Literal('deploy'), contract: Type.Union([passportsContract, sharedContract]) }),
  mintBatch: object({ kind: Type.Literal('mintBatch'), contract: address, issuer: address, tokenIds: words(767) }),
  mint: object({ kind: Type.Literal('mint'), contract: address, to: address, tokenId: word }),
  transfer: object({
    kind: Type.Literal('transfer'), contract: address, to: address, tokenId: word, batch: place, index: place,
  }),
  anchor: object({ kind: Type.Literal('anchor'), contract: address, roots: words(500) }),
  registerKey: object({ kind: Type.Literal('registerKey'), ...keyMembers }),
  rotateKey: object({ kind: Type.Literal('rotateKey'), ...keyMembers, previous: word }),
  revokeKey: object({
    kind: Type.Literal('revokeKey'), ...keyMembers,
    /** Seconds since 1970; null: from the beginning. */
    compromisedAt: Type.Union([Type.Integer({ minimum: 0, maximum: 2 ** 40 }), Type.Null()]),
  }),
  fill: object({ kind: Type.Literal('fill') }),
} as const

export type ActName = keyof typeof actSchemas
export type Act = { [K in ActName]: Static<(typeof actSchemas)[K]> }[ActName]

/** One act of one wallet on one network: all that the signer makes a transaction of. It carries no value. */
export interface Intent {
  network: string
  chainId: number
  /** Name of the wallet that signs. */
  account: string
  nonce: number
  gas: string
  /** Per unit of gas, in wei. Without `tip` the chain knows no fee market. */
  fees: { most: string; tip?: string }
  act: Act
}

const frame = object({
  network: Type.String({ maxLength: 40 }),
  chainId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  account: Type.String({ minLength: 1, maxLength: 200 }),
  nonce: Type.Integer({ minimum: 0, maximum: 2 ** 48 }),
  gas: amount,
  fees: object({ most: amount, tip: Type.Optional(amount) }),
  act: Type.Object({ kind: Type.String() }),
})

const judge = new Ajv({ strict: false })
const isFrame = judge.compile<Intent>(frame)
const isAct = new Map(Object.entries(actSchemas).map(([name, schema]) => [name, judge.compile(schema)]))

/** Reads an intent. A member that is not of its act is refused, never passed over. @throws Refusal */
export function readIntent(given: unknown): Intent {
  const malformed = (what: string) => new Refusal(400, 'MALFORMED', `The intent is not one: ${what}.`)
  if (!isFrame(given)) throw malformed(`${isFrame.errors?.[0]?.instancePath ?? ''} ${isFrame.errors?.[0]?.message ?? ''}`)
  const validate = isAct.get(given.act.kind)
  if (!validate) throw malformed('no such act is signed')
  if (!validate(given.act)) throw malformed(`${validate.errors?.[0]?.instancePath ?? ''} ${validate.errors?.[0]?.message ?? ''}`)
  return given
}
