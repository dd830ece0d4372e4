import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Passport } from '../../core/features/dpp/passports/passports.schema.ts'
import { createApplication } from '../../core/features/applications/index.ts'
import { addMember, createApiKey, createOrganization, type CreatedApiKey } from '../../core/features/identity/index.ts'
import { allPermissions, type PermissionMap, type Role } from '../../core/kernel/permission.ts'
import { createBody } from '../core/certification/credentials/certified.ts'
import { createSerial, getBody, readPassport, waitForJob } from '../core/dpp/passports/fixtures.ts'
import { createEmail, createUniqueName, getOperator, signInBuyer } from '../core/identity/people.ts'
import { createApiClient, type Client } from './client.ts'

/** Builders of what tests begin with: organizations, applications, sheets and passports that no other test uses. */

export interface Tenant {
  organization: string
  application: string
  owner: string
  key: string
}

/** An organization with an application, an owner and a key that may do all. */
export async function buildOrganization(): Promise<Tenant> {
  const context = await getOperator()
  const owner = createEmail('owner')
  const { id: organization } = await createOrganization(context, { name: createUniqueName('Org'), owner })
  const application = await buildApplication(organization)
  const { key } = await buildKey(organization, allPermissions)
  return { organization, application, owner, key }
}

export async function buildApplication(organization: string): Promise<string> {
  const context = await getOperator()
  const made = await context.db.transaction((trx) =>
    createApplication(trx, organization, { name: createUniqueName('Shop') }, { network: 'EthereumAnvil' }),
  )
  return made.id
}

/** @param expiresAt when it ends @param application the only one that it is for */
export async function buildKey(
  organization: string,
  permissions: PermissionMap,
  { expiresAt = null, application = null }: { expiresAt?: Date | null; application?: string | null } = {},
): Promise<CreatedApiKey> {
  return createApiKey(await getOperator(), { organization, name: 'Test', permissions, application, expiresAt })
}

export async function buildMember(organization: string, role: Role): Promise<string> {
  const email = createEmail(role)
  await addMember(await getOperator(), organization, email, role)
  return email
}

export interface Shop extends Tenant {
  /** Signed with a key that may do all. */
  api: Client
}

/** An organization with an application that nobody else uses. */
export async function buildShop(): Promise<Shop> {
  const made = await buildOrganization()
  return { ...made, api: createApiClient(made.key) }
}

const passportsFields = [
  { name: 'serialNumber', type: 'string', required: true, maxLength: 40 },
  { name: 'color', type: 'enum', variants: ['red', 'blue'] },
  { name: 'size', type: 'number', min: 0 },
  {
    name: 'origin',
    type: 'object',
    fields: [
      { name: 'country', type: 'string' },
      { name: 'year', type: 'number' },
    ],
  },
]

/** A sheet whose passports need a serialNumber. @returns its id */
export async function buildSheet({ api, application }: Shop, more: object = {}): Promise<string> {
  const made = await api.post('/v1/dpp/products', {
    application,
    network: 'EthereumAnvil',
    name: 'Bag',
    status: 'ACTIVE',
    passportsFields,
    ...more,
  })
  expect(made.status, made.text).to.equal(201)
  return String(made.body.id)
}

/** A draft. */
export async function buildPassport({ api }: Shop, product: string, more: object = {}): Promise<Passport> {
  const made = await api.post('/v1/dpp/passports', { product, fields: { serialNumber: createSerial() }, ...more })
  expect(made.status, made.text).to.equal(201)
  return getBody<Passport>(made)
}

/** A published passport. */
export async function buildPublishedPassport(shop: Shop, product: string, more: object = {}): Promise<Passport> {
  const { id } = await buildPassport(shop, product, more)
  const started = await shop.api.post(`/v1/dpp/passports/publish?skipCertification=true&filters[id][eq]=${id}`)
  expect(started.status, started.text).to.equal(202)
  await waitForJob(shop.api, `/v1/jobs/${started.body.jobId}`)
  return readPassport(shop.api, id)
}

export interface Buyer extends Client {
  account: string
  address: string
}

/** A buyer of the shop, signed in. */
export async function buildBuyer({ application }: Pick<Shop, 'application'>, email?: string): Promise<Buyer> {
  const answer = await signInBuyer(application, email)
  expect(answer.status, answer.text).to.equal(200)
  const { account, token } = getBody<{ token: string; account: { id: string; address: string } }>(answer)
  return { ...createApiClient({ bearer: token }), account: account.id, address: account.address }
}

/** A draft of the product flow: an item unless told otherwise. */
export async function buildProductPassport(
  { api, application }: Shop,
  product: object = {},
  more: object = {},
): Promise<Passport> {
  const made = await api.post('/v1/dpp/passports', {
    application,
    product: { idGranularity: 'item', name: 'Bag', itemNumber: randomUUID(), ...product },
    ...more,
  })
  expect(made.status, made.text).to.equal(201)
  return getBody<Passport>(made)
}

/** A model, a batch of it and an item of that. */
export async function buildModelTree(shop: Shop) {
  const [modelNumber, batchNumber, itemNumber] = [randomUUID(), randomUUID(), randomUUID()]
  const model = await buildDescribedPassport(shop, { idGranularity: 'model', name: 'Model', modelNumber })
  const batch = await buildDescribedPassport(shop, { idGranularity: 'batch', name: 'Batch', modelNumber, batchNumber })
  const item = await buildDescribedPassport(shop, {
    idGranularity: 'item',
    name: 'Item',
    modelNumber,
    batchNumber,
    itemNumber,
  })
  return { model, batch, item, modelNumber, batchNumber, itemNumber }
}

/** A draft of exactly this product. */
export async function buildDescribedPassport(
  { api, application }: Shop,
  product: object,
  more: object = {},
): Promise<Passport> {
  const made = await api.post('/v1/dpp/passports', { application, product, ...more })
  expect(made.status, made.text).to.equal(201)
  return getBody<Passport>(made)
}

/** A passport of this body, published and certified. @returns its id */
export async function buildCertifiedPassport({ api, application }: Shop, more: object = {}): Promise<string> {
  const made = await api.post('/v1/dpp/passports', createBody({ application }, more))
  expect(made.status, made.text).to.equal(201)
  const id = String(made.body.id)
  const started = await api.post(`/v1/dpp/passports/publish?filters[id][eq]=${id}`)
  expect(started.status, started.text).to.equal(202)
  await waitForJob(api, `/v1/jobs/${started.body.jobId}`)
  expect((await api.get(`/v1/dpp/passports/${id}`)).body.certificationStatus).to.equal('certified')
  return id
}
