import type { Client } from '../../../support/client.ts'

/** Lists the names of all applications of an organization, the newest first. */
export async function listApplicationNames(api: Pick<Client, 'get'>): Promise<string[]> {
  const names: string[] = []
  for (let cursor: string | null = '', page = 0; cursor !== null && page < 200; page++) {
    const { body } = await api.get(`/v1/applications?pageSize=100${cursor === '' ? '' : `&cursor=${cursor}`}`)
    names.push(...(body['data'] as unknown as { name: string }[]).map(({ name }) => name))
    cursor = body['nextCursor'] as unknown as string | null
  }
  return names
}
