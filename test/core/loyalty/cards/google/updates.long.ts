import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { findFreePort } from '../../../../../core/start/ports.ts'
import { signIn } from '../../../../proof/stage/buyers.ts'
import { createApiClient, type Client } from '../../../../support/client.ts'
import { startPlatform, type OwnPlatform } from '../../../../support/own-platform.ts'
import { waitUntil } from '../../../../support/processes.ts'
import { startGoogle, type GoogleStandIn } from '../../../../support/wallets/google/google.ts'
import { createPhone, type Phone } from '../../../../support/wallets/google/phone.ts'

const passPath = '/v1/google-wallet/loyalty-pass'

describe('Cards at Google when a balance changes', () => {
  let google: GoogleStandIn
  let platform: OwnPlatform
  let api: Client
  let phone: Phone
  before(async () => {
    google = await startGoogle()
    const address = 'https://cards.example'
    const port = await findFreePort()
    const started = await startPlatform({
      ports: { PORT: String(port), BRIDGE_PORT: String(await findFreePort()) },
      env: {
        BASE_URL: address,
        PUBLIC_URL: address,
        GOOGLE_WALLET_URL: google.url,
        GOOGLE_OAUTH_URL: google.tokenUrl,
        GOOGLE_PAY_KEYS_URL: google.keysUrl,
      },
    })
    // Google knows the platform by an https address, which leads nowhere here.
    const base = `http://127.0.0.1:${port}`
    platform = { ...started, api: base, outbox: started.outbox.replace(address, base) }
    api = createApiClient(platform.apiKey, platform.api)
    phone = createPhone(google, platform.api)
    const { application } = platform
    const named = await api.patch(`/v1/applications/${application}`, {
      loyaltySettings: { googleWallet: { issuerId: google.issuerId }, welcomeBonus: null },
    })
    expect(named.status, named.text).to.equal(200)
    const set = await api.put(`/v1/applications/${application}/wallet-credentials/google-wallet`, {
      serviceAccount: google.serviceAccount,
    })
    expect(set.status, set.text).to.equal(200)
  })
  after(async () => {
    await platform.stop()
    await google.stop()
  })

  async function createHolder() {
    const email = `holder-${randomUUID()}@people.example`
    const buyer = await signIn(platform, email)
    const { body } = await api.get(`/v1/accounts?filters[user.email][eq]=${email}`)
    const [account] = body['data'] as unknown as { id: string }[]
    const getLink = async () => String((await buyer.api.get(passPath)).body['url'])
    return { account: account?.id ?? '', getLink }
  }
  const mint = async (account: string, amount: number) => {
    const minted = await api.post(`/v1/loyalty/account/${account}/mint`, { amount })
    expect(minted.status, minted.text).to.equal(202)
  }
  const readPoints = (object: string) =>
    (google.objects.get(object)?.['loyaltyPoints'] as { balance: { string: string } } | undefined)?.balance.string
  const waitForPoints = (object: string, points: string) =>
    waitUntil(`the card shows ${points} points`, () => Promise.resolve(readPoints(object) === points))

  it('shows the new one, again after Google was away, and notifies nobody', async () => {
    const { account, getLink } = await createHolder()
    const object = await phone.save(await getLink())
    await mint(account, 10)
    await waitForPoints(object, '10')
    google.failures.push('down', 'lost')
    await mint(account, 5)
    await waitForPoints(object, '15')
    expect(google.notices).to.deep.equal([])
    const patches = google.requests.filter(({ method }) => method === 'PATCH')
    expect(patches.filter(({ body }) => JSON.stringify(body).includes('notifyPreference'))).to.deep.equal([])
  })

  it('shows what changed between the link and the moment when the card is saved', async () => {
    const { account, getLink } = await createHolder()
    const link = await getLink()
    await mint(account, 8)
    const object = await phone.save(link)
    await waitForPoints(object, '8')
  })

  it('takes on new looks of the application with the next change', async () => {
    const { account, getLink } = await createHolder()
    const object = await phone.save(await getLink())
    const named = await api.patch(`/v1/applications/${platform.application}`, { theme: { title: 'Nuova Casa' } })
    expect(named.status, named.text).to.equal(200)
    await mint(account, 1)
    await waitForPoints(object, '1')
    const classId = String(google.objects.get(object)?.['classId'])
    expect(google.classes.get(classId)).to.include({ programName: 'Nuova Casa' })
  })
}).timeout(240_000)
