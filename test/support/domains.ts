import { expect } from 'chai'
import type { Client, Json } from './client.ts'
import { setZone } from './dns.ts'

/** The domains of an application, with what proves each. */
export async function domainsOf(api: Client, application: string): Promise<Json[]> {
  const listed = await api.get(`/v1/applications/${application}/domains?pageSize=100`)
  expect(listed.status, listed.text).to.equal(200)
  return listed.body['data'] as unknown as Json[]
}

/** One of them. */
export async function domainOf(api: Client, application: string, domain: string): Promise<Json> {
  const found = (await domainsOf(api, application)).find((one) => one['domain'] === domain)
  expect(found, `${domain} is no domain of the application`).to.be.an('object')
  return found as Json
}

/** Names domains, in place of those that were named. */
export async function nameDomains(api: Client, application: string, ...domains: string[]): Promise<void> {
  const named = await api.patch(`/v1/applications/${application}`, { domains })
  expect(named.status, named.text).to.equal(200)
}

/** What to publish for a domain. */
export async function recordOf(api: Client, application: string, domain: string): Promise<{ name: string; value: string }> {
  const found = await domainOf(api, application, domain) as unknown as { record: { name: string; value: string } }
  return found.record
}

/** Publishes the DNS record of a domain. */
export async function publishRecord(api: Client, application: string, domain: string): Promise<void> {
  const { name, value } = await recordOf(api, application, domain)
  setZone(name, { txt: [value] })
}

/** Asks for a check. @returns the domain as it is then */
export async function checkDomain(api: Client, application: string, domain: string): Promise<Json> {
  const checked = await api.post(`/v1/applications/${application}/domains/${domain}/check`)
  expect(checked.status, checked.text).to.equal(200)
  return checked.body
}

/** Names a domain in place of the others, publishes its record and has it checked. */
export async function proveDomain(api: Client, application: string, domain: string): Promise<void> {
  await nameDomains(api, application, domain)
  await publishRecord(api, application, domain)
  expect(await checkDomain(api, application, domain)).to.include({ status: 'proven' })
}
