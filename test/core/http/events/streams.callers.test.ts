import { expect } from 'chai'
import { Agent, request } from 'undici'
import { createApiClient } from '../../../support/client.ts'
import { waitUntil } from '../../../support/processes.ts'
import { platform } from '../../../support/platform.ts'
import { endSessionsOfUser, revokeApiKey } from '../../../../core/features/identity/index.ts'
import { checkIntervalMs } from '../../../../core/http/events/authorize.ts'
import { createEmail, getOperator, getOwnClient, signInBuyer, signInMember } from '../../identity/people.ts'
import {
  changeRole,
  deleteKey,
  expireKey,
  expireSessions,
  removeMember,
  replacePermissions,
} from '../../../support/rows/identity/ended-access.ts'
import { buildKey, buildMember, buildOrganization, type Tenant } from '../../../support/world.ts'

describe('Event streams (SSE): several of one caller', function () {
  this.timeout(240_000)
  let agent: Agent
  let tenant: Tenant
  let job: string

  before(async () => {
    agent = new Agent({ connections: null })
    tenant = await buildOrganization()
    job = await newJob({ organization: tenant.organization })
  })
  after(() => agent.destroy())

  /** A job that nobody works on. */
  async function newJob(of: { organization: string; application?: string; endUser?: string }): Promise<string> {
    const { db, queue } = await getOperator()
    const type = of.endUser === undefined ? 'publish' : 'claim'
    return db.transaction((trx) => queue.enqueue(trx, { type, total: 1, payload: {}, isHeld: true, ...of }))
  }

  async function open(headers: Record<string, string>, id = job) {
    const answer = await request(`${platform.api}/v1/jobs/${id}/sse`, {
      dispatcher: agent,
      headers: { accept: 'text/event-stream', ...headers },
    })
    const text: string[] = []
    let ended = answer.statusCode !== 200
    const reading = (async () => {
      for await (const part of answer.body) text.push(String(part))
    })()
      .catch(() => undefined)
      .finally(() => {
        ended = true
      })
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text,
      isEnded: () => ended,
      reading,
      close: () => answer.body.destroy(),
    }
  }
  const closeAll = (streams: { close: () => void }[]) => {
    for (const { close } of streams) close()
  }
  /** Opens until it is refused, some at a time. */
  async function openMany(count: number, headers: Record<string, string>) {
    const streams = []
    for (let at = 0; at < count; at += 10) {
      streams.push(...(await Promise.all(Array.from({ length: Math.min(10, count - at) }, () => open(headers)))))
    }
    return streams
  }

  it('are at most 50 of one key, and another key has its own; a closed one makes room', async () => {
    const [one, other] = [
      await buildKey(tenant.organization, { dpp: ['read'] }),
      await buildKey(tenant.organization, { dpp: ['read'] }),
    ]
    const streams = await openMany(51, { 'x-api-key': one.key })
    const refused = streams.filter(({ status }) => status === 429)
    expect(refused).to.have.length(1)
    expect(Number(refused[0]?.headers['retry-after'])).to.be.within(1, 60)
    expect(JSON.parse((await refused[0]?.reading, refused[0]?.text.join('') ?? '')) as object).to.include({
      code: 'RATE_LIMITED',
    })
    const beside = await open({ 'x-api-key': other.key })
    expect(beside.status).to.equal(200)
    streams.find(({ status }) => status === 200)?.close()
    await waitUntil('the closed one makes room', async () => {
      const next = await open({ 'x-api-key': one.key })
      streams.push(next)
      return next.status === 200
    })
    closeAll([...streams, beside])
  })

  it('are at most 500 of one organization, whichever keys it makes', async () => {
    const crowd = await buildOrganization()
    const own = await newJob({ organization: crowd.organization })
    const keys = await Promise.all(Array.from({ length: 11 }, () => buildKey(crowd.organization, { dpp: ['read'] })))
    const streams = []
    for (const { key } of keys)
      streams.push(...(await Promise.all(Array.from({ length: 48 }, () => open({ 'x-api-key': key }, own)))))
    expect(streams.filter(({ status }) => status === 200)).to.have.length(500)
    expect(streams.filter(({ status }) => status === 429)).to.have.length(28)
    const elsewhere = await open({ 'x-api-key': (await buildKey(tenant.organization, { dpp: ['read'] })).key })
    expect(elsewhere.status, 'another organization').to.equal(200)
    closeAll([...streams, elsewhere])
  })

  it('are at most 5 of one buyer', async () => {
    const buyer = await signInBuyer(tenant.application)
    const mine = await newJob({
      organization: tenant.organization,
      application: tenant.application,
      endUser: String(buyer.body['user']?.['id']),
    })
    const bearer = { authorization: `Bearer ${String(buyer.body['token'])}` }
    const streams = await Promise.all(Array.from({ length: 6 }, () => open(bearer, mine)))
    expect(streams.map(({ status }) => status).sort()).to.deep.equal([200, 200, 200, 200, 200, 429])
    closeAll(streams)
  })

  describe('end of a stream', () => {
    /** Opens a stream, does something to its caller, and waits until it has ended; one beside it stays. */
    async function endsWhen(headers: Record<string, string>, change: () => Promise<unknown>, id = job): Promise<void> {
      const [stream, beside] = [await open(headers, id), await open({ 'x-api-key': tenant.key })]
      expect([stream.status, beside.status]).to.deep.equal([200, 200])
      await waitUntil('the present state comes', () => stream.text.length > 0)
      await change()
      await waitUntil('the stream ends', stream.isEnded, 15_000)
      expect(beside.isEnded(), 'the stream of another caller').to.equal(false)
      beside.close()
    }

    it('comes with the key: revoked, expired, or with fewer permissions', async () => {
      const context = await getOperator()
      const change = async (changeKey: (id: string) => Promise<unknown>) => {
        const { id, key } = await buildKey(tenant.organization, { dpp: ['read'] })
        await endsWhen({ 'x-api-key': key }, () => changeKey(id))
        expect((await open({ 'x-api-key': key })).status).to.be.oneOf([401, 404])
      }
      await change((id) => revokeApiKey(context, id))
      await change((id) => replacePermissions(context.db, id, { loyalty: ['read'] }))
      // The check that follows this change still finds a good key: only its expiry can end the stream.
      await change((id) => expireKey(context.db, id, 2_000))
      const gone = await buildKey(tenant.organization, { dpp: ['read'] })
      await endsWhen({ 'x-api-key': gone.key }, () => deleteKey(context.db, gone.id))
    })

    it('comes with the session: signed out or expired', async () => {
      const origin = new URL(platform.api).origin
      const person = await buildMember(tenant.organization, 'admin')
      const cookie = await signInMember(person, tenant.organization)
      await endsWhen({ cookie }, () =>
        createApiClient({ cookie }).post('/v1/auth/sign-out', undefined, { headers: { origin } }),
      )
      const { db } = await getOperator()
      const second = await signInMember(person, tenant.organization)
      await endsWhen({ cookie: second }, () => expireSessions(db, person))
      const email = createEmail('buyer')
      const buyer = await signInBuyer(tenant.application, email)
      const endUser = String(buyer.body['user']?.['id'])
      const mine = await newJob({ organization: tenant.organization, application: tenant.application, endUser })
      await endsWhen(
        { authorization: `Bearer ${String(buyer.body['token'])}` },
        () => endSessionsOfUser(db, email),
        mine,
      )
    })

    it('comes at once with a notice of a changed key, session or role', async () => {
      const context = await getOperator()
      const person = await buildMember(tenant.organization, 'admin')
      const { id, key } = await buildKey(tenant.organization, { dpp: ['read'] })
      const cookie = await signInMember(person, tenant.organization)
      const changes: [Record<string, string>, () => Promise<unknown>][] = [
        [{ 'x-api-key': key }, () => revokeApiKey(context, id)],
        [{ cookie }, () => changeRole(context.db, person, 'viewer')],
        [{ cookie }, () => getOwnClient(cookie).post('/v1/auth/sign-out')],
      ]
      for (const [headers, change] of changes) {
        const opened = performance.now()
        const stream = await open(headers)
        expect(stream.status).to.equal(200)
        await change()
        await stream.reading
        expect(performance.now() - opened).to.be.below(checkIntervalMs)
      }
    })

    it('comes with the role, and with the organization that the caller acts for', async () => {
      const { db } = await getOperator()
      const person = await buildMember(tenant.organization, 'viewer')
      const cookie = await signInMember(person, tenant.organization)
      await endsWhen({ cookie }, () => removeMember(db, person))
    })
  })
})
