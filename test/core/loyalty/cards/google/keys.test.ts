import { expect } from 'chai'
import { createRootKeys, type RootKeys } from '../../../../../core/features/loyalty/cards/google/callbacks/keys.ts'
import { openCallback } from '../../../../../core/features/loyalty/cards/google/callbacks/signature.ts'
import { UnavailableError } from '../../../../../core/kernel/unavailable.ts'
import { startGoogle, type GoogleStandIn } from '../../../../support/wallets/google/google.ts'

const application = '0198c0de-0000-7000-8000-000000000001'
const card = '0198c0de-0000-7000-8000-000000000002'
const minuteMs = 60_000
const dayMs = 86_400_000

describe('Root keys of the reports of Google Wallet', () => {
  let google: GoogleStandIn
  let keys: RootKeys
  let shiftMs: number
  const now = () => new Date(Date.now() + shiftMs)
  beforeEach(async () => {
    google = await startGoogle()
    shiftMs = 0
    keys = createRootKeys(google.keysUrl, now)
  })
  afterEach(() => google.stop())

  /** Whether a report that is signed by the present root key is taken. */
  async function isTaken(): Promise<boolean> {
    const objectId = `${google.issuerId}.${card}`
    const classId = `${google.issuerId}.${application}`
    const expTimeMillis = now().getTime() + dayMs
    const message = google.createMessage(objectId, 'save', { classId, expTimeMillis })
    const raw = google.sign(message, { keyExpiresAt: new Date(expTimeMillis) })
    return (await openCallback(Buffer.from(raw), keys, now())) !== null
  }

  it('are fetched once for many reports, and again when their answer says so', async () => {
    google.keysCacheControl = 'public, max-age=600'
    expect(await Promise.all([isTaken(), isTaken(), isTaken()])).to.deep.equal([true, true, true])
    shiftMs = 9 * minuteMs
    expect(await isTaken()).to.equal(true)
    expect(google.keyRequests).to.equal(1)
    shiftMs = 11 * minuteMs
    expect(await isTaken()).to.equal(true)
    expect(google.keyRequests).to.equal(2)
  })

  it('are fetched again for a report that none of them signs, once a minute at most', async () => {
    expect(await isTaken()).to.equal(true)
    google.signer.rotate()
    expect(await isTaken()).to.equal(false)
    expect(google.keyRequests).to.equal(1)
    shiftMs = 2 * minuteMs
    expect(await isTaken()).to.equal(true)
    expect(google.keyRequests).to.equal(2)
  })

  it('are used while their address is away, until they expire', async () => {
    google.keysCacheControl = null
    google.signer.rotate(new Date(Date.now() + 3 * 60 * minuteMs))
    expect(await isTaken()).to.equal(true)
    google.keysAreAway = true
    shiftMs = 2 * 60 * minuteMs
    expect(await isTaken()).to.equal(true)
    shiftMs = 4 * 60 * minuteMs
    expect(await isTaken()).to.equal(false)
  })

  it('are an unavailable service when none was ever fetched', async () => {
    google.keysAreAway = true
    const failure = await isTaken().catch((cause: unknown) => cause)
    expect(failure).to.be.instanceOf(UnavailableError)
    google.keysAreAway = false
    expect(await isTaken()).to.equal(true)
  })
})
