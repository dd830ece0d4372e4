import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { connect } from '../../../core/database/connection.ts'
import { createKey, createOrganization } from '../../../core/features/identity/index.ts'
import { createLog } from '../../../core/log.ts'
import { everyPermission, type PermissionMap } from '../../../core/kernel/permission.ts'
import { readSettings } from '../../../core/settings.ts'
import { client, type Answer, type Client } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'

let pool: Knex | undefined

/** The platform's database, for what a test has to find or bring about behind the API. */
export function database(): Knex {
  return (pool ??= connect({ url: platform.database, name: 'tessera-test', max: 4 }))
}

export interface Tenant {
  organization: string
  /** Signed with a key that may do everything. */
  api: Client
  /** A client with a key of its own that may do just this. */
  limited(permissions: PermissionMap): Promise<Client>
}

/** A new organization that nobody else uses. */
export async function tenant(): Promise<Tenant> {
  const settings = readSettings({ NODE_ENV: 'test', LOG_LEVEL: 'silent', SESSION_SECRET: 'a secret of tests only' })
  const parts = { db: database(), log: createLog('test', settings), settings }
  const { id: organization } = await createOrganization(parts, {
    name: 'Tests',
    owner: `${randomUUID()}@tests.example`,
  })
  const limited = async (permissions: PermissionMap) =>
    client((await createKey(parts, { organization, name: 'Test', permissions })).key)
  return { organization, limited, api: await limited(everyPermission) }
}

/** An account of the application, with a person of its own. */
export async function insertAccount(organization: string, application: string): Promise<void> {
  const [id, user] = [randomUUID(), randomUUID()]
  await database()('users').insert({ id: user, email: `${user}@tests.example` })
  await database()('accounts').insert({
    id,
    organization,
    application,
    network: 'EthereumAnvil',
    address: `0x${id.replaceAll('-', '')}`,
    user_id: user,
  })
}

/** A row of a list or another object of an answer, its members looked up by the test. */
export type Row = Record<string, unknown>

/** The rows of a list's answer. */
export const rows = (answer: Answer): Row[] => answer.body['data'] as unknown as Row[]

/** The members that an answer finds fault with. */
export const paths = (answer: Answer): string[] =>
  ((answer.body['errors'] as unknown as { path: string }[] | undefined) ?? []).map(({ path }) => path)
