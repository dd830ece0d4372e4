import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { connectDatabase } from '../../../../../core/database/connection.ts'
import { createApiClient, type Client } from '../../../../support/client.ts'
import { createTemporaryFolder, removeFolder } from '../../../../support/folders.ts'
import { startPlatform, type OwnPlatform } from '../../../../support/own-platform.ts'
import { waitUntil } from '../../../../support/processes.ts'
import { countCardUpdates, endCertificate, makeCardUpdatesDue } from '../../../../support/rows/loyalty/cards.ts'
import { startApns, type ApnsStandIn } from '../../../../support/wallets/apple/apns.ts'
import { createPassCertificate } from '../../../../support/wallets/apple/certificates.ts'
import { Device } from '../../../../support/wallets/apple/device.ts'
import { signIn } from '../../../../proof/stage/buyers.ts'
import { createNames, getAuthority } from './authority.ts'

describe('Updates of cards of Apple Wallet, over the push service', () => {
  let apns: ApnsStandIn
  let platform: OwnPlatform
  let api: Client
  let db: Knex
  let folder: string

  before(async () => {
    apns = await startApns(getAuthority())
    folder = createTemporaryFolder()
    writeFileSync(join(folder, 'ca.pem'), apns.ca)
    platform = await startPlatform({
      env: { APNS_URL: apns.url, APNS_CA: join(folder, 'ca.pem') },
      faults: { worker: 'cards.idle' },
    })
    db = connectDatabase({ url: platform.database, name: 'test', maxConnections: 1 })
    api = createApiClient(platform.apiKey, platform.api)
    const set = await api.put(
      `/v1/applications/${platform.application}/wallet-credentials/apple-wallet`,
      createPassCertificate(getAuthority(), createNames()),
    )
    expect(set.status, set.text).to.equal(200)
  })
  after(async () => {
    await db.destroy()
    await platform.stop()
    await apns.stop()
    await removeFolder(folder)
  })

  async function createHolder() {
    const email = `holder-${randomUUID()}@people.example`
    const buyer = await signIn(platform, email)
    const file = await buyer.api.get('/v1/apple-wallet/loyalty-pass')
    expect(file.status, file.text).to.equal(200)
    const device = new Device(getAuthority().certificate)
    expect((await device.add(file.bytes)).status).to.equal(201)
    await device.wake()
    const { body } = await api.get(`/v1/accounts?filters[user.email][eq]=${email}`)
    return { buyer, device, account: String(body['data']?.[0]?.['id']) }
  }

  const mint = async (account: string, amount: number) => {
    const answer = await api.post(`/v1/loyalty/account/${account}/mint`, { amount })
    expect(answer.status, answer.text).to.equal(202)
  }

  const waitForPush = (device: Device, count: number) =>
    waitUntil(`the phone has ${count} pushes`, () => (apns.tokens.get(device.pushToken)?.pushes ?? 0) >= count)

  const getPoints = ({ pass }: Device) => pass.fields.get('points')?.value

  it('push in silence, and the phone shows the new balance and no notification', async () => {
    const { device, account } = await createHolder()
    const before = Number(getPoints(device))
    await mint(account, 40)
    await waitForPush(device, 1)
    expect(await device.wake()).to.equal(1)
    expect(getPoints(device)).to.equal(before + 40)
    expect(device.notifications).to.deep.equal([])
    const { pushes, quiet } = apns.tokens.get(device.pushToken) ?? { pushes: 0, quiet: -1 }
    expect(quiet).to.equal(pushes)
  })

  it('come again after the service was throttled, unavailable or broke off', async () => {
    for (const fault of ['throttle', 'unavailable', 'drop'] as const) {
      const { device, account } = await createHolder()
      apns.fail(fault, 1)
      await mint(account, 1)
      await waitUntil('the update was put off', async () => {
        await makeCardUpdatesDue(db)
        return (apns.tokens.get(device.pushToken)?.pushes ?? 0) >= 1
      })
    }
    await waitUntil('nothing is left', async () => (await countCardUpdates(db)) === 0)
  })

  it('end the registration of a phone whose token has ended, and keep its person opted in', async () => {
    const { device, account } = await createHolder()
    apns.endToken(device.pushToken, new Date(Date.now() + 60_000))
    await mint(account, 1)
    await waitUntil('nobody knows the phone', async () => (await device.ask()).status === 204)
    await waitUntil('nothing is left', async () => (await countCardUpdates(db)) === 0)
    const { body } = await api.get(`/v1/accounts/${account}`)
    expect(body['loyalty']?.['optIn']).to.deep.equal({ apple: true, google: false })
    // It comes back when the phone registers again.
    expect((await device.register()).status).to.equal(201)
  })

  it('are not lost when the worker dies before it notes that the phone was told', async () => {
    const { device, account } = await createHolder()
    const before = Number(getPoints(device))
    platform.children.worker.arm('cards.pushed')
    await mint(account, 7)
    await waitUntil('the worker died', () => platform.lines.some((line) => line.includes('"struck"')))
    await mint(account, 1)
    await waitUntil('nothing is left', async () => {
      await makeCardUpdatesDue(db)
      return (await countCardUpdates(db)) === 0
    })
    expect(apns.tokens.get(device.pushToken)?.pushes).to.be.greaterThan(1)
    await device.wake()
    expect(getPoints(device)).to.equal(before + 8)
    expect(device.notifications).to.deep.equal([])
  })

  it('answer 409 once the certificate has ended, and the phone can still be taken off', async () => {
    const { buyer, device } = await createHolder()
    await endCertificate(db, platform.application, -1)
    const download = await buyer.api.get('/v1/apple-wallet/loyalty-pass')
    expect(`${download.status} ${String(download.body['code'])}`).to.equal('409 WALLET_NOT_CONFIGURED')
    expect((await device.remove()).status).to.equal(200)
  })
})
