import { availableParallelism } from 'node:os'
import { expect } from 'chai'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { startPlatform, type OwnPlatform } from '../../../support/own-platform.ts'
import { createIssuer } from '../../certification/suites/signers.ts'
import { formatVerdict } from '../../dpp/passports/fixtures.ts'
import { openRawConnection } from '../../../support/network/raw.ts'

const did = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'
const proof = {
  type: 'DataIntegrityProof',
  cryptosuite: 'eddsa-jcs-2022',
  verificationMethod: `${did}#${did.slice(8)}`,
  proofPurpose: 'assertionMethod',
  proofValue: `z${'1'.repeat(64)}`,
}
const credentialOf = (credentialSubject: object) => ({
  '@context': ['https://www.w3.org/ns/credentials/v2'],
  type: ['VerifiableCredential'],
  issuer: did,
  credentialSubject,
  proof,
})

/** As many members, unsorted: every one costs far more than its bytes. */
const subjectOf = (members: number) =>
  Object.fromEntries(Array.from({ length: members }, (_, at) => [`k${(at * 7919) % members}`, at]))
const wideOf = (members: number) => JSON.stringify(credentialOf(subjectOf(members)))
/** Under 1 MiB, and half a second of work and more. */
const wide = wideOf(60_000)
/** Judged once for each of its proofs, all of which hold. */
async function provedOften(members: number, proofs: number): Promise<string> {
  const issuer = createIssuer()
  const credential = await issuer.proved(issuer.credential({ credentialSubject: subjectOf(members) }))
  return JSON.stringify({ ...credential, proof: Array.from({ length: proofs }, () => credential['proof']) })
}
/** Seconds of work; made once, because making it costs seconds as well. */
let expensive: Promise<string>
const small = credentialOf({ name: 'Bag' })
const unjudged = { skipsDocumentCheck: true }

describe('POST /v1/dpp/credentials/verify: fair share of anonymous callers', function () {
  this.timeout(300_000)
  let own: OwnPlatform
  before(async () => {
    expensive = provedOften(62_000, 4)
    own = await startPlatform({
      env: { TRUST_PROXY: 'true', RATE_LIMIT_ADDRESS_PER_MINUTE: '0', RATE_LIMIT_KEY_PER_MINUTE: '0' },
    })
  })
  after(() => own.stop())

  const from = (address: string) => ({ ...unjudged, headers: { 'x-forwarded-for': address } })
  const verify = (address: string, body: string | object = small): Promise<Answer> =>
    createApiClient({}, own.api).post('/v1/dpp/credentials/verify', undefined, {
      ...from(address),
      raw: typeof body === 'string' ? body : JSON.stringify(body),
    })

  it('judges and refuses as ever', async () => {
    const verification = await verify('198.51.100.1')
    expect([verification.status, verification.body['verified']], verification.text).to.deep.equal([200, false])
    expect(formatVerdict(await verify('198.51.100.1', '{'))).to.equal('400 INVALID_JSON')
    const refused = await verify('198.51.100.1', { type: 'nothing' })
    expect(formatVerdict(refused)).to.equal('422 VALIDATION_FAILED')
    expect(refused.body['errors'], refused.text).to.have.length.above(0)
    expect(refused.body['requestId']).to.equal(refused.headers['x-request-id'])
  })

  /** How often a measure is taken until it is above its bound: a shared machine may stall once, but not every time. */
  const maxMeasures = 3

  /** Measures until a count is above its bound. @returns the last count */
  async function measureAbove(bound: number, measure: (turn: number) => Promise<number>): Promise<number> {
    let count = bound
    for (let turn = 1; turn <= maxMeasures && count <= bound; turn++) count = await measure(turn)
    return count
  }

  it('does not keep the process: others are answered while many wide ones are judged', async () => {
    await verify('198.51.100.2')
    const pieces = 6
    const countReads = async () => {
      let left = pieces
      const flood = Array.from({ length: pieces }, (_, at) =>
        verify(`198.51.100.${100 + at}`, wide).finally(() => left--),
      )
      let answered = 0
      while (left > 0) {
        const { status } = await createApiClient(own.apiKey, own.api).get('/v1/applications')
        expect(status).to.equal(200)
        answered++
      }
      for (const answer of await Promise.all(flood)) expect(answer.status).to.be.oneOf([200, 422, 503])
      return answered
    }
    // On one thread they would be answered between two pieces: about one for each.
    expect(await measureAbove(pieces * 5, countReads), 'reads that were answered meanwhile').to.be.above(pieces * 5)
  })

  it('takes turns: one of somebody else goes before the rest of a flood, whose sender has a limit', async () => {
    const countWaiting = async (turn: number) => {
      let left = 40
      const flood = Array.from({ length: left }, (_, at) =>
        verify(`2001:db8:1:${turn}::1`, at < 12 ? wide : small).finally(() => left--),
      )
      const other = await verify(`2001:db8:2:${turn}::1`)
      expect(other.status, other.text).to.equal(200)
      const waiting = left
      const refused = (await Promise.all(flood)).filter(({ status }) => status === 429)
      expect(refused.length).to.be.above(0)
      for (const { body, headers } of refused) {
        expect(body['code']).to.equal('RATE_LIMITED')
        expect(Number(headers['retry-after'])).to.be.within(1, 60)
      }
      return waiting
    }
    expect(await measureAbove(0, countWaiting), 'pieces of the flood that were still to be judged').to.be.above(0)
  })

  it('refuses who has as many waiting as one may before the body has come', async () => {
    let answered = 0
    const long = await expensive
    const crowded = Promise.withResolvers<void>()
    // The first ones take so long that the line is still full when one more comes.
    const flood = Array.from({ length: 12 + availableParallelism() }, (_, at) =>
      verify('198.51.100.4', at < 3 ? long : wide).then(({ status }) => {
        answered++
        if (status === 429) crowded.resolve()
      }),
    )
    await crowded.promise
    const { send, answer, socket } = await openRawConnection(own.api)
    send(
      `POST /v1/dpp/credentials/verify HTTP/1.1\r\nHost: ${new URL(own.api).host}\r\nX-Forwarded-For: 198.51.100.4\r\n`
        + 'Content-Type: application/json\r\nContent-Length: 900000\r\n\r\n{',
    )
    const { status, body } = await answer()
    expect([status, (JSON.parse(body) as { code: string }).code]).to.deep.equal([429, 'RATE_LIMITED'])
    expect(answered, 'answers to the others').to.be.below(flood.length)
    socket.destroy()
    await Promise.all(flood)
  })

  it('gives one sender half of the places: another one is there for somebody else at once', async () => {
    // The threads are there after this.
    await Promise.all([1, 2, 3, 4, 5, 6].map((at) => verify(`198.51.100.${20 + at}`)))
    let verifiedCount = 0
    const long = await expensive
    const crowded = Promise.withResolvers<void>()
    const flood = Array.from({ length: 14 + availableParallelism() }, () =>
      verify('198.51.100.30', long).then((answer) => {
        // The line of this sender is full, so that all places are taken that there are for it.
        if (answer.status === 429) crowded.resolve()
        else verifiedCount++
        return answer
      }),
    )
    await crowded.promise
    const other = await verify('198.51.100.31')
    expect([other.status, verifiedCount], other.text).to.deep.equal([200, 0])
    await Promise.all(flood)
  })

  it('counts an IPv6 network of 64 bits as one sender', async () => {
    const long = await expensive
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => verify(`2001:db8:3:3:${at.toString(16)}::${at}`, at < 3 ? long : small)),
    )
    expect(answers.filter(({ status }) => status === 429)).to.have.length.above(0)
  })

  it('is 503, without a code, where the line of all is full', async () => {
    // The first ones take so long that hardly a place is free again before the others have come. Where they come too
    // slowly, because the machine is busy, they come once more.
    const long = await expensive
    const flood = () =>
      Promise.all(Array.from({ length: 160 }, (_, at) => verify(`203.0.113.${at}`, at < 8 ? long : small)))
    let full: Answer[] = []
    while (full.length === 0) full = (await flood()).filter(({ status }) => status === 503)
    for (const { body, headers, text } of full) {
      expect(body['code'], text).to.equal(undefined)
      expect(Number(headers['retry-after'])).to.be.within(1, 60)
    }
    expect((await verify('198.51.100.3')).status).to.equal(200)
  })
})
