import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { client, type Answer, type Client, type Json } from '../../support/client.ts'
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
export async function newPassport({ api }: Shop, product: string, more: object = {}): Promise<Json> {
  const made = await api.post('/v1/dpp/passports', { product, fields: { serialNumber: newSerial() }, ...more })
  expect(made.status, made.text).to.equal(201)
  return made.body
}

/** A published passport. */
export async function newPublished(shop: Shop, product: string, more: object = {}): Promise<Json> {
  const { id } = await newPassport(shop, product, more)
  const started = await shop.api.post(`/v1/dpp/passports/publish?filters[id][eq]=${id}`)
  expect(started.status, started.text).to.equal(202)
  await ended(shop.api, `/v1/jobs/${started.body.jobId}`)
  return (await shop.api.get(`/v1/dpp/passports/${id}`)).body
}

/** What a status route answers once the job has ended; at most 60 s. */
export async function ended(api: Client, path: string): Promise<Json> {
  for (const deadline = Date.now() + 60_000; ;) {
    const { body, status, text } = await api.get(path)
    expect(status, text).to.equal(200)
    if (body.status !== 'pending') return body
    if (Date.now() > deadline) throw new Error(`${path} is still pending`)
    await sleep(50)
  }
}

export interface Buyer extends Client { account: string; address: string; user: string }

/** A buyer of the shop, signed in. */
export async function newBuyer({ application }: Pick<Shop, 'application'>, email?: string): Promise<Buyer> {
  const { body, status, text } = await signInBuyer(application, email)
  expect(status, text).to.equal(200)
  const { account, user } = body
  return { ...client({ bearer: String(body.token) }), account: account?.id ?? '', address: account?.address ?? '', user: user?.id ?? '' }
}

/** Status and code of an answer, as one word to compare. */
export const verdict = ({ status, body }: Answer): string => `${status} ${body?.code ?? ''}`.trim()

/** Members that an answer finds fault with. */
export const faults = ({ body }: Answer): string[] => (body.errors ?? []).map((error) => String(error.path))

/** Types of the events about a passport, the oldest first. */
export async function eventsOf({ api }: Shop, passport: string): Promise<string[]> {
  const { body } = await api.get(`/v1/events?filters[passport.id][eq]=${passport}&pageSize=100&sorters[0][field]=id&sorters[0][order]=asc`)
  return (body.data ?? []).map((event) => String(event.type))
}
