import { done, holds, json, type Client, type Stage } from './client.ts'

/** Applications and their domains. */
export async function callApplications(api: Client, stage: Stage): Promise<void> {
  const domain = stage.newDomain()
  const made = await done(api.POST('/v1/applications', { body: { name: 'Second shop', theme: { primaryColor: '#0a7d54' } } }))
  const params = { path: { appId: made.id } }
  const changed = await done(api.PATCH('/v1/applications/{appId}', {
    params: { ...params, header: { 'Idempotency-Key': `change-${made.id}`, 'Idempotency-Window': 600 } },
    body: { domains: [domain] },
  }))
  const read = await done(api.GET('/v1/applications/{appId}', { params }))
  holds(read.domains?.[0] === changed.domains?.[0], 'the domain is kept')
  const filters = json([{ field: 'id', operator: 'eq', value: made.id }])
  const listed = await done(api.GET('/v1/applications', { params: { query: { filters } } }))
  holds(listed.total === 1, 'a filter by id finds one application')
  const domains = await done(api.GET('/v1/applications/{appId}/domains', { params: { ...params, query: { pageSize: 1 } } }))
  const [found] = domains.data
  holds(found?.record != null, 'the record to publish is told')
  stage.publish(found.record)
  const path = { appId: made.id, domain }
  const checked = await done(api.POST('/v1/applications/{appId}/domains/{domain}/check', { params: { path } }))
  holds(checked.status === 'proven', 'the domain is proven')
  await done(api.PATCH('/v1/applications/{appId}', { params, body: { domains: [] } }))
  await done(api.DELETE('/v1/applications/{appId}', { params }))
}

/** Keys that sign, their domain and settings, and what others read of them. */
export async function callKeys(api: Client, stage: Stage): Promise<void> {
  const settings = await done(api.GET('/v1/dpp/certification-settings'))
  await done(api.PUT('/v1/dpp/certification-settings', { body: settings }))
  const key = await done(api.GET('/v1/dpp/certification-key'))
  await done(api.GET('/v1/dpp/issuers/{did}/keys', { params: { path: { did: key.did } } }))
  await done(api.PUT('/v1/dpp/certification-key/did-web-config', { body: { domain: stage.newDomain() } }))
  const { status } = await done(api.POST('/v1/dpp/certification-key/did-web-config/verify'))
  holds(status === 'failed', 'a domain that nobody published is not verified')
  await done(api.PUT('/v1/dpp/certification-key/did-web-config', { body: { domain: null } }))
  const config = await done(api.GET('/v1/dpp/certification-key/did-web-config'))
  holds(config.domain === null, 'the domain is cleared')
  await done(api.POST('/v1/dpp/certification-key/rotate'))
  const keys = await done(api.GET('/v1/dpp/certification-keys'))
  holds(keys.some(({ id }) => id === key.id), 'the old key is told of')
  await done(api.POST('/v1/dpp/certification-keys/{id}/revoke', { params: { path: { id: key.id } }, body: { reason: 'lost' } }))
}
