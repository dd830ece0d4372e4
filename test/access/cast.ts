import { expect } from 'chai'
import { addMember, revokeApiKey } from '../../core/features/identity/index.ts'
import { actions, allPermissions, resources, roles, type PermissionMap } from '../../core/kernel/permission.ts'
import { createEmail, getOperator, signInBuyer, signInMember } from '../core/identity/people.ts'
import { createApiClient, type Client } from '../support/client.ts'
import { platform } from '../support/platform.ts'
import { buildApplication, buildKey, buildMember, buildOrganization, type Shop } from '../support/world.ts'
import { readRoleGrid } from './role-grid.ts'

/** Somebody who calls. `permissions` is what a key or role may do; null for who has none by kind. */
export interface Attacker {
  name: string
  kind: 'anonymous' | 'key' | 'member' | 'endUser' | 'invalid'
  api: Client
  permissions: PermissionMap | null
  foreign?: true
  /** For a key of one application: the shop's, or another one of its organization, which has nothing. */
  application?: 'own' | 'other'
  /** A member in whose session no organization is active. */
  hasNoOrganization?: true
}

/** A client whose writes come from our own pages. */
function ofPage(cookie: string): Client {
  const plain = createApiClient({ cookie })
  const send: Client['send'] = (method, path, body, options = {}) =>
    plain.send(method, path, body, {
      ...options,
      headers: { origin: new URL(platform.api).origin, ...options.headers },
    })
  return { ...plain, send }
}

const createKeyCaller = (name: string, secret: string, permissions: PermissionMap): Attacker => ({
  name,
  kind: 'key',
  api: createApiClient(secret),
  permissions,
})

const createInvalidCaller = (name: string, secret: string): Attacker => ({
  name,
  kind: 'invalid',
  api: createApiClient(secret),
  permissions: null,
})

const createMemberCaller = (name: string, cookie: string, permissions: PermissionMap | null): Attacker => ({
  name,
  kind: 'member',
  api: ofPage(cookie),
  permissions,
  ...(permissions === null && { hasNoOrganization: true }),
})

/** Everybody who may or may not reach for the things of a shop: each kind of caller, and each state of a credential. */
export const createCast = async (shop: Shop): Promise<Attacker[]> => [
  { name: 'nobody', kind: 'anonymous', api: createApiClient(), permissions: null },
  ...(await createKeys(shop)),
  ...(await createMembers(shop)),
  await createNeighbour(shop),
]

/** A key of each pair of resource and action, keys in each state, and the key of another organization. */
async function createKeys({ organization, application, owner }: Shop): Promise<Attacker[]> {
  const ofPairs: Attacker[] = []
  for (const resource of resources)
    for (const action of actions) {
      const permissions = { [resource]: [action] }
      const { key } = await buildKey(organization, permissions)
      ofPairs.push(createKeyCaller(`a key of ${resource}:${action}`, key, permissions))
    }
  const permissions: PermissionMap = { dpp: ['read'] }
  const expiresAt = new Date(Date.now() + 3_000)
  const [none, expired, revoked, old, replaced] = await Promise.all([
    buildKey(organization, {}),
    buildKey(organization, permissions, { expiresAt }),
    buildKey(organization, permissions),
    buildKey(organization, permissions),
    buildKey(organization, permissions),
  ])
  await revokeApiKey(await getOperator(), revoked.id)
  const page = ofPage(await signInMember(owner, organization))
  const [successor] = [await rotateKey(page, old.id, 24), await rotateKey(page, replaced.id, 0)]
  const foreign = await buildOrganization()
  const [own, other] = await Promise.all(
    [application, await buildApplication(organization)].map((one) =>
      buildKey(organization, allPermissions, { application: one }),
    ),
  )
  await new Promise((resolve) => setTimeout(resolve, Math.max(expiresAt.getTime() - Date.now() + 200, 0)))
  return [
    ...ofPairs,
    createKeyCaller('a key of none', none.key, {}),
    createKeyCaller('a rotated key that lives on', old.key, permissions),
    createKeyCaller('the key after it', successor, permissions),
    { ...createKeyCaller('a key of another organization', foreign.key, {}), permissions: null, foreign: true },
    { ...createKeyCaller('a key of the application', String(own?.key), allPermissions), application: 'own' },
    { ...createKeyCaller('a key of another application', String(other?.key), allPermissions), application: 'other' },
    createInvalidCaller('a rotated key that ended at once', replaced.key),
    createInvalidCaller('an expired key', expired.key),
    createInvalidCaller('a revoked key', revoked.key),
    createInvalidCaller('a malformed key', 'tsr_test_short'),
  ]
}

/** Replaces a key as its page does. @returns the secret of the new one */
async function rotateKey(page: Client, id: string, hours: number): Promise<string> {
  const { text } = await page.send('POST', `/console/keys/${id}/rotate`, undefined, {
    raw: `hours=${hours}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  const [, secret] = /<code id="secret">(\w+)</.exec(text) ?? []
  if (secret === undefined) throw new Error(`The key was not rotated: ${text}`)
  return secret
}

/** A member of each role, and members whose memberships or sessions are not plain. */
async function createMembers({ organization, api }: Shop): Promise<Attacker[]> {
  const signIn = async (role: (typeof roles)[number]) => {
    const email = await buildMember(organization, role)
    return { email, cookie: await signInMember(email, organization) }
  }
  const ofRoles = await Promise.all(
    roles.map(async (role) => createMemberCaller(`a member, ${role}`, (await signIn(role)).cookie, readRoleGrid(role))),
  )
  const elsewhere = await buildOrganization()
  const join = async (role: (typeof roles)[number], other: (typeof roles)[number], active: string) => {
    const email = await buildMember(organization, role)
    await addMember(await getOperator(), elsewhere.organization, email, other)
    return signInMember(email, active)
  }
  const members = `/v1/organizations/${organization}/members`
  const readMemberId = async (email: string) => {
    const { body } = await api.get(`${members}?pageSize=100`)
    const found = (body['data'] as unknown as { id: string; user: { email: string } }[]).find(
      ({ user }) => user.email === email,
    )
    return String(found?.id)
  }
  const [demoted, removed] = [await signIn('admin'), await signIn('admin')]
  const changed = await api.patch(`${members}/${await readMemberId(demoted.email)}`, { role: 'viewer' })
  const left = await api.delete(`${members}/${await readMemberId(removed.email)}`)
  expect([changed.status, left.status]).to.deep.equal([200, 200])
  return [
    ...ofRoles,
    createMemberCaller(
      'a viewer who owns another organization',
      await join('viewer', 'owner', organization),
      readRoleGrid('viewer'),
    ),
    createMemberCaller(
      'an owner for whom another organization is active, as an editor',
      await join('owner', 'editor', elsewhere.organization),
      readRoleGrid('editor'),
    ),
    createMemberCaller('an administrator who became a viewer', demoted.cookie, readRoleGrid('viewer')),
    createMemberCaller('a member who was removed', removed.cookie, null),
    createMemberCaller('somebody of no organization', await signInMember(createEmail('new')), null),
  ]
}

/** A buyer of another application of the same organization. */
async function createNeighbour({ organization }: Shop): Promise<Attacker> {
  const { body } = await signInBuyer(await buildApplication(organization))
  const api = createApiClient({ bearer: String(body['token']) })
  return { name: "another application's buyer", kind: 'endUser', api, permissions: null }
}
