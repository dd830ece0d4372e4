import type { Client } from 'tessera-client'
import { unwrap } from './stage.ts'

/** Mistakes, one a line: nobody runs them, and the types of each client have to refuse every one. */
export async function makeMistakes(api: Client): Promise<void> {
  await api.GET('/v1/nowhere')
  await api.PUT('/v1/applications/{appId}', { params: { path: { appId: 'a' } } })
  await api.GET('/v1/applications/{appId}')
  await api.GET('/v1/applications/{appId}', { params: { path: { id: 'a' } } })
  await api.GET('/v1/applications/{appId}', { params: { path: { appId: 'a' }, query: { color: 'red' } } })
  await api.GET('/v1/applications/{appId}', { params: { path: { appId: 'a' }, header: { color: 'red' } } })
  await api.GET('/v1/dpp/products', { params: { query: { colors: 1 } } })
  await api.GET('/v1/dpp/products', { params: { query: { pageSize: 'ten' } } })
  await api.POST('/v1/applications')
  await api.POST('/v1/applications', { body: { name: 1 } })
  await api.POST('/v1/applications', { body: { title: 'Shop' } })
  await api.POST('/v1/auth/sign-out', { body: { all: true } })
  await api.POST('/v1/loyalty/account/{id}/mint', { params: { path: { id: 'a' } }, body: { amount: true } })
  ;(await unwrap(api.GET('/v1/applications/{appId}', { params: { path: { appId: 'a' } } }))).color
  ;(await unwrap(api.GET('/v1/dpp/products'))).data[0]?.name.color
}
