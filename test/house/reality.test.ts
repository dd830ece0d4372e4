import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { declaredAnswers, type Seen } from '../support/reality.ts'
import { exceptions } from './reality.exceptions.ts'

const show = ({ operation, status, code }: Seen) => `${operation} ${status}${code === null ? '' : ` ${code}`}`

/** Every answer that a test of this run saw. */
function seenAnswers(): Set<string> {
  const record = process.env['TEST_RECORD'] ?? ''
  if (!existsSync(record)) return new Set()
  return new Set(readFileSync(record, 'utf8').split('\n').filter((line) => line !== '').map((line) => show(JSON.parse(line) as Seen)))
}

describe('The house: what the document declares, a real answer has shown', () => {
  let seen = new Set<string>()
  before(() => { seen = seenAnswers() })
  const whole = process.env['TEST_WHOLE'] === 'yes'

  it('every declared status and code of every operation was seen in this run, but for the listed exceptions', () => {
    const missing = declaredAnswers().map(show).filter((answer) => !seen.has(answer) && !Object.hasOwn(exceptions, answer))
    expect(whole ? missing : []).to.deep.equal([])
  })

  it('no exception is listed that was seen or is not declared', () => {
    const declared = new Set(declaredAnswers().map(show))
    const stale = Object.keys(exceptions).filter((answer) => !declared.has(answer) || (whole && seen.has(answer)))
    expect(stale).to.deep.equal([])
  })
})
