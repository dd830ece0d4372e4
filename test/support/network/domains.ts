import { expect } from 'chai'
import type { Client, Json } from '../client.ts'
import { setZone } from './dns.ts'

/** Lists the domains of an application with their proofs. */
export async function listDomains(api: Client, application: string): Promise<Json[]> {
  const listed = await api.get(`/v1/applications/${application}/domains?pageSize=100`)
  expect(listed.status, listed.text).to.equal(200)
  return listed.body['data'] as unknown as Json[]
}

/** Reads one domain of an application. */
export async function readDomain(api: Client, application: string, domain: string): Promise<Json> {
  const found = (await listDomains(api, application)).find((one) => one['domain'] === domain)
  expect(found, `${domain} is no domain of the application`).to.be.an('object')
  return found as Json
}

/** Replaces the domains of an application. */
export async function setDomains(api: Client, application: string, ...domains: string[]): Promise<void> {
  const named = await api.patch(`/v1/applications/${application}`, { domains })
  expect(named.status, named.text).to.equal(200)
}

/** Reads the DNS record that has to be published for a domain. */
export async function readDomainRecord(
  api: Client,
  application: string,
  domain: string,
): Promise<{ name: string; value: string }> {
  const found = (await readDomain(api, application, domain)) as unknown as { record: { name: string; value: string } }
  return found.record
}

/** Publishes the DNS record of a domain. */
export async function publishDomainRecord(api: Client, application: string, domain: string): Promise<void> {
  const { name, value } = await readDomainRecord(api, application, domain)
  setZone(name, { txt: [value] })
}

/** Requests a check of a domain. @returns the domain after the check */
export async function checkDomain(api: Client, application: string, domain: string): Promise<Json> {
  const checked = await api.post(`/v1/applications/${application}/domains/${domain}/check`)
  expect(checked.status, checked.text).to.equal(200)
  return checked.body
}

/** Replaces the domains of an application with one domain, publishes its record and checks it. */
export async function proveDomain(api: Client, application: string, domain: string): Promise<void> {
  await setDomains(api, application, domain)
  await publishDomainRecord(api, application, domain)
  expect(await checkDomain(api, application, domain)).to.include({ status: 'proven' })
}
