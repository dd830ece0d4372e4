import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { getRows, createTenant, type Tenant } from './tenants.ts'

/** What tests of applications begin with. */
export interface ApplicationMaker {
  own: Tenant
  other: Tenant
  /** Creates an application of `own` under a name nobody else uses. @returns its id */
  create(body?: object): Promise<string>
  /** Types of an application's events, oldest first. */
  eventTypes(id: string): Promise<string[]>
}

/** A name nobody else uses, so that its slug is free. */
export const createShopName = () => `Shop ${randomUUID()}`

/** Two organizations. */
export async function createApplicationMaker(): Promise<ApplicationMaker> {
  const [own, other] = [await createTenant(), await createTenant()]
  return {
    own,
    other,
    async create(body = {}) {
      const created = await own.api.post('/v1/applications', { name: createShopName(), ...body })
      expect(created.status, created.text).to.equal(201)
      return String(created.body.id)
    },
    async eventTypes(id) {
      const events = getRows(await own.api.get(`/v1/events?filters[application.id][eq]=${id}`))
      return events.map(({ type }) => String(type)).reverse()
    },
  }
}
