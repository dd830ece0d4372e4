import { expect } from 'chai'
import { getOperator } from '../core/identity/people.ts'
import { waitUntil } from '../support/processes.ts'
import { countPendingJobs } from '../support/rows/queue/job-rows.ts'
import { steadyCalls, validCalls } from './calls.ts'
import { targets } from './document.ts'
import { attackOperation, openRunner, createPlainRow, fuzzRun, type Runner } from './runner.ts'

/** What operations say that depend on what the stage does not have: a provider of identities, a proven domain. */
const refusalsOfStage: Readonly<Record<string, string>> = {
  sign_in_google_v1: 'not_enabled',
  sign_in_auth0_v1: 'not_enabled',
  create_billing_portal_session_v1: 'not_allowed',
  // The key of the samples is none.
  set_wallet_credentials_v1: 'invalid',
}

/** Hostile calls of each operation beside those that are always made; the long run makes thousands. */
const each = 1

describe(`Hostile calls of every operation, seed ${fuzzRun.seed}`, function () {
  this.timeout(120_000)
  let runner: Runner
  let plain: unknown
  before(async () => {
    runner = await openRunner()
    plain = await createPlainRow(runner.stage)
  })
  after(() => runner.stage.close())

  for (const target of targets) {
    it(`accepts valid calls and answers hostile ones as declared: ${target.id}`, async () => {
      await runner.refresh()
      for (const call of validCalls(target)) {
        const { status, body, text } = await runner.send(call)
        const code = String(body?.['code'])
        const [issue] = (body?.['errors'] ?? []) as unknown as { code: string }[]
        if (issue !== undefined && issue.code === refusalsOfStage[target.id]) continue
        expect(
          ['INVALID_REQUEST', 'INVALID_JSON', 'VALIDATION_FAILED', 'UNSUPPORTED_MEDIA_TYPE'],
          `${call.what} ${call.body}: ${status} ${text}`,
        ).not.to.include(code)
      }
      for (const call of steadyCalls(target)) await runner.send(call)
      await attackOperation(runner, target, each)
    })
  }

  it('have left nobody with members that are not theirs', async () => {
    expect(await createPlainRow(runner.stage)).to.deep.equal(plain)
  })

  it('have started nothing that does not end', async () => {
    const { organization } = runner.stage.shop
    const { db } = await getOperator()
    await waitUntil('every job has ended', async () => (await countPendingJobs(db, organization)) === 0, 60_000)
  })

  it('were made of every operation', () => {
    expect([...runner.tally.operations.keys()].sort()).to.deep.equal(targets.map(({ id }) => id).sort())
    expect([...runner.tally.operations].filter(([, calls]) => calls < each)).to.deep.equal([])
    expect([...runner.tally.callers.keys()].sort()).to.deep.equal(['buyer', 'key', 'member', 'nobody'])
  })
})
