import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { connectDatabase } from '../../../core/database/connection.ts'
import { createApiKey, createOrganization } from '../../../core/features/identity/index.ts'
import { createLog } from '../../../core/app/log.ts'
import { allPermissions, type PermissionMap } from '../../../core/kernel/permission.ts'
import { readSettings } from '../../../core/app/settings.ts'
import { createApiClient, type Answer, type Client } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'

let pool: Knex | undefined

/** The platform's database, for what a test has to find or bring about behind the API. */
export function openDatabase(): Knex {
  return (pool ??= connectDatabase({ url: platform.database, name: 'tessera-test', maxConnections: 4 }))
}

export interface Tenant {
  organization: string
  /** Signed with a key that may do everything. */
  api: Client
  /** A client with a key of its own that may do just this. */
  limited(permissions: PermissionMap): Promise<Client>
}

/** A new organization that nobody else uses. */
export async function createTenant(): Promise<Tenant> {
  const settings = readSettings({ NODE_ENV: 'test', LOG_LEVEL: 'silent', SESSION_SECRET: 'a secret of tests only' })
  const parts = { db: openDatabase(), log: createLog('test', settings), settings }
  const { id: organization } = await createOrganization(parts, {
    name: 'Tests',
    owner: `${randomUUID()}@tests.example`,
  })
  const limited = async (permissions: PermissionMap) =>
    createApiClient((await createApiKey(parts, { organization, name: 'Test', permissions })).key)
  return { organization, limited, api: await limited(allPermissions) }
}

/** A row of a list or another object of an answer, its members looked up by the test. */
export type Row = Record<string, unknown>

/** The rows of a list's answer. */
export const getRows = (answer: Answer): Row[] => answer.body['data'] as unknown as Row[]

/** The members that an answer finds fault with. */
export const listErrorPaths = (answer: Answer): string[] =>
  ((answer.body['errors'] as unknown as { path: string }[] | undefined) ?? []).map(({ path }) => path)
