import { expect } from 'chai'
import { createApiKey, endSessionsOfUser, revokeApiKey } from '../../../core/features/identity/index.ts'
import { createApiClient } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import { listStoredTrail, type StoredTrailEntry } from '../../support/rows/audit/trail.ts'
import { buildMember, buildOrganization, type Tenant } from '../../support/world.ts'
import { createEmail, createUniqueName, getOperator, getOwnClient, signInMember } from '../identity/people.ts'

type Essence = Pick<
  StoredTrailEntry,
  'action' | 'actor_kind' | 'actor_label' | 'target_kind' | 'target_label' | 'change'
>

describe('Audit trail: what it has', () => {
  let tenant: Tenant
  let cookie: string
  before(async () => {
    tenant = await buildOrganization()
    cookie = await signInMember(tenant.owner, tenant.organization)
  })

  const list = async () => listStoredTrail((await getOperator()).db, tenant.organization)

  /** Does something, and returns the entries that it left. */
  async function watch(act: () => Promise<unknown>): Promise<StoredTrailEntry[]> {
    const before = (await list()).length
    await act()
    return (await list()).slice(before)
  }
  const toEssence = ({
    action,
    actor_kind,
    actor_label,
    target_kind,
    target_label,
    change,
  }: StoredTrailEntry): Essence => ({
    action,
    actor_kind,
    actor_label,
    target_kind,
    target_label,
    change,
  })
  const byOwner = (action: string, target_kind: string, target_label: string | null, change: string | null = null) => ({
    ...{ action, actor_kind: 'member', actor_label: tenant.owner },
    ...{ target_kind, target_label, change },
  })
  const expectEntries = async (act: () => Promise<unknown>, ...expected: object[]) =>
    expect((await watch(act)).map(toEssence)).to.deep.equal(expected)

  const sendForm = async (path: string, fields: Record<string, string>) => {
    const answer = await fetch(`${platform.api}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-request-id': 'trail-test',
        cookie,
        origin: new URL(platform.api).origin,
      },
      body: new URLSearchParams(fields).toString(),
      redirect: 'manual',
    })
    expect(answer.status, path).to.be.oneOf([200, 303])
  }

  it('has how the organization began, and who signs in, out, and ends sessions', async () => {
    expect((await list()).map(({ action }) => action)).to.deep.equal([
      'organization.create',
      'api-key.create',
      'session.sign-in',
    ])
    let second = ''
    await expectEntries(
      async () => (second = await signInMember(tenant.owner, tenant.organization)),
      byOwner('session.sign-in', 'session', null),
    )
    await expectEntries(
      () => getOwnClient(second).post('/v1/auth/sign-out'),
      byOwner('session.sign-out', 'session', null),
    )
    await signInMember(tenant.owner)
    const sessions = await getOwnClient(cookie).get('/v1/auth/sessions')
    const other = (sessions.body as unknown as { data: { id: string; current: boolean }[] }).data.find(
      (one) => !one.current,
    )
    const ended = await watch(() => getOwnClient(cookie).delete(`/v1/auth/sessions/${other?.id}`))
    expect(ended.map(({ action, target_id }) => [action, target_id])).to.deep.equal([['session.end', other?.id]])
    await signInMember(tenant.owner)
    await expectEntries(
      () => getOwnClient(cookie).delete('/v1/auth/sessions'),
      byOwner('session.end', 'member', tenant.owner, '1 sessions'),
    )
    expect(await watch(() => getOwnClient(cookie).delete('/v1/auth/sessions'))).to.deep.equal([])
  })

  it('has keys that are created, rotated and revoked, with the address and the request', async () => {
    const name = createUniqueName('key')
    const created = await watch(() => sendForm('/console/keys', { name, days: '', 'dpp:read': 'yes' }))
    expect(created.map(toEssence)).to.deep.equal([byOwner('api-key.create', 'api-key', name)])
    const [{ target_id: id = '', address, request_id } = {} as StoredTrailEntry] = created
    expect([request_id, address]).to.satisfy(
      ([request, from]: string[]) => request === 'trail-test' && /127\.0\.0\.1|::1/.test(from ?? ''),
    )
    const rotated = await watch(() => sendForm(`/console/keys/${id}/rotate`, { hours: '24' }))
    expect(
      rotated.map(({ action, target_id, change }) => [action, target_id, /> \S+, 24 h$/.test(change ?? '')]),
    ).to.deep.equal([['api-key.rotate', id, true]])
    await expectEntries(() => sendForm(`/console/keys/${id}/revoke`, {}), byOwner('api-key.revoke', 'api-key', name))
  })

  it('has people who are invited, come, get roles and go', async () => {
    const { post, patch, delete: remove } = getOwnClient(cookie)
    const own = `/v1/organizations/${tenant.organization}`
    const email = createEmail('guest')
    const invite = () => post(`${own}/invitations`, { email, role: 'viewer' })
    let id = ''
    await expectEntries(
      async () => (id = String((await invite()).body.id)),
      byOwner('invitation.send', 'invitation', email, 'viewer'),
    )
    await expectEntries(() => remove(`${own}/invitations/${id}`), byOwner('invitation.withdraw', 'invitation', email))
    const guest = getOwnClient(await signInMember(email))
    const byGuest = (action: string, change: string | null) => ({
      ...byOwner(action, 'invitation', email, change),
      actor_label: email,
    })
    id = String((await invite()).body.id)
    await expectEntries(() => guest.post(`/v1/invitations/${id}/decline`), byGuest('invitation.decline', null))
    id = String((await invite()).body.id)
    await expectEntries(() => guest.post(`/v1/invitations/${id}/accept`), byGuest('invitation.accept', 'viewer'))
    const members = await getOwnClient(cookie).get(`${own}/members?pageSize=100`)
    const found = (members.body as unknown as { data: { id: string; user: { email: string } }[] }).data
    const member = found.find(({ user }) => user.email === email)?.id
    await expectEntries(
      () => patch(`${own}/members/${member}`, { role: 'editor' }),
      byOwner('member.change-role', 'member', email, 'viewer > editor'),
    )
    expect(await watch(() => patch(`${own}/members/${member}`, { role: 'editor' })), 'nothing changes').to.deep.equal(
      [],
    )
    await expectEntries(() => guest.delete(`${own}/members/${member}`), {
      ...byOwner('member.leave', 'member', email, 'editor'),
      actor_label: email,
    })
    const other = await buildMember(tenant.organization, 'viewer')
    const again = (await getOwnClient(cookie).get(`${own}/members?pageSize=100`)).body as unknown as {
      data: typeof found
    }
    await expectEntries(
      () => remove(`${own}/members/${again.data.find(({ user }) => user.email === other)?.id}`),
      byOwner('member.remove', 'member', other, 'viewer'),
    )
  })

  it('has settings and certification keys, also when a key acts, and nothing of what is refused', async () => {
    const { patch } = getOwnClient(cookie)
    const own = `/v1/organizations/${tenant.organization}`
    const name = createUniqueName('Org')
    await expectEntries(
      () => patch(own, { name, timeZone: 'Europe/Rome' }),
      byOwner('organization.update', 'organization', name, 'name, timeZone'),
    )
    expect(await watch(() => patch(own, { name }))).to.deep.equal([])
    expect(await watch(() => patch(own, { timeZone: 'Nowhere' }))).to.deep.equal([])
    const api = createApiClient(tenant.key)
    const byKey = (action: string, target_kind: string, change: string | null = null) => ({
      ...{ action, actor_kind: 'key', actor_label: 'Test' },
      ...{ target_kind, target_label: null, change },
    })
    await expectEntries(
      () => api.post('/v1/dpp/certification-key/rotate'),
      byKey('certification-key.rotate', 'certification-key'),
    )
    expect(await watch(() => api.post('/v1/dpp/certification-key/rotate?dryRun=true'))).to.deep.equal([])
    const keys = (await api.get('/v1/dpp/certification-keys')).body as unknown as {
      data: { id: string; status: string }[]
    }
    const list = Array.isArray(keys) ? (keys as { id: string; status: string }[]) : keys.data
    const id = list.find(({ status }) => status === 'rotated')?.id
    await expectEntries(
      () => api.post(`/v1/dpp/certification-keys/${id}/revoke`, { reason: 'lost' }),
      byKey('certification-key.revoke', 'certification-key'),
    )
    const domain = `${createUniqueName('did')}.example`
    await expectEntries(
      () => api.send('PUT', '/v1/dpp/certification-key/did-web-config', { domain }),
      byKey('did-web.set', 'organization', domain),
    )
    await expectEntries(
      () => api.send('PUT', '/v1/dpp/certification-key/did-web-config', { domain: null }),
      byKey('did-web.remove', 'organization'),
    )
  })

  it('has what operators do at the command line', async () => {
    const context = await getOperator()
    const { organization } = tenant
    const entries = await watch(async () => {
      const { id } = await createApiKey(context, { organization, name: 'Mine', permissions: { dpp: ['read'] } })
      await revokeApiKey(context, id)
      await signInMember(tenant.owner)
      await endSessionsOfUser(context.db, tenant.owner)
    })
    expect(entries.map(({ action, actor_kind, target_label }) => [action, actor_kind, target_label])).to.deep.equal([
      ['api-key.create', 'operator', 'Mine'],
      ['api-key.revoke', 'operator', 'Mine'],
      ['session.sign-in', 'member', null],
      ['session.end', 'operator', tenant.owner],
    ])
  })
})
