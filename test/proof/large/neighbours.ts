import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { ContextHandle } from '../../../core/app/context.ts'
import { createApplication } from '../../../core/features/applications/index.ts'
import { createApiKey, createOrganization } from '../../../core/features/identity/index.ts'
import { allPermissions } from '../../../core/kernel/permission.ts'
import { createApiClient, type Client } from '../../support/client.ts'
import type { OwnPlatform } from '../../support/own-platform.ts'

/** An organization beside others on a platform of a test's own, with an application and a sheet to mint from. */
export interface Neighbour {
  organization: string
  application: string
  key: string
  api: Client
  sheet: string
}

export async function createNeighbour({ api: base }: OwnPlatform, { context }: ContextHandle): Promise<Neighbour> {
  const name = randomUUID()
  const { id: organization } = await createOrganization(context, { name, owner: `${name}@people.example` })
  const { id: application } = await context.db.transaction((trx) =>
    createApplication(trx, organization, { name }, { network: 'EthereumAnvil' }),
  )
  const { key } = await createApiKey(context, { organization, name: 'Test', permissions: allPermissions })
  const api = createApiClient(key, base)
  const made = await api.post('/v1/dpp/products', {
    application,
    network: 'EthereumAnvil',
    name: 'Bag',
    status: 'ACTIVE',
    passportsFields: [{ name: 'serialNumber', type: 'string', required: true }],
  })
  expect(made.status, made.text).to.equal(201)
  return { organization, application, key, api, sheet: String(made.body['id']) }
}

export const getMintPath = ({ sheet }: Pick<Neighbour, 'sheet'>) => `/v1/dpp/products/${sheet}/mint`

/** Rows of a batch to mint. */
export const createMintRows = (count: number) => Array.from({ length: count }, () => ({ serialNumber: randomUUID() }))
