import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Built } from '../../core/context.ts'
import { createApplication } from '../../core/features/applications/index.ts'
import { createKey, createOrganization } from '../../core/features/identity/index.ts'
import { everyPermission } from '../../core/kernel/permission.ts'
import { client, type Client } from '../support/client.ts'
import type { OwnPlatform } from '../support/platform.ts'

/** An organization beside others on a platform of a test's own, with an application and a sheet to mint from. */
export interface Neighbour { organization: string; application: string; key: string; api: Client; sheet: string }

export async function newNeighbour({ api: base }: OwnPlatform, { context }: Built): Promise<Neighbour> {
  const name = randomUUID()
  const { id: organization } = await createOrganization(context, { name, owner: `${name}@people.example` })
  const { id: application } = await context.db.transaction((trx) =>
    createApplication(trx, organization, { name }, { network: 'EthereumAnvil' }))
  const { key } = await createKey(context, { organization, name: 'Test', permissions: everyPermission })
  const api = client(key, base)
  const made = await api.post('/v1/dpp/products', {
    application, network: 'EthereumAnvil', name: 'Bag', status: 'ACTIVE',
    passportsFields: [{ name: 'serialNumber', type: 'string', required: true }],
  })
  expect(made.status, made.text).to.equal(201)
  return { organization, application, key, api, sheet: String(made.body['id']) }
}

export const mintPath = ({ sheet }: Pick<Neighbour, 'sheet'>) => `/v1/dpp/products/${sheet}/mint`

/** Rows of a batch to mint. */
export const rowsOf = (count: number) => Array.from({ length: count }, () => ({ serialNumber: randomUUID() }))
