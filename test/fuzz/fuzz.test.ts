import { expect } from 'chai'
import { eventually } from '../support/processes.ts'
import { steadyCalls, validCalls } from './calls.ts'
import { targets } from './document.ts'
import { attack, openRunner, plainRow, way, type Runner } from './runner.ts'
import { pending } from './stage.ts'

/** Hostile calls of each operation beside those that are always made. */
const each = 10

describe(`Hostile calls of every operation, seed ${way.seed}`, function () {
  this.timeout(120_000)
  let runner: Runner
  let plain: unknown
  before(async () => {
    runner = await openRunner()
    plain = await plainRow(runner.stage)
  })

  for (const target of targets) {
    it(`${target.id} takes what it should, and answers the rest as it should`, async () => {
      await runner.stage.refresh()
      for (const call of validCalls(target)) {
        const { status, body, text } = await runner.send(call)
        const code = String(body?.['code'])
        expect(
          ['INVALID_REQUEST', 'INVALID_JSON', 'VALIDATION_FAILED', 'UNSUPPORTED_MEDIA_TYPE'],
          `${call.what} ${call.body}: ${status} ${text}`,
        ).not.to.include(code)
      }
      for (const call of steadyCalls(target)) await runner.send(call)
      await attack(runner, target, each)
    })
  }

  it('have left nobody with members that are not theirs', async () => {
    expect(await plainRow(runner.stage)).to.deep.equal(plain)
  })

  it('have started nothing that does not end', async () => {
    const { organization } = runner.stage.shop
    await eventually('every job has ended', async () => (await pending(organization)) === 0, 60_000)
  })

  it('were made of every operation', () => {
    expect([...runner.tally.operations.keys()].sort()).to.deep.equal(targets.map(({ id }) => id).sort())
    expect([...runner.tally.operations].filter(([, calls]) => calls < each)).to.deep.equal([])
    expect([...runner.tally.callers.keys()].sort()).to.deep.equal(['buyer', 'key', 'member', 'nobody'])
  })
})
