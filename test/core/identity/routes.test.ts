import { expect } from 'chai'
import { identityOperations, getLibraryRoutes } from '../../../core/features/identity/index.ts'
import { createApiClient } from '../../support/client.ts'
import { getOperator, signInMember } from './people.ts'
import { buildOrganization } from '../../support/world.ts'
import { platform } from '../../support/platform.ts'

describe('/v1/auth: routes', () => {
  it('are ours and no others: the sign-in library opens none of its own', async () => {
    const tenant = await buildOrganization()
    const cookie = await signInMember(tenant.owner, tenant.organization)
    const ours = new Set(identityOperations.map(({ declaration: { method, path } }) => `${method} ${path}`))
    const routes = (await getLibraryRoutes(await getOperator())).map(({ method, path }) => ({
      method,
      path: `/v1/auth${path.replace(/:\w+/g, '01a1f94a-0000-7000-8000-000000000000')}`,
    }))
    const closed = routes.filter(({ method, path }) => !ours.has(`${method} ${path}`))
    expect(routes.length - closed.length, 'routes that we have too').to.equal(4)
    expect(closed.length).to.be.greaterThan(50)
    const origin = new URL(platform.api).origin
    for (const { method, path } of closed) {
      for (const headers of [{}, { cookie, origin }, { 'x-api-key': tenant.key }] as Record<string, string>[]) {
        const { status, body } = await createApiClient().send(method, path, method === 'GET' ? undefined : {}, {
          headers,
        })
        expect([status, body['code']], `${method} ${path}`).to.deep.equal([404, 'NOT_FOUND'])
      }
    }
  })

  it('are answered below /api/auth neither, where the library lives by default', async () => {
    for (const path of ['/api/auth/get-session', '/api/auth/ok', '/v1/auth', '/v1/auth/']) {
      expect((await createApiClient().get(path)).status, path).to.equal(404)
    }
  })
})
