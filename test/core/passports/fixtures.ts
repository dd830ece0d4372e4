import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { MintJob } from '../../../core/features/dpp/mint.schema.ts'
import type { Ownership } from '../../../core/features/dpp/ownership.ts'
import type { Passport } from '../../../core/features/dpp/passports.schema.ts'
import { client, type Answer, type Client } from '../../support/client.ts'
import { newTenant, signInBuyer, type Tenant } from '../identity/people.ts'

export interface Shop extends Tenant {
  /** Signed with a key that may do all. */
  api: Client
}

/** An organization with an application that nobody else uses. */
export async function newShop(): Promise<Shop> {
  const made = await newTenant()
  return { ...made, api: client(made.key) }
}

const passportsFields = [
  { name: 'serialNumber', type: 'string', required: true, maxLength: 40 },
  { name: 'color', type: 'enum', variants: ['red', 'blue'] },
  { name: 'size', type: 'number', min: 0 },
  { name: 'origin', type: 'object', fields: [{ name: 'country', type: 'string' }, { name: 'year', type: 'number' }] },
]

/** A sheet whose passports need a serialNumber. @returns its id */
export async function newSheet({ api, application }: Shop, more: object = {}): Promise<string> {
  const made = await api.post('/v1/dpp/products', {
    application, network: 'EthereumAnvil', name: 'Bag', status: 'ACTIVE', passportsFields, ...more,
  })
  expect(made.status, made.text).to.equal(201)
  return String(made.body.id)
}

let serial = 0
/** A serial number that no other passport has. */
export const newSerial = () => `S-${process.pid}-${++serial}`

/** A draft. */
export async function newPassport({ api }: Shop, product: string, more: object = {}): Promise<Passport> {
  const made = await api.post('/v1/dpp/passports', { product, fields: { serialNumber: newSerial() }, ...more })
  expect(made.status, made.text).to.equal(201)
  return bodyOf<Passport>(made)
}

/** A published passport. */
export async function newPublished(shop: Shop, product: string, more: object = {}): Promise<Passport> {
  const { id } = await newPassport(shop, product, more)
  const started = await shop.api.post(`/v1/dpp/passports/publish?skipCertification=true&filters[id][eq]=${id}`)
  expect(started.status, started.text).to.equal(202)
  await ended(shop.api, `/v1/jobs/${started.body.jobId}`)
  return readPassport(shop.api, id)
}

export const readPassport = async (api: Client, id: unknown) =>
  bodyOf<Passport>(await api.get(`/v1/dpp/passports/${id}`))
export const readOwners = async (id: unknown) =>
  bodyOf<Ownership[]>(await client().get(`/v1/dpp/passports/${id}/ownership`))

/** What a status route answers once the job has ended; at most 60 s. */
export async function ended(api: Client, path: string): Promise<MintJob> {
  for (const deadline = Date.now() + 60_000; ;) {
    const answer = await api.get(path)
    expect(answer.status, answer.text).to.equal(200)
    const job = bodyOf<MintJob>(answer)
    if (job.status !== 'pending') return job
    if (Date.now() > deadline) throw new Error(`${path} is still pending`)
    await sleep(50)
  }
}

export interface Buyer extends Client { account: string; address: string }

/** A buyer of the shop, signed in. */
export async function newBuyer({ application }: Pick<Shop, 'application'>, email?: string): Promise<Buyer> {
  const answer = await signInBuyer(application, email)
  expect(answer.status, answer.text).to.equal(200)
  const { account, token } = bodyOf<{ token: string; account: { id: string; address: string } }>(answer)
  return { ...client({ bearer: token }), account: account.id, address: account.address }
}

/** The JSON of an answer as what it is documented to be; the client holds it against the document. */
export const bodyOf = <T>({ body }: Answer): T => body as unknown as T

/** The rows of a list's answer. */
export const rowsOf = (answer: Answer) => bodyOf<{ data: Passport[] }>(answer).data

/** Status and code of an answer, as one word to compare. */
export function verdict(answer: Answer): string {
  const body = bodyOf<{ code?: string } | null>(answer)
  return `${answer.status} ${body?.code ?? ''}`.trim()
}

/** Members that an answer finds fault with. */
export const faults = (answer: Answer): string[] =>
  (bodyOf<{ errors?: { path: string }[] }>(answer).errors ?? []).map(({ path }) => path)

/** Types of the events about a passport, the oldest first. */
export async function eventsOf({ api }: Shop, passport: string): Promise<string[]> {
  const events = await api.get(
    `/v1/events?filters[passport.id][eq]=${passport}&pageSize=100&sorters[0][field]=id&sorters[0][order]=asc`,
  )
  return bodyOf<{ data: { type: string }[] }>(events).data.map(({ type }) => type)
}
