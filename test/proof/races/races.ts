import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { connectDatabase } from '../../../core/database/connection.ts'
import { createApiClient, type Answer, type Client, type Json } from '../../support/client.ts'
import { repeatUntil } from '../../support/processes.ts'
import { countClaimsOfPassport, countPassports } from '../../support/rows/dpp/counted-passports.ts'
import { countRunsByWorker, noteLeases } from '../../support/rows/queue/taken-leases.ts'
import { waitForJobEnd, postUntilAccepted, readUntilAnswered } from '../stage/retried-requests.ts'
import { signIn, type Buyer } from '../stage/buyers.ts'
import { openFleet, type Fleet } from './fleet.ts'
import { checkMintedTokens, toTokenId, type AcceptedPassport, type ChainVerdict } from '../stage/minted-tokens.ts'

/** Requests of one moment, every other one to the other API. */
export const racerCount = 50

/** What came of them. */
export interface RaceOutcome {
  /** Which of the two APIs let one win. */
  winner: number
  /** How often the others were answered what: a status with its code, or `replayed`. */
  others: Record<string, number>
  /** Seconds from the first request to the last answer. */
  seconds: number
}

/** A field for races: two APIs, two workers, and everything that they are judged by. */
export async function openRaceField() {
  const fleet = await openFleet()
  const db = connectDatabase({ url: fleet.platform.database, name: 'test', maxConnections: 1 })
  try {
    return await fieldOf(fleet, db)
  } catch (cause) {
    await db.destroy()
    await fleet.stop()
    throw cause
  }
}
export type RaceField = Awaited<ReturnType<typeof openRaceField>>

export const raceNames = [
  'claims of one passport',
  'creates with one idempotency key',
  'mints with one idempotency key',
  'creates of one reference',
] as const

async function fieldOf(fleet: Fleet, db: Knex) {
  const { platform } = fleet
  const keyed = fleet.apis.map((api) => createApiClient(platform.apiKey, api)) as [Client, Client]
  const [api] = keyed
  const buyer = await signIn(platform, `racer-${randomUUID()}@people.example`)
  const made = await api.post('/v1/dpp/products', {
    application: platform.application,
    network: 'EthereumAnvil',
    name: 'Bag',
    status: 'ACTIVE',
    passportsFields: [{ name: 'serialNumber', type: 'string', required: true }],
  })
  expect(made.status, made.text).to.equal(201)
  const parts: Parts = { keyed, bought: buying(fleet, buyer), buyer, sheet: String(made.body['id']), db }
  const accepted: AcceptedPassport[] = []
  await noteLeases(db)
  return {
    platform,
    races: {
      'claims of one passport': (round: number) => claimRace(parts, round, accepted),
      'creates with one idempotency key': (round: number) => createRace(parts, round),
      'mints with one idempotency key': (round: number) => mintRace(parts, round, accepted),
      'creates of one reference': (round: number) => referenceRace(parts, round),
    },
    /** How many runs of jobs each worker took. */
    runs: (): Promise<number[]> => countRunsByWorker(db),
    /** Everything that was won, and all that the chain has. */
    sum: (): Promise<ChainVerdict> => checkMintedTokens(platform.rpc, accepted),
    async stop() {
      await db.destroy()
      await fleet.stop()
    },
  }
}

interface Parts {
  keyed: [Client, Client]
  bought: [Client, Client]
  buyer: Buyer
  sheet: string
  db: Knex
}

const buying = ({ apis }: Fleet, { token }: Buyer) =>
  apis.map((api) => createApiClient({ bearer: token }, api)) as [Client, Client]

type Send = (api: Client, at: number) => Promise<Answer>

/** @param first the status of the one that wins @param others what every other one may be told */
async function race(apis: readonly Client[], send: Send, first: number, others: readonly string[]) {
  const begin = Date.now()
  const answers = await Promise.all(
    Array.from({ length: racerCount }, (_, at) => {
      const api = apis[at % apis.length]
      if (!api) throw new Error('there is no such API')
      // A slow machine refuses a request that waited too long for its turn. Nothing was done; it is sent again.
      return repeatUntil(
        'a request has its turn',
        () => send(api, at),
        ({ status }) => status !== 503,
      )
    }),
  )
  const seconds = (Date.now() - begin) / 1_000
  const won = answers.filter((answer) => answer.status === first && !isReplay(answer))
  expect(
    won.map(({ text }) => text),
    'answers that say that it was done',
  ).to.have.length(1)
  const [winner] = won as [Answer]
  const words = answers.filter((answer) => answer !== winner).map(wordOf)
  expect(words.filter((word) => !others.includes(word))).to.deep.equal([])
  for (const answer of answers.filter(isReplay)) {
    expect([answer.status, answer.text]).to.deep.equal([winner.status, winner.text])
  }
  const counts = Object.fromEntries([...Map.groupBy(words, String)].map(([word, all]) => [word, all.length]))
  return { answer: winner, outcome: { winner: answers.indexOf(winner) % apis.length, others: counts, seconds } }
}

const isReplay = ({ headers }: Answer) => headers['idempotency-replayed'] === 'true'
const wordOf = (answer: Answer) =>
  isReplay(answer) ? 'replayed' : `${answer.status} ${String(answer.body?.['code'] ?? '')}`.trim()

/** Half of them by e-mail, half by the passport's magic token; each kind comes first in every other round. */
async function claimRace(
  { keyed: [api], bought, buyer, sheet, db }: Parts,
  round: number,
  accepted: AcceptedPassport[],
): Promise<RaceOutcome> {
  const fields = { serialNumber: `C-${round}` }
  const { body } = await api.post('/v1/dpp/passports', { product: sheet, fields, allowedClaimEmail: buyer.email })
  const passport = String(body['id'])
  const { job: publishing } = await postUntilAccepted(api, `/v1/dpp/passports/publish?filters[id][eq]=${passport}`)
  await waitForJobEnd(() => api.get(`/v1/jobs/${publishing}`))
  const {
    body: { token: magicToken },
  } = await readUntilAnswered(api, `/v1/dpp/passports/${passport}/magic-token`)
  const send: Send = (by, at) =>
    (at + 2 * round) % 4 < 2
      ? by.post('/v1/dpp/claim', { passport })
      : by.post('/v1/dpp/claim/magicToken', { magicToken })
  const { answer, outcome } = await race(bought, send, 202, [
    '409 DPP_PASSPORT_NOT_CLAIMABLE',
    '400 DPP_MAGIC_TOKEN_INVALID',
  ])
  const job = String(answer.body['jobId'])
  expect(await waitForJobEnd(() => buyer.api.get(`/v1/jobs/${job}`))).to.include({ status: 'completed', completed: 1 })
  expect(await countClaimsOfPassport(db, passport), 'claims of the passport').to.equal(1)
  await expectEvents(api, passport, ['claim', 'create', 'publish'])
  const { body: shown } = await readUntilAnswered(api, `/v1/dpp/passports/${passport}`)
  expect(shown).to.include({ status: 'claimed' })
  expect(shown['mintedTo']).to.include({ address: buyer.address })
  accepted.push({ passport, owner: buyer.address, contract: String(shown['token']?.['contract']) })
  return outcome
}

const keyedAnswers = ['replayed', '409 IDEMPOTENCY_IN_PROGRESS']

async function createRace({ keyed, sheet, db }: Parts, round: number): Promise<RaceOutcome> {
  const headers = { 'idempotency-key': randomUUID() }
  const serialNumber = `K-${round}`
  const send: Send = (api) => api.post('/v1/dpp/passports', { product: sheet, fields: { serialNumber } }, { headers })
  const { answer, outcome } = await race(keyed, send, 201, keyedAnswers)
  for (const api of keyed) expect((await send(api, 0)).text, 'the answer afterwards').to.equal(answer.text)
  expect(await countPassports(db, { numbered: { sheet, serialNumber } })).to.equal(1)
  await expectEvents(keyed[0], String(answer.body['id']), ['create'])
  return outcome
}

async function mintRace(
  { keyed, sheet, db }: Parts,
  round: number,
  accepted: AcceptedPassport[],
): Promise<RaceOutcome> {
  const headers = { 'idempotency-key': randomUUID() }
  const serialNumber = `M-${round}`
  const path = `/v1/dpp/products/${sheet}/mint`
  const send: Send = (api) => api.post(path, [{ serialNumber }], { headers })
  const { answer, outcome } = await race(keyed, send, 202, keyedAnswers)
  const status = `${path}/${String(answer.body['jobId'])}/status`
  const job = await waitForJobEnd(() => keyed[1].get(status))
  expect(job).to.include({ status: 'completed', total: 1, completed: 1, failed: 0 })
  expect(await countPassports(db, { numbered: { sheet, serialNumber } })).to.equal(1)
  const [result] = job['results'] as unknown as Json[]
  const passport = String(result?.['passport'])
  expect(String(result?.['tokenId'])).to.equal(toTokenId(passport))
  await expectEvents(keyed[0], passport, ['create', 'publish'])
  const {
    body: { token },
  } = await readUntilAnswered(keyed[0], `/v1/dpp/passports/${passport}`)
  accepted.push({ passport, owner: String(token?.['owner']), contract: String(token?.['contract']) })
  return outcome
}

async function referenceRace({ keyed, sheet, db }: Parts, round: number): Promise<RaceOutcome> {
  const [reference, serialNumber] = [`R-${randomUUID()}`, `R-${round}`]
  const body = { product: sheet, fields: { serialNumber }, reference }
  const { answer, outcome } = await race(keyed, (api) => api.post('/v1/dpp/passports', body), 201, [
    '409 DPP_PASSPORT_DUPLICATE_REFERENCE',
  ])
  expect(await countPassports(db, { reference })).to.equal(1)
  await expectEvents(keyed[0], String(answer.body['id']), ['create'])
  return outcome
}

async function expectEvents(api: Client, passport: string, types: readonly string[]): Promise<void> {
  const { body } = await readUntilAnswered(api, `/v1/events?filters[passport.id][eq]=${passport}&pageSize=100`)
  const found = (body['data'] as unknown as Json[]).map(({ type }) => String(type))
  expect(found.sort(), `events of ${passport}`).to.deep.equal(types)
}
