import { expect } from 'chai'
import type { ChildName } from '../../../core/start/platform.ts'
import { createApiClient, type Client } from '../../support/client.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import { waitUntil } from '../../support/processes.ts'
import { signIn, type Buyer } from '../stage/buyers.ts'
import { waitForDeath } from '../stage/process-deaths.ts'
import { postUntilAccepted, readUntilAnswered, waitForJobEnd } from '../stage/retried-requests.ts'

/** Where a process dies while a token is on its way from one person to another, the n-th time that it comes there. */
const places: readonly { point: string; nth: number; name: ChildName }[] = [
  { point: 'transfer.row-stored', nth: 1, name: 'server' },
  { point: 'unit.between', nth: 1, name: 'worker' },
  { point: 'unit.between', nth: 2, name: 'worker' },
  { point: 'tx.stored', nth: 1, name: 'worker' },
  { point: 'tx.broadcast', nth: 1, name: 'worker' },
  { point: 'tx.receipt', nth: 1, name: 'worker' },
]

describe('Passing a passport on: a process killed on the way', function () {
  this.timeout(300_000)
  let platform: OwnPlatform | undefined
  let api: Client
  let [owner, taker] = [] as unknown as [Buyer, Buyer]
  let sheet: string

  const getPlatform = (): OwnPlatform => {
    if (!platform) throw new Error('the platform is not there yet')
    return platform
  }
  before(async () => {
    platform = await startPlatform({ env: { TESSERA_FAULT: 'none' }, keeperDelays: { maxMs: 200 } })
    api = createApiClient(platform.apiKey, platform.api)
    owner = await signIn(platform, 'owner@kills.example')
    const made = await api.post('/v1/dpp/products', {
      application: platform.application,
      network: 'EthereumAnvil',
      name: 'Bag',
      status: 'ACTIVE',
      passportsFields: [{ name: 'serialNumber', type: 'string' }],
    })
    sheet = String(made.body['id'])
  })
  after(() => platform?.stop())

  /** A passport that the owner has claimed and offers to somebody. @returns its id and the token of the link */
  async function offer(to: string): Promise<{ passport: string; token: string }> {
    const { body } = await api.post('/v1/dpp/passports', {
      product: sheet,
      fields: { serialNumber: to },
      allowedClaimEmail: owner.email,
    })
    const passport = String(body['id'])
    const published = await postUntilAccepted(api, `/v1/dpp/passports/publish?filters[id][eq]=${passport}`)
    await waitForJobEnd(() => api.get(`/v1/jobs/${published.job}`))
    const claimed = await postUntilAccepted(owner.api, '/v1/dpp/claim', { passport })
    await waitForJobEnd(() => owner.api.get(`/v1/dpp/claim/${claimed.job}/status`))
    const made = await owner.api.post(`/v1/dpp/passports/${passport}/transfer`, { email: to })
    expect(made.status, made.text).to.equal(201)
    const { body: outbox } = await createApiClient({}, getPlatform().outbox).get('', { skipsDocumentCheck: true })
    const message = (outbox as unknown as { to: string; text: string }[]).find(
      (one) => one.to === to && one.text.includes('/transfer?token='),
    )
    return { passport, token: /token=([\w-]+)/.exec(message?.text ?? '')?.[1] ?? '' }
  }

  for (const [at, { point, nth, name }] of places.entries()) {
    it(`moves the token once after a kill of the ${name} at ${point}, time ${nth}`, async () => {
      const { children, lines } = getPlatform()
      const to = `taker-${at}@kills.example`
      taker = await signIn(getPlatform(), to)
      const { passport, token } = await offer(to)
      const from = lines.length
      const { pid } = children[name]
      children[name].arm(`${point}:${nth}`)
      const struck = waitForDeath(() => lines.slice(from), point)
      const { job } = await postUntilAccepted(taker.api, `/v1/dpp/passports/${passport}/transfer/accept`, { token })
      await waitForJobEnd(() => taker.api.get(`/v1/dpp/claim/${job}/status`))
      const death = await struck.death
      expect([death.process, death.pid, death.job]).to.deep.equal([name, pid, job])
      await waitUntil(`another ${name} runs`, () => ![undefined, pid].includes(children[name].pid), 30_000)
      await children[name].ready()

      const { body } = await readUntilAnswered(taker.api, `/v1/dpp/claim/${job}/status`)
      expect(body).to.deep.include({ status: 'completed', total: 1, completed: 1, failed: 0, errors: [] })
      const shown = (await readUntilAnswered(api, `/v1/dpp/passports/${passport}`)).body
      expect((shown['token'] as unknown as { owner: string }).owner).to.equal(taker.address)
      const owners = (await readUntilAnswered(api, `/v1/dpp/passports/${passport}/ownership`)).body
      expect((owners as unknown as { type: string }[]).map(({ type }) => type)).to.deep.equal(['claim', 'transfer'])
      const events = await readUntilAnswered(api, `/v1/events?filters[passport.id][eq]=${passport}&pageSize=100`)
      const types = (events.body['data'] as unknown as { type: string }[]).map(({ type }) => type)
      expect(types.filter((type) => type === 'transfer')).to.have.length(1)
      const offered = (await readUntilAnswered(owner.api, `/v1/dpp/passports/${passport}/transfer`)).body
      expect(offered['status']).to.equal('completed')
    })
  }
})
