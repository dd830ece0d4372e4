import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { listDeclaredAnswers, type AnswerRecord } from '../support/declared-answers.ts'
import { exceptions } from './declared-answers.exceptions.ts'

const formatAnswer = ({ operation, status, code }: AnswerRecord) =>
  `${operation} ${status}${code === null ? '' : ` ${code}`}`

/** All answers that the tests of this run saw. */
function readSeenAnswers(): Set<string> {
  const record = process.env['TEST_RECORD'] ?? ''
  if (!existsSync(record)) return new Set()
  return new Set(
    readFileSync(record, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => formatAnswer(JSON.parse(line) as AnswerRecord)),
  )
}

describe('openapi.json: every declared answer was given by the running API', () => {
  let seen = new Set<string>()
  before(() => {
    seen = readSeenAnswers()
  })
  const whole = process.env['TEST_WHOLE'] === 'yes'

  it('was seen in this run for every status and code, but for the listed exceptions', () => {
    const missing = listDeclaredAnswers()
      .map(formatAnswer)
      .filter((answer) => !seen.has(answer) && !Object.hasOwn(exceptions, answer))
    // As a text, because of a long list the message would show the beginning only.
    expect(whole ? missing.join('\n') : '').to.equal('')
  })

  it('has no listed exception that was seen or is not declared', () => {
    const declared = new Set(listDeclaredAnswers().map(formatAnswer))
    const stale = Object.keys(exceptions).filter((answer) => !declared.has(answer) || (whole && seen.has(answer)))
    expect(stale).to.deep.equal([])
  })
})
