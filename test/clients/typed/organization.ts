import { unwrap, assertThat, toJson, type Client, type Stage } from './client.ts'

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
  const filters = toJson([{ field: 'id', operator: 'eq', value: made.id }])
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
