import { expect } from 'chai'
import { createApiClient } from '../../support/client.ts'

const listLocations = (text: string) => [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address = '']) => address)

/** Reads a document of a sitemap. @param host the host that is asked; the one of the platform by default */
export async function readSitemap(path = '/sitemap.xml', host?: string): Promise<string[]> {
  const answer = await createApiClient().get(path, host === undefined ? {} : { headers: { host } })
  expect(answer.status, answer.text).to.equal(200)
  expect(answer.headers['content-type']).to.equal('application/xml; charset=utf-8')
  return listLocations(answer.text)
}

/** Lists all addresses of the sitemap of a host, part by part. */
export async function listSitemap(host?: string): Promise<string[]> {
  const listed: string[] = []
  for (const part of await readSitemap('/sitemap.xml', host)) {
    const { pathname, search } = new URL(part)
    listed.push(...(await readSitemap(`${pathname}${search}`, host)))
  }
  return listed
}
