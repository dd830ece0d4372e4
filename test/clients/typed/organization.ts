import type { Client } from 'tessera-client'
import { assertThat, unwrap, type Stage } from './stage.ts'

/** Applications and their domains. */
export async function callApplications(api: Client, stage: Stage): Promise<void> {
  const domain = stage.newDomain()
  const made = await unwrap(api.POST('/v1/applications', { body: { name: 'Second shop', theme: { primaryColor: '#0a7d54' } } }))
  const params = { path: { appId: made.id } }
  const changed = await unwrap(api.PATCH('/v1/applications/{appId}', {
    params: { ...params, header: { 'Idempotency-Key': `change-${made.id}`, 'Idempotency-Window': 600 } },
    body: { domains: [domain] },
  }))
  const read = await unwrap(api.GET('/v1/applications/{appId}', { params }))
  assertThat(read.domains?.[0] === changed.domains?.[0], 'the domain is kept')
  const filters = api.toQuery([{ field: 'id', operator: 'eq', value: made.id }])
  const listed = await unwrap(api.GET('/v1/applications', { params: { query: { filters } } }))
  assertThat(listed.total === 1, 'a filter by id finds one application')
  const domains = await unwrap(api.GET('/v1/applications/{appId}/domains', { params: { ...params, query: { pageSize: 1 } } }))
  const [found] = domains.data
  assertThat(found?.record != null, 'the record to publish is shown')
  stage.publish(found.record)
  const path = { appId: made.id, domain }
  const checked = await unwrap(api.POST('/v1/applications/{appId}/domains/{domain}/check', { params: { path } }))
  assertThat(checked.status === 'proven', 'the domain is proven')
  await unwrap(api.PATCH('/v1/applications/{appId}', { params, body: { domains: [] } }))
  await unwrap(api.DELETE('/v1/applications/{appId}', { params }))
}

/** What organizations may use, and what they have used. */
async function callQuotas(api: Client): Promise<void> {
  const plans = await unwrap(api.GET('/v1/billing/plans'))
  const { plan, meters } = await unwrap(api.GET('/v1/quotas/usage'))
  assertThat(plans.some(({ id }) => id === plan.id), 'the plan is one of the platform')
  assertThat(meters.some(({ code, hard }) => code === 'dpp.operations' && hard), 'operations are counted')
  const portal = await unwrap(api.POST('/v1/billing/portal-session', { body: {} }))
  assertThat(portal.url.startsWith('http'), 'the page of plan and invoices has an address')
}

/** The organization itself. */
export async function callOrganizations(api: Client): Promise<void> {
  await callQuotas(api)
  const [own] = (await unwrap(api.GET('/v1/organizations'))).data
  assertThat(own?.role === null, 'a key has no role')
  const params = { path: { id: own.id } }
  const read = await unwrap(api.GET('/v1/organizations/{id}', { params }))
  const changed = await unwrap(api.PATCH('/v1/organizations/{id}', { params, body: { timeZone: 'Europe/Rome' } }))
  assertThat(changed.timeZone === 'Europe/Rome' && changed.name === read.name, 'only the time zone changes')
}

/** The people of the organization, by one who owns it: a guest accepts, another declines, a third comes too late. */
export async function callPeople(owner: Client, stage: Stage, signIn: (email: string) => Promise<Client>): Promise<void> {
  const id = stage.organization
  const invite = async (email: string) => {
    const body = { email, role: 'viewer' } as const
    const made = await unwrap(owner.POST('/v1/organizations/{id}/invitations', { params: { path: { id } }, body }))
    return { path: { id: made.id } }
  }
  const [guest, other] = [stage.newEmail(), stage.newEmail()]
  const joined = await unwrap((await signIn(guest)).POST('/v1/invitations/{id}/accept', { params: await invite(guest) }))
  assertThat(joined.id === id && joined.role === 'viewer', 'the guest is a viewer')
  const declined = await unwrap((await signIn(other)).POST('/v1/invitations/{id}/decline', { params: await invite(other) }))
  assertThat(declined.status === 'declined', 'the other one declined')
  const { path } = await invite(stage.newEmail())
  const invitations = await unwrap(owner.GET('/v1/organizations/{id}/invitations', { params: { path: { id } } }))
  assertThat(invitations.total === 3, 'three people were invited')
  const below = { id, invitationId: path.id }
  await unwrap(owner.DELETE('/v1/organizations/{id}/invitations/{invitationId}', { params: { path: below } }))
  const query = { filters: owner.toQuery([{ field: 'user.email', operator: 'eq', value: guest }]) }
  const { data: [member] } = await unwrap(owner.GET('/v1/organizations/{id}/members', { params: { path: { id }, query } }))
  assertThat(member !== undefined, 'the guest is a member')
  const memberPath = { path: { id, memberId: member.id } }
  await unwrap(owner.PATCH('/v1/organizations/{id}/members/{memberId}', { params: memberPath, body: { role: 'editor' } }))
  const removed = await unwrap(owner.DELETE('/v1/organizations/{id}/members/{memberId}', { params: memberPath }))
  assertThat(removed.role === 'editor', 'the guest was an editor')
}

/** A person reads the documents, accepts some before and some with the sign-up, and owns an organization for a while. */
export async function callSignUp(anyone: Client, founder: Client): Promise<void> {
  const documents = await unwrap(anyone.GET('/v1/legal/documents', { params: { query: { audience: 'company' } } }))
  const [first, ...others] = documents.map(({ id, version }) => ({ document: id, version }))
  assertThat(first !== undefined, 'companies accept documents')
  await unwrap(anyone.POST('/v1/legal/signup-intent', { body: { acceptances: [first] } }))
  await unwrap(founder.POST('/v1/legal/acceptances', { body: { acceptances: [first] } }))
  const body = { name: 'Second house', customerType: 'company', preferredCurrency: 'EUR', acceptances: others } as const
  const made = await unwrap(founder.POST('/v1/organizations', { body }))
  assertThat(made.preferredCurrency === 'EUR', 'the currency is chosen')
  const { audience, missing } = await unwrap(founder.GET('/v1/legal/me'))
  assertThat(audience === 'company' && missing.length === 0, 'nothing is left to accept')
  await unwrap(founder.DELETE('/v1/organizations/{id}', { params: { path: { id: made.id } } }))
}

/** Keys that sign, their domain and settings, and what others read of them. */
export async function callKeys(api: Client, stage: Stage): Promise<void> {
  const settings = await unwrap(api.GET('/v1/dpp/certification-settings'))
  await unwrap(api.PUT('/v1/dpp/certification-settings', { body: settings }))
  const key = await unwrap(api.GET('/v1/dpp/certification-key'))
  await unwrap(api.GET('/v1/dpp/issuers/{did}/keys', { params: { path: { did: key.did } } }))
  await unwrap(api.PUT('/v1/dpp/certification-key/did-web-config', { body: { domain: stage.newDomain() } }))
  const { status } = await unwrap(api.POST('/v1/dpp/certification-key/did-web-config/verify'))
  assertThat(status === 'failed', 'a domain that nobody published is not verified')
  await unwrap(api.PUT('/v1/dpp/certification-key/did-web-config', { body: { domain: null } }))
  const config = await unwrap(api.GET('/v1/dpp/certification-key/did-web-config'))
  assertThat(config.domain === null, 'the domain is cleared')
  await unwrap(api.POST('/v1/dpp/certification-key/rotate'))
  const keys = await unwrap(api.GET('/v1/dpp/certification-keys'))
  assertThat(keys.some(({ id }) => id === key.id), 'the old key is listed')
  await unwrap(api.POST('/v1/dpp/certification-keys/{id}/revoke', { params: { path: { id: key.id } }, body: { reason: 'lost' } }))
}
